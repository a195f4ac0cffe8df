"""`check --against FILE` compares the environment with a record of it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

Run = Callable[..., Result]

ONLY = ("--quick", "--select", "PDR865", "--format", "json", "--python", sys.executable)


def findings(result: Result) -> list[str]:
    return [finding["summary"] for finding in json.loads(result.stdout)["findings"]]


def test_it_differs(run: Run, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    record = tmp_path / "requirements.txt"
    record.write_text("pytest>=1\nclick<1\n")

    result = run("check", *ONLY, "--against", str(record), "--fail-on", "note")

    assert result.exit_code == 1
    (summary,) = findings(result)
    assert summary == snapshot


def test_it_is_as_recorded(run: Run, tmp_path: Path) -> None:
    record = tmp_path / "environment.yml"
    record.write_text("dependencies: [python>=3.10, pip: [pytest]]\n")

    result = run("check", *ONLY, "--against", str(record))

    assert result.exit_code == 0
    assert findings(result) == []


def test_files_that_a_requirements_file_names_belong_to_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    files = {
        "requirements.txt": "-r sub/base.txt\n-r https://example.org/x.txt\nclick\n",
        "sub/base.txt": "--requirement=../requirements.txt\n  -r more.txt\nmsgspec<0\n",
        "sub/more.txt": "absent-here==1\n-c ../nowhere.txt\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    result = run("check", *ONLY, "--against", str(tmp_path / "requirements.txt"))

    (finding,) = json.loads(result.stdout)["findings"]
    assert list(finding["evidence"]["differs"]) == ["absent-here", "msgspec"]
    assert finding["summary"].startswith("2 of 3 packages")


@pytest.mark.extended
def test_requirements_without_end(run: Run, tmp_path: Path) -> None:
    for number in range(60):
        name = f"requirements{number or ''}.txt"
        (tmp_path / name).write_text(f"-r requirements{number + 1}.txt\n")

    result = run("check", *ONLY, "--against", str(tmp_path / "requirements.txt"))

    assert result.exit_code == 2
    assert "it includes more than 50 files" in result.stderr


def test_without_a_record_nothing_is_compared(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("check", *ONLY)

    (skipped,) = (
        entry for entry in json.loads(result.stdout)["skipped"] if entry["code"] == "PDR865"
    )
    assert skipped["reason"] == snapshot


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.txt", b"x", "expected requirements*.txt, environment.yml, pylock"),
        ("pixi.lock", b"x", "expected requirements*.txt, environment.yml, pylock"),
        ("poetry.lock", b"x", "cannot be read: no poetry.lock file: "),
        ("requirements.txt", b"-r absent.txt", "its line -r absent.txt: No such file"),
        ("requirements.txt", None, "cannot be read: No such file or directory"),
        (
            "requirements.txt",
            b"a b c",
            "no requirements file: line 1 is not a requirement",
        ),
        ("uv.lock", b"\xff", "cannot be read: not UTF-8 at byte 0"),
        ("environment.yml", b"[", "no environment.yml file: while parsing"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(
    run: Run, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)

    result = run("check", *ONLY, "--against", str(tmp_path / name))

    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_record_of_another_machine_has_no_environment(
    run: Run, record: str, snapshot: SnapshotAssertion
) -> None:
    result = run("check", "--from", record, "--against", "requirements.txt")

    assert result.exit_code == 2
    assert result.stderr == snapshot


def test_a_file_beyond_all_measure(run: Run, tmp_path: Path) -> None:
    record = tmp_path / "requirements.txt"
    with record.open("wb") as file:
        file.truncate((32 << 20) + 1)

    result = run("check", *ONLY, "--against", str(record))

    assert result.exit_code == 2
    assert "larger than 32 MiB" in result.stderr
