"""PDR705 speaks when inotify's limits are used up, or nearly."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.limits import limits as collected
from pipedoctor.facts import Facts, Limits, Rlimit, Site
from pipedoctor_checks.limits.inotify_limit import inotify_limit

BARE = Site(system="linux")
FILES = Rlimit(soft=1024, hard=1024)


def seen(
    watches: tuple[int | None, int | None], instances: tuple[int | None, int | None]
) -> Limits:
    return Limits(
        nofile=FILES,
        inotify_watches_used=watches[0],
        inotify_watches=watches[1],
        inotify_instances_used=instances[0],
        inotify_instances=instances[1],
    )


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(seen((0, 8192), (0, 128)), id="nothing watched"),
        pytest.param(seen((899, 1000), (89, 100)), id="just below"),
        pytest.param(seen((None, 1000), (89, 100)), id="watches not known"),
        pytest.param(seen((899, 1000), (1, None)), id="instances not known"),
    ],
)
def test_silent(limits: Limits) -> None:
    assert inotify_limit(limits, BARE) == []


@pytest.mark.parametrize(
    ("limits", "severity", "summary"),
    [
        pytest.param(
            seen((900, 1000), (0, 128)),
            Severity.NOTE,
            (
                "900 of 1000 inotify watches are in use; at the limit, programs fail "
                "with 'No space left on device'"
            ),
            id="watches nearly used up",
        ),
        pytest.param(
            seen((1000, 1000), (0, 128)),
            Severity.RISKS,
            (
                "1000 of 1000 inotify watches are in use; at the limit, programs fail "
                "with 'No space left on device'"
            ),
            id="watches used up",
        ),
        pytest.param(
            seen((0, 1000), (128, 128)),
            Severity.RISKS,
            (
                "128 of 128 inotify instances are in use; at the limit, programs fail "
                "with 'Too many open files'"
            ),
            id="instances used up",
        ),
    ],
)
def test_speaks(limits: Limits, severity: Severity, summary: str) -> None:
    (finding,) = inotify_limit(limits, BARE)

    assert (finding.severity, finding.summary) == (severity, summary)


def test_evidence_and_remedy() -> None:
    (finding,) = inotify_limit(seen((900, 1000), (0, 128)), BARE)
    now, boot = finding.remedies

    assert finding.evidence == {
        "limits.inotify_watches": 1000,
        "limits.inotify_watches_used": 900,
    }
    assert now.shell == "sudo sysctl -w fs.inotify.max_user_watches=4000"
    assert now.undo == ("sysctl", "-w", "fs.inotify.max_user_watches=1000")
    assert now.automatic
    assert boot.snippet == (
        "# /etc/sysctl.d/90-pipedoctor.conf\nfs.inotify.max_user_watches = 4000"
    )
    assert not boot.automatic


def test_in_a_container_the_host_sets_it(snapshot: SnapshotAssertion) -> None:
    docker = Site(system="linux", container="docker")

    (finding,) = inotify_limit(seen((900, 1000), (0, 128)), docker)
    (remedy,) = finding.remedies

    assert remedy.shell == "sudo sysctl -w fs.inotify.max_user_watches=4000"
    assert remedy.title == snapshot
    assert remedy.advice
    assert not remedy.automatic


def test_the_part_that_is_full_is_a_setting() -> None:
    assert inotify_limit(seen((900, 1000), (0, 128)), BARE, full=0.91) == []


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    verdict = inotify_limit.run(Facts(seen((None, 1000), (None, 128))))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(seen((900, 1000), (0, 128)), BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = inotify_limit.run(Facts.from_record(record))

    assert list(verdict.findings) == inotify_limit(seen((900, 1000), (0, 128)), BARE)


WATCHER = """
import ctypes, os, sys
os.setgroups([]); os.setgid(4243); os.setuid(4243)
libc = ctypes.CDLL(None, use_errno=True)
while libc.inotify_init() >= 0: pass
for line in sys.stdin:
    print(os.strerror(ctypes.get_errno()) if libc.inotify_init() < 0 else "watches")
    sys.stdout.flush()
"""
INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")


@pytest.mark.root
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    before = INSTANCES.read_text()
    if int(before) > 4096:
        pytest.skip(f"{before} instances would be too many to use up")
    with subprocess.Popen(
        [sys.executable, "-c", WATCHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as watcher:

        def attempt() -> str:
            assert watcher.stdin
            assert watcher.stdout
            watcher.stdin.write("now\n")
            watcher.stdin.flush()
            return watcher.stdout.readline().strip()

        try:
            assert attempt() == "Too many open files"
            ill = collected(Machine(pid=watcher.pid), lambda _: None)
            (finding,) = inotify_limit(ill, BARE)
            remedy = finding.remedies[0]
            subprocess.run(remedy.argv, check=True, capture_output=True)
            assert attempt() == "watches"
            subprocess.run(remedy.undo, check=True, capture_output=True)
            assert attempt() == "Too many open files"
        finally:
            INSTANCES.write_text(before)
            watcher.kill()
    assert finding.severity is Severity.RISKS
    assert ill.inotify_instances_used == int(before)


def test_a_limit_below_its_use_is_set_above_it() -> None:
    ill = Limits(nofile=FILES, inotify_watches=8, inotify_watches_used=60)

    (finding,) = inotify_limit(ill, BARE)

    assert finding.remedies[0].argv[-1] == "fs.inotify.max_user_watches=240"
