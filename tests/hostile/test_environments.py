"""An environment in which files are pipes, devices or gigabytes loses that file alone."""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import environments
from tests.hostile.environments import (
    METADATA_FILES,
    Spoil,
    fill_lines,
    link_to_itself,
    link_zeros,
    make_environment,
    make_folder,
    make_pipe,
    make_sparse,
    spoil_all,
)

MAX_CPU_SECONDS = 6.0
"""Of processor time, where an empty environment takes one."""
MEMORY = 1 << 30
"""Bytes of address space that each process may take, where an empty run takes 400 MB."""
SPOILS = (make_pipe, link_zeros, make_sparse, link_to_itself, make_folder, fill_lines)
OFTEN = (make_pipe, link_zeros)
RARE = tuple(
    pytest.param(spoil, marks=pytest.mark.extended) for spoil in SPOILS if spoil not in OFTEN
)


def examine(environment: Path, cwd: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    """The JSON report, of a process that may take so much memory and time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pipedoctor", "check", "--no-config"),
            *("--env", str(environment), "--format", "json", "--fail-on", "never"),
            *("--deadline", "40", "--verify-files"),
        ],
        cwd=cwd,
        env=dict(environ),
        capture_output=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MAX_CPU_SECONDS
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def check_sections(report: dict[str, Any]) -> None:
    """No section is lost to a file that nobody could read."""
    facts: dict[str, Any] = report["facts"]
    assert {"interpreter", "packages"} <= set(facts["known"])
    lost = [why for why in facts["unknown"].values() if "crashed" in why or "answer" in why]
    assert not lost
    names = {package["name"] for package in facts["known"]["packages"]["entries"]}
    assert "numpy" in names, "whose files are fine"


@pytest.mark.parametrize("spoil", [*OFTEN, *RARE], ids=lambda spoil: spoil.__name__)
def test_all_at_once(
    tmp_path: Path, project: Path, environ: Mapping[str, str], spoil: Spoil
) -> None:
    folder = spoil_all(make_environment(tmp_path / "bad"), spoil)

    check_sections(examine(folder, project, environ))

    environments.remove(folder)


@pytest.mark.extended
@pytest.mark.parametrize("name", METADATA_FILES)
@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
def test_one_by_one(
    tmp_path: Path, project: Path, environ: Mapping[str, str], spoil: Spoil, name: str
) -> None:
    folder = make_environment(tmp_path / "bad")
    spoil(folder / name)

    check_sections(examine(folder, project, environ))

    environments.remove(folder)
