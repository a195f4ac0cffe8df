"""Any text and any folder goes through: read, bounded, never run."""

import json
import os
import random
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Source
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file

STANDARD = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
LOADER = "import torch\nfrom torch.utils.data import DataLoader\n"


def quiet(_: str) -> None:
    """Nobody watches."""


def collected(*paths: Path | str) -> Source:
    return source(Machine(), [str(path) for path in paths], 20, quiet)


def together(paths: Sequence[Path]) -> Source:
    return build_facts([parse_file(files.SourceFile(str(p), p.read_bytes())) for p in paths])


@pytest.mark.parametrize(
    "start",
    [0, 1, *(pytest.param(n, marks=pytest.mark.extended) for n in range(2, 8))],
)
def test_the_standard_library_goes_through(start: int) -> None:
    facts = together(STANDARD[start::8])

    assert facts.parsed == len(STANDARD[start::8])
    assert facts.loaders == ()


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(
            f"{LOADER}from {'bca'['abc'.index(name)]} import f\n"
            "def f(x):\n    loader = DataLoader(x, num_workers=2)\n    f(loader)\n"
        )
    paths = sorted(tmp_path.iterdir())
    shuffled = random.Random(3).sample(paths, 3)

    assert together(paths).events == together(shuffled).events


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("import torch\nprint 1", "line 2: Missing", id="Python 2"),
        pytest.param("import torch\nx = (", "line 2: '(' was never", id="broken"),
        pytest.param("import torch\n" + "(" * 9999, "", id="nested too deep"),
        pytest.param("import torch\n\0", "null bytes", id="a null byte"),
        pytest.param("# coding: nonsense\nimport torch", "encoding", id="encoding"),
    ],
)
def test_what_is_no_python_has_a_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    (tmp_path / "good.py").write_text(LOADER + "DataLoader(1)")

    facts = collected(tmp_path)

    (skipped,) = facts.skipped
    assert skipped.path == "bad.py"
    assert reason in skipped.reason
    assert len(facts.loaders) == 1


def test_bytes_are_read_as_python_reads_them(tmp_path: Path) -> None:
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbf" + LOADER.encode() + b"DataLoader(1)")
    (tmp_path / "latin.py").write_bytes(
        b"# coding: latin-1\n" + LOADER.encode() + b"x = '\xe9'\nDataLoader(1)"
    )

    assert len(collected(tmp_path).loaders) == 2


def test_files_without_a_trace_of_torch_are_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("x = (")
    (tmp_path / "train.py").write_text("import torch\nimport reading\n")
    (tmp_path / "reading.py").write_text("import csv\n")

    facts = collected(tmp_path)

    assert (facts.parsed, facts.skipped) == (2, ())


def test_a_notebook_counts_cells_and_lines(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "DataLoader"},
        {"cell_type": "code", "source": ["%matplotlib inline\n", LOADER]},
        {"cell_type": "code", "source": "this is no Python"},
        {"cell_type": "code", "source": "x = 1\nDataLoader(x)"},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))

    (loader,) = collected(tmp_path).loaders

    assert (loader.at.path, loader.at.cell, loader.at.line) == ("a.ipynb", 3, 2)


def test_strange_files_are_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "large.py").write_bytes(b"#" * (files.MAX_FILE_BYTES + 1))
    (tmp_path / "dead.py").symlink_to(tmp_path / "nowhere")

    facts = collected(tmp_path)

    assert {one.path: one.reason for one in facts.skipped} == {
        "pipe.py": "not a regular file",
        "large.py": "larger than 1 MiB",
        "dead.py": "No such file or directory",
    }


def test_nothing_is_run(tmp_path: Path) -> None:
    trap = f"import torch\nopen({str(tmp_path / 'sprung')!r}, 'w')\n"
    for name in ("setup.py", "conftest.py", "sitecustomize.py", "__init__.py", "a.pth"):
        (tmp_path / name).write_text(trap)

    collected(tmp_path)

    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("name", "text", "torch", "python"),
    [
        ("requirements.txt", "torchvision==0.9\ntorch>=1.8.1\n", "1.8.1", ""),
        ("pyproject.toml", 'requires-python = ">=3.9"\n"torch>=2.1"', "2.1", "3.9"),
        ("README.md", "Needs PyTorch 1.6 or so", "1.6", ""),
        ("setup.py", "python_requires='>=3.8'", "", "3.8"),
    ],
)
def test_the_least_versions_of_a_project(
    tmp_path: Path, name: str, text: str, torch: str, python: str
) -> None:
    (tmp_path / name).write_text(text)

    facts = collected(tmp_path)

    assert (facts.torch.version if facts.torch else "") == torch
    assert (facts.python.version if facts.python else "") == python


def test_paths_are_relative_to_here_or_to_the_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.py").write_text(LOADER + "DataLoader(1)")
    monkeypatch.chdir(tmp_path)
    near = collected("here").loaders[0].at.path
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    far = collected(tmp_path / "here").loaders[0].at.path
    one = collected(tmp_path / "here" / "a.py").loaders[0].at.path

    assert (near, far, one) == ("here/a.py", "a.py", "a.py")


def test_a_deep_tree_is_a_reason_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = " + "+".join("1" * 3000))

    facts = collected(tmp_path)

    assert facts.parsed + len(facts.skipped) == 1
