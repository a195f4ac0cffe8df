"""Options that say how code is read."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result
from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]
CODE = "import torch\nfrom torch.utils.data import DataLoader\nDataLoader([1])\n"


def _source(result: Result) -> dict[str, Any]:
    assert result.exit_code in {0, 1}, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    found: dict[str, Any] = report["facts"]["known"]["source"]
    return found


def _check(run: Run, *options: str) -> dict[str, Any]:
    return _source(run("check", "code", "--quick", "--format", "json", *options))


def _code() -> None:
    for name in ("one", "two"):
        folder = Path("code") / name
        folder.mkdir(parents=True)
        (folder / "setup.py").touch()
        (folder / "train.py").write_text(CODE)
    Path("code/.gitignore").write_text("two/\n")


def test_a_second_run_takes_what_the_first_found(run: Run) -> None:
    _code()
    first = _check(run, "--cache-dir", "cache")
    entries = list(Path("cache").iterdir())
    assert len(entries) == 1
    assert _check(run, "--cache-dir", "cache", "--jobs", "2") == first
    assert _check(run, "--cache-dir", "elsewhere", "--no-cache") == first
    assert not Path("elsewhere").exists()


def test_what_git_ignores_is_read_if_asked_for(run: Run) -> None:
    _code()
    plain = _check(run, "--no-cache")
    every = _check(run, "--no-cache", "--no-gitignore", "-j", "2")
    assert [one["at"]["path"] for one in plain["loaders"]] == ["code/one/train.py"]
    assert [one["at"]["path"] for one in every["loaders"]] == [
        "code/one/train.py",
        "code/two/train.py",
    ]


def test_a_file_says_how_code_is_read(run: Run) -> None:
    _code()
    Path("pipedoctor.toml").write_text('cache-dir = "kept"\njobs = 2\nno-gitignore = true\n')
    assert len(_check(run)["loaders"]) == 2
    assert not Path("kept").exists(), "a file that was only found names no folder to write to"
    assert len(_check(run, "--config", "pipedoctor.toml")["loaders"]) == 2
    assert len(list(Path("kept").iterdir())) == 2


def test_no_process_is_too_few(run: Run) -> None:
    result = run("check", "--jobs", "0")
    assert result.exit_code == 2
    assert "--jobs" in result.stderr


BROKEN = "import torch\ndef f(:\n"
HAZARDS = ("--quick", "--no-cache", "--select", "PDR1,PDR2")


def test_code_that_cannot_be_read_is_not_healthy(run: Run) -> None:
    Path("train.py").write_text(BROKEN)

    result = run("check", "train.py", *HAZARDS, "--format", "json")

    report = json.loads(result.stdout)
    assert result.exit_code == 3
    assert report["healthy"] == []
    reasons = {one["reason"] for one in report["skipped"]} - {"not selected"}
    assert reasons == {"source: train.py: line 2: invalid syntax"}
    assert report["facts"]["known"]["source"]["parsed"] == 0


def test_what_could_be_read_beside_it_is_judged(run: Run) -> None:
    Path("train.py").write_text(BROKEN)
    Path("eval.py").write_text(CODE)

    result = run("check", ".", *HAZARDS)

    assert result.exit_code == 0
    assert re.search(r"^\d\d healthy", result.stdout, re.MULTILINE)
    told = "1 file of code was not read: train.py: line 2: invalid syntax.\n"
    assert told in result.stdout


def test_code_without_torch_is_healthy_and_said_to_be_none(
    run: Run, snapshot: SnapshotAssertion
) -> None:
    Path("words.py").write_text("print(1)\n")

    result = run("check", "words.py", "--quick", "--no-cache", "--select", "PDR101,PDR102")

    assert result.exit_code == 0
    assert result.stdout == snapshot
