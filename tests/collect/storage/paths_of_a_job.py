"""Places of a job on a machine of the test's own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.collect.storage.paths import path
from pipedoctor.facts import PathFact

ROOT = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"


def machine(root: Path, mountinfo: str = ROOT) -> Machine:
    process = root / "proc" / "self"
    process.mkdir(parents=True, exist_ok=True)
    (process / "mountinfo").write_text(mountinfo)
    return Machine(root=root, environ={})


def look(there: Machine, name: str, role: str = "data") -> PathFact:
    return path(there, PathRequest(role=role, path=name, named_by="test"), lambda _: None)


def run_as_nobody(script: str) -> str:
    if os.geteuid():
        pytest.skip("only root may become somebody else")
    head = """
import os
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.storage.paths import path
from pipedoctor.collect.named_folders import PathRequest
def look(name):
    place = PathRequest(role="cache", path=name, named_by="")
    return path(Machine(environ={}), place, lambda _: None)
os.setgroups([]), os.setgid(54321), os.setuid(54321)
"""
    done = subprocess.run(
        [sys.executable, "-c", head + script], capture_output=True, check=True, cwd="/"
    )
    return done.stdout.decode().strip()
