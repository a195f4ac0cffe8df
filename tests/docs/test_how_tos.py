"""What the how-tos say is done: their files are written, their commands are run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
BLOCK = re.compile(r"<!-- (file|run|expect)(?:: (\S+))? -->\n```\w+\n(.*?)```", re.DOTALL)
ENTRY_POINT = "[pipedoctor.checks]\nacme = acme_checks\n"


class Block(NamedTuple):
    """A fence that a comment above it gives a meaning."""

    kind: str
    value: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (PAGES / page).read_text("utf-8")
    return [Block(*found.groups()) for found in BLOCK.finditer(text)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An installed pack without any check."""
    (tmp_path / "acme_checks").mkdir()
    (tmp_path / "acme_checks" / "__init__.py").touch()
    metadata = tmp_path / "acme_checks-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-checks\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINT)
    return tmp_path


def run(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    program, *arguments = shlex.split(line)
    assert program == "pipedoctor"
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    environ = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    return subprocess.run(
        [sys.executable, "-m", "pipedoctor", *arguments],
        cwd=folder,
        env={**environ, "PYTHONPATH": path},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("page", ["add-a-signature.md", "add-a-fixer.md"])
def test_following_the_page_works(page: str, folder: Path) -> None:
    output = ""
    ran = 0
    for block in blocks(page):
        if block.kind == "file":
            file = folder / block.value
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
        elif block.kind == "run":
            for line in block.text.strip().splitlines():
                done = run(line, folder)
                assert done.returncode == int(block.value), done.stdout + done.stderr
                output = done.stdout
                ran += 1
        else:
            for line in block.text.strip().splitlines():
                assert line in output
    assert ran
