"""Code from stdin, and code that is left out by name."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]
CODE = b"""\
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        print(index)
        return index


loader = DataLoader(Images(), num_workers=2)
"""
ARGS = ("check", "--quick", "--select", "print-in-item", "--format", "json")


def paths(result: Result) -> list[str]:
    assert result.exit_code in (0, 1), result.output
    report: dict[str, Any] = json.loads(result.stdout)
    places = ([found["location"], *found["also_at"]] for found in report["findings"])
    return [place["path"] for place in itertools.chain.from_iterable(places)]


def refused(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.removeprefix("pipedoctor check: ").strip()


def test_stdin_is_judged(run: Run) -> None:
    assert paths(run(*ARGS, "-", stdin=CODE)) == ["<stdin>"]


def test_it_has_the_name_that_it_is_given(run: Run) -> None:
    name = ("--stdin-filename", "src/train.py")

    assert paths(run(*ARGS, *name, "-", stdin=CODE)) == ["src/train.py"]
    assert not Path("src").exists()


def test_beside_other_paths(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(CODE)
    both = run(*ARGS, "a.py", "-", "--stdin-filename", "b.py", stdin=CODE)

    assert sorted(paths(both)) == ["a.py", "b.py"]


def test_a_notebook_may_come_that_way(run: Run) -> None:
    book = {"cells": [{"cell_type": "code", "source": CODE.decode()}]}
    name = ("--stdin-filename", "x.ipynb")

    assert paths(run(*ARGS, *name, "-", stdin=json.dumps(book).encode())) == ["x.ipynb#cell1"]


def test_the_job_is_read_from_it_as_well(run: Run) -> None:
    args = ("check", "--quick", "--format", "json", "--fail-on", "never", "-")
    report = json.loads(run(*args, stdin=CODE).stdout)

    assert report["facts"]["known"]["loader"]["num_workers"] == 2


@pytest.mark.parametrize("data", [b"", b"x = (", b"\xff\x00", b"# coding: nope\n"])
def test_what_is_no_code_has_no_findings(run: Run, data: bytes) -> None:
    assert paths(run(*ARGS, "-", stdin=data)) == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--stdin-filename", "x.py", "."),
            "--stdin-filename requires `-` in PATHS",
        ),
        (
            ("--from", "-", "-"),
            "--from judges a saved report: it cannot be combined with PATHS",
        ),
    ],
)
def test_mistakes(run: Run, args: tuple[str, ...], message: str) -> None:
    assert refused(run("check", "--quick", *args, stdin=CODE)) == message


def test_more_than_a_script_is_refused(run: Run, snapshot: SnapshotAssertion) -> None:
    assert refused(run(*ARGS, "-", stdin=b"#" * ((1 << 20) + 1))) == snapshot


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.py", "gen/b.py", "gen/deep/c.py", "lib/gen/d.py", "build/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(CODE)
    return tmp_path


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("args", "left"),
    [
        ((), ["a.py", "gen/b.py", "gen/deep/c.py", "lib/gen/d.py"]),
        (("--extend-exclude", "gen/*,**/deep"), ["a.py", "lib/gen/d.py"]),
        (("--exclude", "gen"), ["a.py", "build/e.py"]),
        (("--exclude", "gen", "--extend-exclude", "b*"), ["a.py"]),
        pytest.param(("--extend-exclude", "gen"), ["a.py"], marks=pytest.mark.extended),
        pytest.param(
            ("--extend-exclude", "**/gen/d.py"),
            ["a.py", "gen/b.py", "gen/deep/c.py"],
            marks=pytest.mark.extended,
        ),
        pytest.param(
            ("--extend-exclude", "a.py,deep"),
            ["gen/b.py", "lib/gen/d.py"],
            marks=pytest.mark.extended,
        ),
    ],
)
def test_excludes(run: Run, args: tuple[str, ...], left: list[str]) -> None:
    assert sorted(paths(run(*ARGS, ".", *args))) == left


@pytest.mark.usefixtures("tree")
def test_what_is_named_is_never_excluded(run: Run) -> None:
    assert sorted(paths(run(*ARGS, "gen", "a.py", "--exclude", "gen,a.py"))) == [
        "a.py",
        "gen/b.py",
        "gen/deep/c.py",
    ]


def test_excludes_may_stand_in_a_configuration(run: Run, tree: Path) -> None:
    (tree / "pipedoctor.toml").write_text('extend-exclude = ["gen", "lib"]')

    assert paths(run(*ARGS, ".")) == ["a.py"]
