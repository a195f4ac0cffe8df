"""PDR708 notes a low vm.max_map_count, and warns of a job that nears it."""

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
from pipedoctor_checks.limits.map_count_low import map_count_low

BARE = Site(system="linux")


def allowed(most: int | None, maps: int | None = None) -> Limits:
    pid = None if maps is None else 4711
    files = Rlimit(soft=1024, hard=1024)
    return Limits(nofile=files, pid=pid, max_map_count=most, maps=maps)


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(allowed(65530, 52423), id="the kernel's default"),
        pytest.param(allowed(1048576, 65530), id="more"),
        pytest.param(allowed(100000, 79999), id="job with room"),
    ],
)
def test_silent(limits: Limits) -> None:
    assert map_count_low(limits, BARE) == []


@pytest.mark.parametrize(
    ("limits", "severity", "summary"),
    [
        pytest.param(
            allowed(65529),
            Severity.NOTE,
            "65529 memory mappings are allowed per process; 65530 is usual",
            id="less than usual",
        ),
        pytest.param(
            allowed(100000, 80000),
            Severity.RISKS,
            "process 4711 has 80000 of 100000 memory mappings",
            id="job near the limit",
        ),
        pytest.param(
            allowed(100, 80),
            Severity.RISKS,
            "process 4711 has 80 of 100 memory mappings",
            id="both",
        ),
    ],
)
def test_speaks(limits: Limits, severity: Severity, summary: str) -> None:
    (finding,) = map_count_low(limits, BARE)

    assert (finding.severity, finding.summary) == (severity, summary)
    assert finding.evidence == {
        "limits.max_map_count": limits.max_map_count,
        "limits.maps": limits.maps,
    }


@pytest.mark.parametrize(("most", "after"), [(65529, 262120), (1000, 262120), (100000, 400000)])
def test_remedies(most: int, after: int) -> None:
    (finding,) = map_count_low(allowed(most, most), BARE)
    now, boot, copy = finding.remedies

    assert now.shell == f"sudo sysctl -w vm.max_map_count={after}"
    assert now.undo == ("sysctl", "-w", f"vm.max_map_count={most}")
    assert boot.snippet.endswith(f"vm.max_map_count = {after}")
    assert copy.snippet == "kept.append(x.clone())"


def test_thresholds_are_settings() -> None:
    assert map_count_low(allowed(65529, 9), BARE, usual=65529) == []
    assert map_count_low(allowed(100000, 80000), BARE, full=0.9) == []


@pytest.mark.parametrize("most", [65530, 1048576])
def test_no_job_no_verdict(most: int) -> None:
    verdict = map_count_low.run(Facts(allowed(most), BARE))

    assert "--pid" in verdict.skipped


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    verdict = map_count_low.run(Facts(allowed(None)))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(allowed(100, 80), BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = map_count_low.run(Facts.from_record(record))

    assert list(verdict.findings) == map_count_low(allowed(100, 80), BARE)


MAPPER = """
import mmap, sys
kept = []
def more(count):
    try:
        for number in range(count):
            flags = mmap.MAP_SHARED if number % 2 else mmap.MAP_PRIVATE
            kept.append(mmap.mmap(-1, 4096, flags | mmap.MAP_ANONYMOUS))
    except OSError as error: return str(error)
    return "mapped"
for line in sys.stdin: print(more(int(line)), flush=True)
"""
SETTING = Path("/proc/sys/vm/max_map_count")


@pytest.mark.root
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    before = SETTING.read_text()
    if int(before) > 100_000:
        pytest.skip(f"{before} mappings would be too many to use up")
    with subprocess.Popen(
        [sys.executable, "-c", MAPPER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as job:

        def mapping(count: int) -> str:
            assert job.stdin
            assert job.stdout
            job.stdin.write(f"{count}\n")
            job.stdin.flush()
            return job.stdout.readline().strip()

        try:
            assert mapping(int(before)) == "[Errno 12] Cannot allocate memory"
            ill = collected(Machine(pid=job.pid), lambda _: None)
            (finding,) = map_count_low(ill, BARE)
            remedy = finding.remedies[0]
            subprocess.run(remedy.argv, check=True, capture_output=True)
            assert mapping(100) == "mapped"
            subprocess.run(remedy.undo, check=True, capture_output=True)
            assert mapping(1) == "[Errno 12] Cannot allocate memory"
        finally:
            SETTING.write_text(before)
            job.kill()
    assert finding.severity is Severity.RISKS
