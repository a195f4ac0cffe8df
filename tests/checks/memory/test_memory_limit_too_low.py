"""PDR724 speaks when the job needs more memory than it may use."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Loader, Memory, MemoryLimit, Site
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.memory.memory_limit_too_low import memory_limit_too_low

BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
POD = Site(system="linux", container="kubernetes")
HOST = Memory(total=64 * GiB, available=32 * GiB)
SMALL = Loader(num_workers=2, prefetch_factor=2, batch_bytes=100 * MiB)  # 600 MiB


def group(limit: int, **more: Any) -> Memory:
    source = "/sys/fs/cgroup/train.service/memory.max"
    held = MemoryLimit(limit=limit, source=source, **more)
    return Memory(total=64 * GiB, available=32 * GiB, group=held)


@pytest.mark.parametrize(
    ("machine", "loader"),
    [
        pytest.param(HOST, None, id="a machine, no job"),
        pytest.param(HOST, SMALL, id="a machine with room"),
        pytest.param(HOST, Loader(batch_bytes=99 * GiB), id="workers not known"),
        pytest.param(group(4 * GiB, oom_kills=0), SMALL, id="a group with room"),
        pytest.param(group(311 * MiB), None, id="just enough for one worker"),
        pytest.param(group((600 + 2 * 146 + 165) * MiB), SMALL, id="exactly what is needed"),
        pytest.param(
            group(2 * GiB, used=2 * GiB, cache=GiB + 100 * MiB),
            SMALL,
            id="full of files that can be dropped",
        ),
        pytest.param(
            group(2 * GiB, used=2 * GiB),
            Loader(num_workers=2, batch_bytes=MiB, origin={"num_workers": "pid 4711"}),
            id="used by the running job itself",
        ),
    ],
)
def test_silent(machine: Memory, loader: Loader | None) -> None:
    assert memory_limit_too_low(machine, loader, BARE) == []


def test_batches_beyond_the_limit_break(snapshot: SnapshotAssertion) -> None:
    (finding,) = memory_limit_too_low(group(512 * MiB), SMALL, DOCKER)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == (
        "the batches in flight take 600.0 MiB; the control group may use 512.0 MiB"
    )
    assert finding.evidence == {
        "memory.limit": 512 * MiB,
        "memory.room": 512 * MiB,
        "memory.group.source": "/sys/fs/cgroup/train.service/memory.max",
        "memory.group.oom_kills": 0,
        "needed": (600 + 2 * 146 + 165) * MiB,
    }
    run, code = finding.remedies
    assert run.shell == "docker run --memory=2g"
    assert code.title == snapshot
    assert code.snippet == "DataLoader(..., num_workers=0)"


@pytest.mark.parametrize(
    ("machine", "severity"),
    [
        pytest.param(group(600 * MiB), Severity.RISKS, id="exactly the limit"),
        pytest.param(group(599 * MiB), Severity.BREAKS, id="one less, no swap"),
        pytest.param(
            Memory(
                total=500 * MiB,
                available=500 * MiB,
                swap_total=100 * MiB,
            ),
            Severity.RISKS,
            id="swap takes the rest",
        ),
        pytest.param(
            Memory(
                total=64 * GiB,
                available=32 * GiB,
                swap_total=GiB,
                group=MemoryLimit(limit=500 * MiB, swap=50 * MiB),
            ),
            Severity.BREAKS,
            id="the group may use little of the swap",
        ),
        pytest.param(
            Memory(
                total=64 * GiB,
                available=32 * GiB,
                swap_total=10 * MiB,
                group=MemoryLimit(limit=500 * MiB, swap=GiB),
            ),
            Severity.BREAKS,
            id="the group may use more swap than there is",
        ),
    ],
)
def test_what_is_fatal(machine: Memory, severity: Severity) -> None:
    (finding,) = memory_limit_too_low(machine, SMALL, BARE)

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("limit", "confidence"),
    [
        pytest.param(785 * MiB, Confidence.POSSIBLE, id="forked workers just fit"),
        pytest.param(784 * MiB, Confidence.LIKELY, id="not even forked ones fit"),
    ],
)
def test_confidence(limit: int, confidence: Confidence, snapshot: SnapshotAssertion) -> None:
    (finding,) = memory_limit_too_low(group(limit), SMALL, BARE)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is confidence
    assert finding.summary == snapshot


def test_little_is_left_on_the_machine(snapshot: SnapshotAssertion) -> None:
    busy = Memory(total=64 * GiB, available=200 * MiB)

    (finding,) = memory_limit_too_low(busy, None, DOCKER)

    assert finding.summary == snapshot
    assert finding.evidence["memory.group.source"] == ""
    (code,) = finding.remedies
    assert code.advice


def test_half_a_job_counts_as_one_worker() -> None:
    (finding,) = memory_limit_too_low(group(310 * MiB), Loader(batch_bytes=1), BARE)

    assert finding.evidence["needed"] == 311 * MiB


def test_every_rank_counts() -> None:
    loader = Loader(num_workers=2, batch_bytes=MiB, ranks=4)

    (finding,) = memory_limit_too_low(group(GiB), loader, BARE)

    assert finding.evidence["needed"] == (6 * 4 + 8 * 146 + 4 * 165) * MiB


def test_the_running_job_is_judged_by_its_limit(snapshot: SnapshotAssertion) -> None:
    origin = {"num_workers": "pid 4711"}
    loader = Loader(num_workers=8, batch_bytes=MiB, origin=origin)

    (finding,) = memory_limit_too_low(group(GiB), loader, BARE)

    assert finding.summary == snapshot


@pytest.mark.parametrize(
    ("kills", "said"),
    [
        pytest.param(1, "the kernel has killed 1 process here", id="one"),
        pytest.param(3, "the kernel has killed 3 processes here", id="three"),
    ],
)
def test_past_kills_are_a_risk(kills: int, said: str) -> None:
    (finding,) = memory_limit_too_low(group(4 * GiB, oom_kills=kills), None, POD)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == f"{said}; the control group may use 4.0 GiB"
    assert finding.remedies[0].shell == (
        "kubectl patch deployment TRAIN --patch "
        '\'{"spec":{"template":{"spec":{"containers":[{"name":"train",'
        '"resources":{"limits":{"memory":"5Gi"}}}]}}}}\''
    )


def test_the_remedy_leaves_a_quarter_more_than_needed() -> None:
    job = Loader(num_workers=8, batch_bytes=256 * MiB)  # 4608 + 8 * 146 + 165 MiB

    (finding,) = memory_limit_too_low(group(4 * GiB), job, DOCKER)

    assert finding.evidence["needed"] == 5941 * MiB
    assert finding.remedies[0].shell == "docker run --memory=8g"


def test_unit_of_systemd_is_advice() -> None:
    (finding,) = memory_limit_too_low(group(4 * GiB, oom_kills=1), None, BARE)

    unit = finding.remedies[0]
    assert unit.shell == "sudo systemctl set-property train.service MemoryMax=5G"
    assert not unit.automatic


@pytest.mark.parametrize(
    ("source", "total", "lines"),
    [
        ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", 64, ["sudo sh -c 'echo 8375M > {}'"]),
        ("/sys/fs/cgroup/x/memory.max", 64, ["sudo sh -c 'echo 8375M > {}'"]),
        ("/sys/fs/cgroup/x/memory.max", 4, []),
        ("read from a text", 64, []),
    ],
)
def test_a_group_without_a_unit_is_raised_where_no_smaller_job_fits(
    source: str, total: int, lines: list[str]
) -> None:
    held = MemoryLimit(limit=600 * MiB, used=0, source=source)
    machine = Memory(total=total * GiB, available=4 * GiB, group=held)
    job = Loader(num_workers=8, prefetch_factor=2, batch_bytes=19 * MiB, ranks=4)

    (finding,) = memory_limit_too_low(machine, job, BARE)

    shown = [remedy.shell for remedy in finding.remedies]
    assert shown == [line.format(source) for line in lines]


def test_assumptions_are_settings() -> None:
    box = group(GiB)

    assert memory_limit_too_low(box, SMALL, BARE)
    assert memory_limit_too_low(box, SMALL, BARE, worker_bytes=0) == []
    assert memory_limit_too_low(box, None, BARE, main_bytes=GiB)


def test_unknown_group_is_not_health() -> None:
    hidden = Memory(total=64 * GiB, available=32 * GiB, group_unknown="not mounted")

    assert memory_limit_too_low.run(Facts(hidden, SMALL)).skipped == "not mounted"


def test_unknown_group_does_not_hide_what_is_known(snapshot: SnapshotAssertion) -> None:
    hidden = Memory(total=GiB, available=GiB, group_unknown="not mounted")
    huge = Loader(num_workers=8, batch_bytes=GiB)

    (finding,) = memory_limit_too_low(hidden, huge, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot


def test_judges_another_machine_from_its_record() -> None:
    box = group(512 * MiB)
    record: dict[str, Any] = json.loads(json.dumps(Facts(box, SMALL).to_record()))

    verdict = memory_limit_too_low.run(Facts.from_record(record))

    assert verdict.findings == tuple(memory_limit_too_low(box, SMALL, None))
