"""Run the program in this process, or as a real one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec
import pytest
from click.testing import CliRunner, Result

from pipedoctor.cli import main
from pipedoctor.facts import Fact, Facts, Interpreter, Loader, Shm, Site

Run = Callable[..., Result]
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration file of ours above the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.with_name("cache")))


@pytest.fixture
def run() -> Run:
    def run(*args: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, args, prog_name="pipedoctor", input=stdin)

    return run


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def start(
        *args: str,
        env: dict[str, str] | None = None,
        stdout: int | IO[bytes] = subprocess.PIPE,
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "pipedoctor", *args],
            check=False,
            cwd=tmp_path,
            env=os.environ | (env or {}),
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=60,
        )

    return start


@pytest.fixture
def record(tmp_path: Path) -> str:
    """A report of a container with 64 MiB of /dev/shm and a job that needs 2.3 GiB."""
    return stored(tmp_path / "record.json", shm=64 << 20)


@pytest.fixture
def sound(tmp_path: Path) -> str:
    """The machine of `record`, with room in /dev/shm; its user is carol."""
    python = Interpreter(version="3.12.1", prefix="/home/carol/venv")
    return stored(tmp_path / "sound.json", python, shm=8 << 30)


def stored(path: Path, *more: Fact, shm: int) -> str:
    """Write a report of a container, with its /dev/shm so large; its name."""
    facts = Facts(
        Site(system="linux", container="docker", distribution="Debian 12"),
        Shm(size=shm),
        Loader(num_workers=8, batch_bytes=128 << 20),
        *more,
        unknown={"gpu": "no driver of carol@nas01"},
    )
    report = {
        "schema": "pipedoctor.report/1",
        "created": "2026-01-01T00:00:00Z",
        "facts": facts.to_record(),
    }
    path.write_bytes(msgspec.json.encode(report))
    return str(path)


def complaint(result: Result) -> str:
    """The one line on stderr of a run that was refused."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("pipedoctor check: ").removesuffix("\n")
