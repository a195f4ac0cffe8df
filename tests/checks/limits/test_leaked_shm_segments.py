"""PDR702 names what dead processes left in /dev/shm, and removes nothing else."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Segment, Shm
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.limits.leaked_shm_segments import leaked_shm_segments

DEAD = Segment(
    path="/dev/shm/torch_4711_1_0",
    size=1 * GiB,
    uid=1000,
    pid=4711,
    owner_alive=False,
    held=False,
)
NAMELESS = replace(DEAD, path="/dev/shm/psm_1", pid=None, owner_alive=None)


def shm(*segments: Segment, **more: Any) -> Shm:
    return Shm(size=10 * GiB, segments=segments, **more)


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(shm(), id="nothing there"),
        pytest.param(shm(replace(DEAD, owner_alive=True)), id="its process lives"),
        pytest.param(shm(replace(DEAD, held=True)), id="another process holds it"),
        pytest.param(shm(replace(NAMELESS, held=True)), id="somebody holds it"),
        pytest.param(shm(replace(NAMELESS, size=1 * GiB - 1)), id="little that may be leaked"),
        pytest.param(shm(replace(DEAD, size=1 * GiB - 1, held=None)), id="little, holders hidden"),
        pytest.param(
            shm(replace(DEAD, size=1 * GiB - 1), shared_with_host=True),
            id="little, and others put files there",
        ),
        pytest.param(
            shm(replace(DEAD, size=1 * GiB - 1), here=False),
            id="little, and not the one we see",
        ),
    ],
)
def test_silent(machine: Shm) -> None:
    assert leaked_shm_segments(machine) == []


def test_a_tenth_is_a_risk() -> None:
    (finding,) = leaked_shm_segments(shm(DEAD))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        "1 segment of dead processes holds 1.0 GiB of the 10.0 GiB of /dev/shm"
    )
    assert finding.evidence == {
        "shm.size": 10 * GiB,
        "segments": 1,
        "bytes": 1 * GiB,
    }


def test_less_is_a_note() -> None:
    little = shm(replace(DEAD, size=1 * GiB - 1))

    assert leaked_shm_segments(little)[0].severity is Severity.NOTE
    assert leaked_shm_segments(little, share=0.05)[0].severity is Severity.RISKS


def test_the_remedy_removes_exactly_what_is_dead(snapshot: SnapshotAssertion) -> None:
    other = replace(DEAD, path="/dev/shm/torch_4712_1_0", pid=4712)
    living = replace(DEAD, path="/dev/shm/torch_1_1_0", pid=1, owner_alive=True)
    held = replace(DEAD, path="/dev/shm/torch_4713_1_0", held=True)

    (finding,) = leaked_shm_segments(shm(DEAD, living, NAMELESS, held, other))[:1]
    (remedy,) = finding.remedies

    assert finding.summary == snapshot
    assert remedy.removes == (DEAD.path, other.path)
    assert remedy.automatic
    assert remedy.shell == f"sudo rm -f -- {DEAD.path} {other.path}"
    assert remedy.title == snapshot


UNSEEN = replace(DEAD, held=None)
OTHERS = ": cannot tell, for processes of other containers put files there, too"
APART = ": cannot tell, for it is that of other processes than are seen here"
HIDDEN = ": cannot tell, for not all processes can be seen"


@pytest.mark.parametrize(
    ("machine", "blind"),
    [
        pytest.param(shm(NAMELESS), "", id="no process named"),
        pytest.param(shm(replace(DEAD, owner_alive=None)), "", id="another namespace"),
        pytest.param(shm(DEAD, shared_with_host=True), OTHERS, id="shared with others"),
        pytest.param(shm(UNSEEN, shared_with_host=True), OTHERS, id="shared, unseen"),
        pytest.param(shm(DEAD, here=False), APART, id="of a process apart"),
        pytest.param(shm(UNSEEN), HIDDEN, id="hidden"),
    ],
)
def test_where_others_may_own_them_it_is_advice_only(
    machine: Shm, blind: str, snapshot: SnapshotAssertion
) -> None:
    (finding,) = leaked_shm_segments(machine)
    (remedy,) = finding.remedies

    assert finding.summary == snapshot
    assert finding.severity is (Severity.NOTE if blind else Severity.RISKS)
    assert finding.evidence["bytes"] == 1 * GiB
    assert (remedy.advice, remedy.automatic) == (True, False)
    assert remedy.removes == ()
    (segment,) = machine.segments
    assert remedy.shell == f"sudo fuser --verbose {segment.path}"


def test_unheld_is_likely_unseen_is_only_possible() -> None:
    (likely,) = leaked_shm_segments(shm(NAMELESS))
    (possible,) = leaked_shm_segments(shm(NAMELESS, replace(NAMELESS, held=None)))

    assert (likely.severity, likely.confidence) == (Severity.RISKS, Confidence.LIKELY)
    assert possible.severity is Severity.NOTE
    assert possible.confidence is Confidence.POSSIBLE


def test_advice_names_no_more_than_one_can_read(snapshot: SnapshotAssertion) -> None:
    many = [replace(NAMELESS, path=f"/dev/shm/psm_{n}") for n in range(17)]

    (finding,) = leaked_shm_segments(shm(*many))

    assert finding.summary == snapshot
    assert finding.remedies[0].argv == (
        "fuser",
        "--verbose",
        *(one.path for one in many[:16]),
    )


def test_both_kinds_are_two_findings() -> None:
    assert len(leaked_shm_segments(shm(DEAD, NAMELESS))) == 2


def test_unknown_shm_is_not_health() -> None:
    verdict = leaked_shm_segments.run(Facts(unknown={"shm": "only on Linux"}))

    assert verdict.skipped == "shm: only on Linux"


def test_judges_another_machine_from_its_record() -> None:
    machine = shm(DEAD, NAMELESS)
    record = json.dumps(Facts(machine).to_record())

    verdict = leaked_shm_segments.run(Facts.from_record(json.loads(record)))

    assert verdict.findings == tuple(leaked_shm_segments(machine))


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
from pipedoctor.collect import shm_segments
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.shm import shm
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


def test_the_shell_line_is_safe_to_paste() -> None:
    odd = replace(DEAD, path="/dev/shm/torch_1_$(reboot)")
    (finding,) = leaked_shm_segments(shm(odd))

    assert shlex.split(finding.remedies[0].shell)[-1] == odd.path
