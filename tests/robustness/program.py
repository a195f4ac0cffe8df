"""The program on an odd machine: it ends in time, without a traceback, and judges."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from pipedoctor.engine.catalogue import get_catalogue

CODES = set(get_catalogue().checks)
DOCTOR = (sys.executable, "-m", "pipedoctor")
ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/root", "LANG": "C.UTF-8"}


def doctor(
    *options: str,
    prefix: Sequence[str] = (),
    environ: Mapping[str, str] = ENVIRON,
    cwd: Path | str = "/",
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program; whatever happens, it ends in time and without a traceback."""
    command = [*prefix, *DOCTOR, "check", "--no-config", *options]
    done = subprocess.run(
        command,
        env=dict(environ),
        check=False,
        cwd=cwd,
        timeout=60,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )
    for stream in (done.stdout, done.stderr):
        assert b"Traceback" not in (stream or b"")
    return done


def report(*options: str, **how: Any) -> dict[str, Any]:
    """The report in JSON; every check is in it once, and some could judge."""
    done = doctor("--quick", "--format", "json", "--fail-on", "never", *options, **how)
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = json.loads(done.stdout)
    found = {entry["code"] for entry in read["findings"]}
    skipped = [entry["code"] for entry in read["skipped"]]
    assert sorted([*found, *read["healthy"], *skipped]) == sorted(CODES)
    assert found or read["healthy"]
    assert not [s for s in read["skipped"] if s["reason"].startswith("crashed")]
    assert not [why for why in read["facts"]["unknown"].values() if "crashed" in why]
    return read
