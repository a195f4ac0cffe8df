"""The how-tos that change the program itself: a copy of it is changed, and run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import pipedoctor

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
BLOCK = re.compile(
    r"<!-- (file|insert|run|expect)(?:: (\S+)(?: before `(.+?)`)?)? -->\n```\w+\n(.*?)```",
    re.DOTALL,
)


class Block(NamedTuple):
    """A fence that the comment above it gives a meaning."""

    kind: str
    value: str
    marker: str
    text: str


def read_blocks(page: str) -> list[Block]:
    text = (PAGES / page).read_text("utf-8")
    return [Block(*found.groups()) for found in BLOCK.finditer(text)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the program, without its checks, which stay where they are."""
    assert pipedoctor.__file__
    home = Path(pipedoctor.__file__).parent
    shutil.copytree(home, tmp_path / home.name)  # with its bytecode, which stays valid
    return tmp_path


def change_file(block: Block, folder: Path) -> None:
    file = folder / block.value
    if block.kind == "file":
        assert not file.exists()
        file.write_text(block.text, "utf-8")
        return
    before, found, after = file.read_text("utf-8").partition(f"\n{block.marker}")
    assert found, f"{block.value} has no line that begins with {block.marker!r}"
    file.write_text(f"{before}\n{block.text}{found[1:]}{after}", "utf-8")


def run(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    program, *arguments = shlex.split(line)
    assert program == "pipedoctor"
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-m", "pipedoctor", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("page", ["add-a-report-format.md", "add-a-command.md"])
def test_following_the_page_works(page: str, folder: Path) -> None:
    output = ""
    ran = 0
    for block in read_blocks(page):
        if block.kind in {"file", "insert"}:
            change_file(block, folder)
        elif block.kind == "run":
            for line in block.text.strip().splitlines():
                done = run(line, folder)
                assert done.returncode == int(block.value), done.stdout + done.stderr
                assert done.returncode != 2 or done.stderr.count("\n") == 1
                output = done.stdout
                ran += 1
        else:
            assert all(line in output for line in block.text.rstrip().splitlines()), output
    assert ran > 1


def test_without_the_row_there_is_no_format(folder: Path) -> None:
    """What the page adds is what makes its command work."""
    blocks = read_blocks("add-a-report-format.md")
    for block in blocks:
        if block.kind == "file":
            change_file(block, folder)
    command = next(block.text for block in blocks if block.kind == "run")

    assert run(command.strip(), folder).returncode == 2
