"""A corpus of what strangers may write, and the program that looks at it."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from pipedoctor.cli import main

STRANGER_ID = 54321
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root gives files away"
)


class Answer(NamedTuple):
    """What a run came to."""

    returncode: int
    stdout: str
    stderr: str


Doctor = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that only its owner can write, below folders of the same owner."""
    folder = tmp_path / "project"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    """A home of its own, and an environment whose interpreter ends at once."""
    home = tmp_path / "home"
    home.mkdir()
    program = tmp_path / "environment/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "VIRTUAL_ENV": str(program.parents[1]),
    }


@pytest.fixture
def doctor(project: Path, environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """Run a command in the project, in this process; it ends without a traceback."""
    monkeypatch.chdir(project)
    folders = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    for name in (*folders, "CONDA_PREFIX", "PYENV_VERSION"):  # pyenv sets that for what it starts
        monkeypatch.delenv(name, raising=False)

    def run(*args: str, **more: str) -> Answer:
        result = CliRunner().invoke(main, args, prog_name="pipedoctor", env={**environ, **more})
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def program(project: Path, environ: Mapping[str, str]) -> Doctor:
    """The same as a process of its own; it ends in time and without a traceback."""

    def run(*args: str, **more: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "pipedoctor", *args],
            check=False,
            cwd=project,
            env={**environ, **more},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=30,
        )
        assert "Traceback" not in done.stdout + done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    return run
