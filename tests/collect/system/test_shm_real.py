"""/dev/shm as this machine and mount namespaces of ours really have it."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.shm import shm
from pipedoctor.facts import Shm
from pipedoctor.units import MiB


def inside(*script: tuple[str, ...]) -> Shm:
    """Look at this machine after these commands in a mount namespace."""
    code = (
        "import msgspec; from pipedoctor.collect.machine import Machine;"
        "from pipedoctor.collect.system.shm import shm;"
        "print(msgspec.json.encode(shm(Machine(), lambda _: None)).decode())"
    )
    steps = (*script, ("exec", sys.executable, "-c", code))
    line = " && ".join(map(shlex.join, steps))
    ran = subprocess.run(
        ["unshare", "-m", "sh", "-c", line], check=True, capture_output=True, text=True
    )
    record = json.loads(ran.stdout)
    record.pop("segments")
    return Shm(**record)


@pytest.mark.root
def test_a_real_tmpfs() -> None:
    mount = ("mount", "-t", "tmpfs", "-o", "size=64m", "shm", "/dev/shm")
    fill = ("head", "-c", "1048576", "/dev/zero")
    seen = inside(mount, ("sh", "-c", f"{shlex.join(fill)} > /dev/shm/x"))

    assert seen.size == 64 * MiB
    assert seen.used == 1 * MiB
    assert seen.available == 63 * MiB
    assert seen.usable_bytes == 63 * MiB
    assert (seen.mounted, seen.fstype, seen.read_only) == (True, "tmpfs", False)


@pytest.mark.root
def test_that_of_a_running_process_with_other_mounts() -> None:
    script = "mount -t tmpfs -o size=64m shm /dev/shm && echo ready && cat"
    with subprocess.Popen(
        ["unshare", "-m", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as job:
        assert job.stdout
        assert job.stdout.readline() == "ready\n"
        seen = shm(Machine(pid=job.pid), lambda _: None)
        job.communicate("")

    assert seen.size == 64 * MiB
    assert (seen.mounted, seen.here, seen.remountable) == (True, False, False)


@pytest.mark.root
def test_a_real_tmpfs_without_limit() -> None:
    seen = inside(("mount", "-t", "tmpfs", "-o", "size=0", "shm", "/dev/shm"))

    assert seen.unlimited


@pytest.mark.root
def test_a_real_read_only_one() -> None:
    seen = inside(("mount", "-t", "tmpfs", "-o", "ro,size=1m", "shm", "/dev/shm"))

    assert seen.read_only


def test_this_machine() -> None:
    if sys.platform != "linux":
        pytest.skip("there is no /dev/shm")
    seen = shm(Machine(), lambda _: None)

    assert seen.missing or seen.size == os.statvfs("/dev/shm").f_blocks * 4096
