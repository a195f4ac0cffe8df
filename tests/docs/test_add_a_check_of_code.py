"""Whoever follows the how-to in a copy of this tree has a check of code that works."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "add-a-check-of-code.md").read_text("utf-8")
PARTS = (
    "pipedoctor",
    "checks",
    "docs",
    "tools",
    "pyproject.toml",
    "tests/bytecode.py",
    "tests/conftest.py",
    "tests/checks/code_samples.py",
    "tests/checks/conftest.py",
    "tests/checks/test_examples.py",
    "tests/facts/test_code_events.py",
    "tests/machines/container.json",
)
STEP = re.compile(r"<!-- (\w+)(?:: (\S+))? -->(?:\n```\w+\n(.*?)^```)?", re.DOTALL | re.MULTILINE)


class Step(NamedTuple):
    """What a comment on the page says of the fence below it."""

    kind: str
    value: str
    text: str


def steps() -> Iterator[Step]:
    for found in STEP.finditer(PAGE):
        kind, value, text = found.groups(default="")
        yield Step(kind, value, text)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a contributor has, as far as the page needs it."""
    for part in PARTS:
        source, target = ROOT / part, tmp_path / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target)
    return tmp_path


def run(line: str, tree: Path) -> "subprocess.CompletedProcess[str]":
    program, *arguments = shlex.split(line)
    assert program == "python"
    path = os.pathsep.join((str(tree), str(tree / "checks")))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "COLUMNS": "100",
            "PYTHONDONTWRITEBYTECODE": "",  # the copy is compiled once, not by each line
        },
        check=False,
        capture_output=True,
        text=True,
    )


def extend(file: Path, lines: str) -> None:
    """Put the new lines below the first one, which is in the file once."""
    text = file.read_text("utf-8")
    first = lines.partition("\n")[0] + "\n"
    assert text.count(first) == 1
    file.write_text(text.replace(first, lines), "utf-8")


def test_following_the_page_works(tree: Path) -> None:
    output = ""
    ran = 0
    for step in steps():
        file = tree / step.value
        if step.kind == "file":
            assert not file.exists()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, "utf-8")
        elif step.kind == "append":
            file.write_text(f"{file.read_text('utf-8')}\n\n{step.text}", "utf-8")
        elif step.kind == "extend":
            extend(file, step.text)
        elif step.kind == "run":
            for line in step.text.strip().splitlines():
                done = run(line, tree)
                assert done.returncode == int(step.value), done.stdout + done.stderr
                output = done.stdout
                ran += 1
        elif step.kind == "expect":
            for line in step.text.strip().splitlines():
                assert line in output
        else:
            assert step.kind == "written"
            assert file.is_file()
    assert ran == len(re.findall(r"^python ", PAGE, re.MULTILINE))
    assert len(re.findall("^```", PAGE, re.MULTILINE)) == 2 * sum(
        bool(step.text) for step in steps()
    )
