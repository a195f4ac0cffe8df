"""The how-to is followed literally, in a copy of the repository."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "add-a-fact.md").read_text("utf-8")
BLOCK = re.compile(r"<!-- (file|add|run)(?:: (\S+))? -->\n```\w+\n(.*?)```", re.DOTALL)
COPIED = ("pipedoctor", "checks", "tests", "tools", "docs")
PROGRAMS = {
    "pipedoctor": ["-m", "pipedoctor"],
    "pytest": ["-m", "pytest", "-p", "no:cacheprovider"],
    "python": [],
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def add(file: Path, patch: str) -> None:
    """Put each line with `+` below the one line that is written above it."""
    anchor, *new = patch.splitlines()
    assert anchor.startswith(" ")
    assert all(line.startswith("+") for line in new)
    text = file.read_text("utf-8")
    below = f"{anchor[1:]}\n"
    assert text.count(f"\n{below}") == 1, (file, anchor)
    file.write_text(text.replace(f"\n{below}", f"\n{below}" + "".join(f"{n[1:]}\n" for n in new)))


def run(line: str, folder: Path) -> str:
    program, *arguments = shlex.split(line)
    done = subprocess.run(
        [sys.executable, *PROGRAMS[program], *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'checks'}",
            "PYTHONDONTWRITEBYTECODE": "",  # the clone is compiled once, not by each line
        },
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.extended
def test_following_the_page_adds_the_section(clone: Path) -> None:
    outputs: list[str] = []
    for kind, place, text in BLOCK.findall(PAGE):
        if kind == "file":
            assert not (clone / place).exists()
            (clone / place).write_text(text, "utf-8")
        elif kind == "add":
            add(clone / place, text)
        else:
            outputs += [run(line, clone) for line in text.splitlines()]

    facts = json.loads(outputs[-1])["facts"]
    assert "pressure" in {**facts["known"], **facts["unknown"]}
