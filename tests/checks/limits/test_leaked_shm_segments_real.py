"""Segments of dead processes on the real machine: the remedy removes them and no others."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Shm
from pipedoctor.units import MiB
from pipedoctor_checks.limits.leaked_shm_segments import leaked_shm_segments

LEAVE = """
import os, signal, sys, torch, torch.multiprocessing as mp
mp.set_sharing_strategy("file_system")
kept = torch.zeros({size}, dtype=torch.uint8).share_memory_()
print(os.getpid(), flush=True)
{end}
"""
KILL_ALL = """
children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
for child in children:
    os.kill(int(child), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""
KILLED = LEAVE.format(size=MiB, end=KILL_ALL)
"""A scheduler kills a job's torch_shm_manager too, which would have cleaned up."""
ALIVE = LEAVE.format(size=MiB, end="sys.stdin.read()")
HOLD = """
import mmap, os, sys
(name,) = [name for name in os.listdir("/dev/shm") if name.startswith("torch_")]
file = open("/dev/shm/" + name, "r+b")
held = {how}
print(name, flush=True)
sys.stdin.read()
"""
LOOK = """
import msgspec
from pipedoctor.collect.system import shm_segments
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.shm import shm
# this machine may be busy with tests
shm_segments.SCAN_TIMEOUT = shm_segments.SLEEPER_TIMEOUT = 50.0
print(msgspec.json.encode(shm(Machine(), lambda _: None)).decode())
"""


class Ward:
    """A mount namespace with a /dev/shm of its own, kept open by a shell."""

    def __init__(self) -> None:
        self.jobs: list[subprocess.Popen[str]] = []
        ill = "mount -t tmpfs -o size=4m tmpfs /dev/shm && echo ready && cat"
        self.shell = self.start("unshare", "-m", "sh", "-c", ill)
        assert first_line(self.shell) == "ready\n"

    def start(self, *argv: str) -> "subprocess.Popen[str]":
        ways = subprocess.PIPE
        self.jobs.append(subprocess.Popen(argv, stdin=ways, stdout=ways, text=True))
        return self.jobs[-1]

    def enter(self, code: str) -> "subprocess.Popen[str]":
        namespace = f"--mount=/proc/{self.shell.pid}/ns/mnt"
        return self.start("nsenter", namespace, sys.executable, "-c", code)

    def run(self, code: str) -> str:
        return self.enter(code).communicate()[0]

    def look(self) -> Shm:
        return msgspec.json.decode(self.run(LOOK), type=Shm)

    def leave_one(self) -> str:
        """Put a file there under the name of a process that is dead; its path."""
        dead = self.start("true")
        dead.communicate()
        path = f"/dev/shm/torch_{dead.pid}_1_0"
        self.run(f"open({path!r}, 'wb').write(bytes({MiB}))")
        return path

    def close(self) -> None:
        for job in reversed(self.jobs):
            if not (job.stdin and job.stdin.closed):
                job.communicate("")


@pytest.fixture
def ward() -> Iterator[Ward]:
    made = Ward()
    yield made
    made.close()


def first_line(job: "subprocess.Popen[str]") -> str:
    assert job.stdout
    return job.stdout.readline()


def all_are_visible() -> bool:
    return os.path.realpath("/proc/self/ns/pid").endswith("pid:[4026531836]")


real = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.skipif(not all_are_visible(), reason="not the initial PID namespace"),
]


class TestReal:
    """Made for real, in a mount namespace of its own."""

    pytestmark = real

    @pytest.mark.extended
    def test_a_killed_worker_leaks_and_the_remedy_frees_it(self, ward: Ward) -> None:
        pytest.importorskip("torch")
        killed = ward.enter(KILLED)
        pid = first_line(killed).strip()
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL
        living = ward.enter(ALIVE)
        first_line(living)

        (finding,) = leaked_shm_segments(ward.look())
        (remedy,) = finding.remedies
        assert finding.severity is Severity.RISKS
        assert [path.split("_")[1] for path in remedy.removes] == [pid]

        line = remedy.shell.split()[1:]
        ward.run(f"import subprocess; subprocess.run({line}, check=True)")
        after = ward.look()
        assert leaked_shm_segments(after) == []
        assert [segment.owner_alive for segment in after.segments] == [True]

    @pytest.mark.parametrize("how", ["mmap.mmap(file.fileno(), 0); file.close()", "file"])
    def test_what_a_living_process_holds_is_never_listed(self, ward: Ward, how: str) -> None:
        path = ward.leave_one()
        assert leaked_shm_segments(ward.look())[0].remedies[0].removes == (path,)

        holder = ward.enter(HOLD.format(how=how))
        assert first_line(holder)
        assert leaked_shm_segments(ward.look()) == []

        holder.communicate("")
        assert leaked_shm_segments(ward.look())[0].remedies[0].removes == (path,)

    def test_where_another_namespace_shares_it_nothing_is_removed(self, ward: Ward) -> None:
        ward.leave_one()
        argv = ["unshare", "-pf", "--mount-proc", "sh", "-c", "echo inside && cat"]
        stranger = ward.enter(f"import subprocess; subprocess.run({argv}, check=True)")
        assert first_line(stranger) == "inside\n"

        seen = ward.look()
        assert seen.shared_with_host
        assert not any(f.remedies[0].automatic for f in leaked_shm_segments(seen))

        stranger.communicate("")
        assert not ward.look().shared_with_host
