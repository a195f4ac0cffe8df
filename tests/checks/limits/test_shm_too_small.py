"""PDR701 speaks up when the workers will overflow /dev/shm, and only then."""

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Place, Severity
from pipedoctor.engine.effects import predict_facts
from pipedoctor.facts import Facts, Loader, Memory, MemoryLimit, Shm
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.limits.shm_too_small import shm_too_small
from tests.checks.shm_samples import DOCKER, HOST, IMAGENET, IN_DOCKER, ROOMY, judge


def group(limit: int, swap: int | None = None) -> Memory:
    return replace(ROOMY, group=MemoryLimit(limit=limit, swap=swap))


def live(size: int, available: int, **more: Any) -> Shm:
    return Shm(size=size, available=available, **more)


@pytest.mark.parametrize(
    ("shm", "loader", "memory"),
    [
        pytest.param(Shm(size=16 * GiB), IMAGENET, ROOMY, id="room to spare"),
        pytest.param(Shm(size=2880 * MiB), IMAGENET, ROOMY, id="just enough"),
        pytest.param(Shm(size=2880 * MiB), IMAGENET, None, id="memory not known"),
        pytest.param(Shm(size=0, unlimited=True), IMAGENET, ROOMY, id="no limit"),
        pytest.param(Shm(size=0, unlimited=True), None, None, id="no limit, no job"),
        pytest.param(DOCKER, replace(IMAGENET, num_workers=0), ROOMY, id="no workers at all"),
        pytest.param(
            Shm(size=0, missing=True, fstype=""),
            Loader(num_workers=0),
            ROOMY,
            id="no /dev/shm and nobody who needs it",
        ),
        pytest.param(Shm(size=160 * MiB), None, ROOMY, id="four workers' small batches"),
        pytest.param(Shm(size=12 * GiB, remountable=True), None, ROOMY, id="healthy"),
        pytest.param(Shm(size=1056 * MiB), Loader(num_workers=32), ROOMY, id="many workers"),
        pytest.param(
            DOCKER,
            Loader(num_workers=1, prefetch_factor=1, batch_bytes=17 * MiB),
            ROOMY,
            id="a job that fits the container default",
        ),
        pytest.param(live(16 * GiB, 2880 * MiB), IMAGENET, ROOMY, id="full, but room enough"),
        pytest.param(
            live(16 * GiB, 0),
            replace(IMAGENET, origin={"num_workers": "pid 4711"}),
            ROOMY,
            id="filled by the running job itself",
        ),
        pytest.param(Shm(size=16 * GiB), IMAGENET, group(2304 * MiB), id="just within memory"),
        pytest.param(Shm(size=2 * GiB, fstype="devtmpfs"), None, None, id="devtmpfs"),
        pytest.param(Shm(size=2 * GiB, fstype=""), None, None, id="type not known"),
    ],
)
def test_silent(shm: Shm, loader: Loader | None, memory: Memory | None) -> None:
    assert judge(shm, loader, memory) == []


def test_docker_default_breaks() -> None:
    (finding,) = judge(DOCKER, IMAGENET, ROOMY, IN_DOCKER)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == "/dev/shm has 64.0 MiB, but the workers need 2.8 GiB"
    assert finding.evidence == {
        "shm.size": 64 * MiB,
        "needed": 2880 * MiB,
        "fits.num_workers": 0,
        "fits.batch_bytes": int(64 * MiB / 1.25 / 18),
    }


def test_the_largest_job_that_fits_is_named(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=1 * GiB), IMAGENET)

    assert finding.evidence["fits.num_workers"] == 2
    assert finding.remedies[-1].title == snapshot
    assert finding.remedies[-1].snippet == (
        "DataLoader(..., num_workers=2)  # and keep images uint8 until the GPU"
    )
    assert finding.remedies[-1].place is Place.CODE
    smaller = replace(IMAGENET, num_workers=2)
    assert judge(Shm(size=1 * GiB), smaller) == []
    assert judge(Shm(size=1 * GiB), replace(smaller, num_workers=3)) != []
    fitting_batch = replace(IMAGENET, batch_bytes=finding.evidence["fits.batch_bytes"])
    assert judge(Shm(size=1 * GiB), fitting_batch) == []


def test_ranks_and_loaders_add_up(snapshot: SnapshotAssertion) -> None:
    job = replace(IMAGENET, ranks=2, loaders=3)
    (finding,) = judge(Shm(size=8 * GiB), job)

    assert finding.summary == snapshot
    assert finding.evidence["fits.num_workers"] == 3
    assert judge(Shm(size=8 * GiB), replace(job, num_workers=3)) == []


def test_tight_fit_is_a_risk_the_user_may_accept() -> None:
    tight = Shm(size=2304 * MiB, remountable=True)

    (finding,) = judge(tight, IMAGENET)

    assert finding.severity is Severity.RISKS
    assert judge(tight, IMAGENET, headroom=1.0) == []
    (worse,) = judge(replace(tight, size=tight.size - 1), IMAGENET)
    assert worse.severity is Severity.BREAKS


def test_filled_by_others_breaks_as_well(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(live(16 * GiB, 1 * GiB, remountable=True), IMAGENET)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.evidence["shm.available"] == 1 * GiB
    assert finding.remedies[0].title == snapshot
    (edge,) = judge(live(2880 * MiB, 1 * GiB), IMAGENET)
    assert edge.summary == snapshot


def test_a_running_job_is_judged_by_the_size(snapshot: SnapshotAssertion) -> None:
    job = replace(IMAGENET, origin={"num_workers": "pid 4711"})

    (finding,) = judge(live(1 * GiB, 0), job)

    assert finding.summary == snapshot


def test_container_default_without_a_job_is_a_risk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(DOCKER, None, ROOMY, IN_DOCKER)

    assert finding.severity is Severity.RISKS
    assert finding.summary == snapshot
    assert finding.evidence == {
        "shm.size": 64 * MiB,
        "fits.batch_bytes": int(6.4 * MiB),
    }
    assert finding.remedies[0].shell == "docker run --shm-size=1g"


def test_small_batches_are_named_for_the_workers_that_are_known(
    snapshot: SnapshotAssertion,
) -> None:
    (finding,) = judge(Shm(size=1056 * MiB - 1), Loader(num_workers=32))

    assert finding.summary == snapshot
    assert judge(Shm(size=1056 * MiB - 1), Loader(num_workers=32), batch=8 * MiB) == []


def test_one_worker_is_one(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=48 * MiB), Loader(num_workers=1), batch=17 * MiB)

    assert finding.summary == snapshot
    assert finding.remedies[-1].snippet == (
        "DataLoader(..., num_workers=0)  # and keep images uint8 until the GPU"
    )


def test_without_a_job_nearly_full_is_a_risk_too() -> None:
    (finding,) = judge(live(16 * GiB, 159 * MiB))

    assert finding.severity is Severity.RISKS
    assert finding.evidence["shm.available"] == 159 * MiB
    assert judge(live(16 * GiB, 160 * MiB)) == []


def test_unknown_workers_are_assumed_and_only_a_risk(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(DOCKER, Loader(batch_bytes=128 * MiB))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == snapshot
    assert judge(Shm(size=1600 * MiB), Loader(batch_bytes=128 * MiB)) == []
    assert judge(Shm(size=1600 * MiB), Loader(batch_bytes=128 * MiB), workers=5) != []


def test_more_than_the_memory_limit_is_killed_not_refused(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=16 * GiB), IMAGENET, group(2 * GiB), IN_DOCKER)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.evidence == {
        "shm.size": 16 * GiB,
        "needed": 2304 * MiB,
        "memory.limit": 2 * GiB,
    }
    assert finding.remedies[0].shell == "docker run --memory=5g"


@pytest.mark.parametrize(
    ("swap", "installed", "severity"),
    [
        (0, 256 * GiB, Severity.BREAKS),
        (256 * MiB - 1, 256 * GiB, Severity.BREAKS),
        (256 * MiB, 256 * GiB, Severity.RISKS),
        (256 * GiB, 255 * MiB, Severity.BREAKS),
        (None, 255 * MiB, Severity.BREAKS),
        (None, 256 * MiB, Severity.RISKS),
    ],
)
def test_swap_puts_it_off(swap: int | None, installed: int, severity: Severity) -> None:
    memory = replace(group(2 * GiB, swap), swap_total=installed)

    (finding,) = judge(Shm(size=16 * GiB), IMAGENET, memory)

    assert finding.severity is severity


def test_more_than_the_machine_has(snapshot: SnapshotAssertion) -> None:
    small = Memory(total=2 * GiB, available=2 * GiB)

    (finding,) = judge(replace(HOST, size=1 * GiB), IMAGENET, small)

    assert finding.summary == snapshot
    assert [remedy.place for remedy in finding.remedies] == [Place.CODE]


def test_no_larger_than_memory_is_ever_advised(snapshot: SnapshotAssertion) -> None:
    enough = Memory(total=2880 * MiB, available=1 * GiB)

    (finding,) = judge(HOST, IMAGENET, enough)
    assert finding.remedies[0].title == snapshot

    (finding,) = judge(HOST, IMAGENET, replace(enough, total=2880 * MiB - 1))
    assert [remedy.place for remedy in finding.remedies] == [Place.CODE]


def test_read_only_breaks(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=GiB, read_only=True, remountable=True))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == "sudo mount -o remount,rw /dev/shm"
    assert finding.evidence == {"shm.fstype": "tmpfs", "shm.read_only": True}
    (powerless,) = judge(Shm(size=GiB, read_only=True))
    assert powerless.remedies == ()


def test_read_only_and_too_small_is_one_remedy() -> None:
    (finding,) = judge(Shm(size=64 * MiB, read_only=True, remountable=True), IMAGENET)

    (remedy,) = finding.remedies
    assert re.fullmatch("sudo mount -o remount,rw,size=[0-9]+m /dev/shm", remedy.shell)
    assert remedy.undo == ("mount", "-o", "remount,ro,size=64m", "/dev/shm")
    after = predict_facts(
        Facts(Shm(size=64 * MiB, read_only=True, remountable=True), IMAGENET), remedy
    )
    assert after is not None
    grown = after.get(Shm)
    assert grown is not None
    assert judge(grown, IMAGENET) == []


def test_none_at_all_breaks(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=0, missing=True, fstype=""), IMAGENET)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == snapshot
    assert finding.remedies[0].advice


def test_a_disk_is_slow(snapshot: SnapshotAssertion) -> None:
    (finding,) = judge(Shm(size=GiB, fstype="ext4"), IMAGENET)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == snapshot
    assert finding.remedies[0].shell == ("sudo mount -t tmpfs -o nosuid,nodev tmpfs /dev/shm")


def test_unknown_shm_is_not_health() -> None:
    verdict = shm_too_small.run(Facts(IMAGENET, unknown={"shm": "only on Linux"}))

    assert verdict.skipped == "shm: only on Linux"


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(DOCKER, IMAGENET, ROOMY, IN_DOCKER)
    record = json.dumps(facts.to_record())

    verdict = shm_too_small.run(Facts.from_record(json.loads(record)))

    assert verdict.findings == tuple(judge(DOCKER, IMAGENET, ROOMY, IN_DOCKER))
