"""The numbers behind the bars: three amounts each, unknown ones with the reason."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.facts import (
    Cpu,
    Fact,
    Facts,
    Hang,
    Limits,
    Loader,
    Memory,
    MemoryLimit,
    Mount,
    PathFact,
    Paths,
    Quota,
    Rlimit,
    Shm,
)
from pipedoctor.report.model import Report, ReportedFacts
from pipedoctor.report.resources import ResourceAmount, ResourceUsage, build_resources
from pipedoctor.units import GiB, MiB

JOB = Loader(num_workers=16, batch_bytes=64 * MiB)
NO_JOB = "unknown: no job is known"
THROTTLED = "1.5 of 8, limited by cgroup quota, which throttled the job in 46% of all periods"


@pytest.fixture
def found(well: Report) -> Any:
    """Resources by their section, of these facts and of evidence of one finding."""

    def of(*facts: Fact, unknown: Mapping[str, str] | None = None) -> dict[str, Any]:
        record = Facts(*facts, unknown=unknown).to_record()
        every = build_resources(replace(well, facts=ReportedFacts(**record)))
        return {each.section.partition(".")[0]: each for each in every}

    return of


def rows(resource: ResourceUsage) -> dict[str, str]:
    return dict(resource.rows)


def test_a_job_in_a_small_dev_shm(found: Any) -> None:
    shm = found(Shm(size=64 * MiB, used=MiB), JOB)["shm"]

    assert rows(shm) == {
        "limit": "64.0 MiB",
        "in use": "1.0 MiB",
        "job needs": "2.1 GiB",
    }
    assert shm.shortage == 34 * 64 * MiB + MiB - 64 * MiB
    assert [name for name, _, _ in shm.parts] == ["limit", "used", "need", "over"]
    assert sum(length for name, _, length in shm.parts if name != "limit") == (
        pytest.approx(100, abs=1)
    )


@pytest.mark.parametrize(
    ("loader", "need"),
    [
        (None, NO_JOB),
        (Loader(batch_bytes=MiB), NO_JOB),
        (Loader(num_workers=2), "unknown: the size of a batch (--batch-bytes)"),
        (Loader(num_workers=0), "0 B"),
        (Loader(num_workers=1, batch_bytes=MiB), "4.0 MiB"),
    ],
)
def test_what_a_job_needs_of_dev_shm(found: Any, loader: Loader | None, need: str) -> None:
    facts = [Shm(size=GiB), *([loader] if loader else [])]

    assert rows(found(*facts)["shm"])["job needs"] == need


@pytest.mark.parametrize(
    ("shm", "limit", "parts"),
    [
        (Shm(size=0, missing=True), "there is no /dev/shm", ["limit", "over"]),
        (Shm(size=0, unlimited=True), "limited only by memory", []),
        (Shm(size=8 * GiB), "8.0 GiB", ["limit", "need"]),
    ],
)
def test_kinds_of_dev_shm(found: Any, shm: Shm, limit: str, parts: list[str]) -> None:
    resource = found(shm, JOB)["shm"]

    assert rows(resource)["limit"] == limit
    assert [name for name, _, _ in resource.parts] == parts


def test_what_a_running_job_uses_is_not_counted_twice(found: Any) -> None:
    running = Loader(num_workers=16, batch_bytes=64 * MiB, origin={"num_workers": "pid 7"})
    shm = Shm(size=4 * GiB, used=2 * GiB)

    assert found(shm, running)["shm"].shortage == 0
    assert found(shm, JOB)["shm"].shortage > 0


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (
            Limits(nofile=Rlimit(soft=1024, hard=4096)),
            ("1,024", "unknown: known only for a running job (--pid)"),
        ),
        (Limits(nofile=Rlimit(soft=None, hard=None), open_files=9), ("unlimited", "9")),
    ],
)
def test_open_files(found: Any, limits: Limits, said: tuple[str, str]) -> None:
    alone = rows(found(limits)["limits"])
    assert (alone["limit"], alone["in use"]) == said
    assert alone["job needs"] == NO_JOB

    assert rows(found(limits, JOB)["limits"])["job needs"] == "at least 76"
    assert rows(found(limits, Loader(num_workers=0))["limits"])["job needs"] == "0"


@pytest.mark.parametrize(
    ("cpu", "limit"),
    [
        (Cpu(logical=8), "8, all CPUs of the machine"),
        (Cpu(logical=8, affinity=2), "2 of 8, limited by affinity"),
        (
            Cpu(
                logical=8,
                quota=Quota(cpus=1.5, source="x", periods=100, throttled_periods=46),
            ),
            THROTTLED,
        ),
        (
            Cpu(logical=8, quota_unknown="no cgroups"),
            "8, all CPUs of the machine; a quota is unknown: no cgroups",
        ),
    ],
)
def test_cpus(found: Any, cpu: Cpu, limit: str) -> None:
    assert rows(found(cpu)["cpu"]) == {
        "limit": limit,
        "in use": "unknown: load is not measured",
        "job needs": NO_JOB,
    }
    assert found(cpu, JOB)["cpu"].shortage == 16 - min(cpu.bounds.values())


@pytest.mark.parametrize(
    ("group", "why", "limit", "used"),
    [
        (None, "", "64.0 GiB (the machine)", "4.0 GiB"),
        (
            MemoryLimit(limit=8 * GiB, used=GiB),
            "",
            "8.0 GiB (cgroup)",
            "1.0 GiB",
        ),
        (MemoryLimit(limit=128 * GiB), "", "64.0 GiB (the machine)", "4.0 GiB"),
        (
            None,
            "no cgroups",
            "64.0 GiB (the machine; a limit of its cgroup is unknown: no cgroups)",
            "4.0 GiB",
        ),
    ],
)
def test_memory(found: Any, group: MemoryLimit | None, why: str, limit: str, used: str) -> None:
    memory = Memory(total=64 * GiB, available=60 * GiB, group=group, group_unknown=why)

    assert rows(found(memory)["memory"]) == {
        "limit": limit,
        "in use": used,
        "job needs": NO_JOB,
    }
    assert rows(found(memory, JOB)["memory"])["job needs"] == (
        "2.1 GiB for batches, and more for workers"
    )


def test_disks(found: Any) -> None:
    root = Mount(point="/", fstype="ext4")
    disk = found(
        Paths(
            entries=(
                PathFact(role="cwd", path="/x", mount=root),
                PathFact(role="tmp", path="/tmp", mount=root, size=8, free=2),
                PathFact(role="tmp", path="/tmp/2", mount=root),
            )
        )
    )["disk"]

    assert disk.name == "Disk / (cwd, tmp)"
    assert rows(disk) == {
        "limit": "8 B",
        "in use": "6 B",
        "job needs": "unknown: the amount that the job writes is unknown",
    }
    assert disk.parts == (("limit", 0.0, 100.0), ("used", 0.0, 75.0))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (
            PathFact(role="data", path="/d", hang=Hang(doing="statvfs", seconds=2)),
            "no answer from statvfs in 2.0 s",
        ),
        (
            PathFact(role="data", path="/d", error="no such directory"),
            "no such directory",
        ),
        (PathFact(role="data", path="/d"), "its size was not queried"),
    ],
)
def test_a_disk_that_does_not_tell(found: Any, entry: PathFact, why: str) -> None:
    disk = found(Paths(entries=(entry,)))["disk"]

    assert disk.name == "Disk /d (data)"
    assert (disk.limit.text, disk.used.text) == (f"unknown: {why}", f"unknown: {why}")
    assert disk.parts == ()


def test_what_nobody_read_has_the_reason(found: Any) -> None:
    every = found(unknown={"shm": "denied", "cpu": "no /proc"})

    assert rows(every["shm"]) == {"limit": "unknown: denied"}
    assert rows(every["cpu"]) == {"limit": "unknown: no /proc"}
    assert rows(every["disk"]) == {"limit": "unknown: not collected"}
    assert set(every) == {"shm", "limits", "cpu", "memory", "disk"}


def judged(ill: Report, evidence: dict[str, Any], *facts: Fact) -> dict[str, ResourceUsage]:
    entry = replace(ill.findings[0], evidence=evidence)
    record = Facts(*facts).to_record()
    report = replace(ill, facts=ReportedFacts(**record), findings=(entry,))
    return {each.section: each for each in build_resources(report)}


def test_a_finding_that_rests_on_a_resource_says_what_is_needed(ill: Report) -> None:
    evidence = {"shm.size": 64 * MiB, "memory.limit": GiB, "needed": 3 * GiB}
    memory = Memory(total=2 * GiB, available=2 * GiB)

    every = judged(ill, evidence, Shm(size=64 * MiB), memory)

    assert every["shm"].finding is not None
    assert rows(every["shm"])["job needs"] == "3.0 GiB"
    assert rows(every["shm"])["short by"] == "2.9 GiB"
    assert every["memory"].finding is not None
    assert rows(every["memory"])["job needs"] == NO_JOB, "it is about /dev/shm"
    assert every["cpu"].finding is None


def test_counts_are_not_said_as_sizes(ill: Report) -> None:
    limits = Limits(nofile=Rlimit(soft=MiB, hard=None))

    every = judged(ill, {"limits.nofile.soft": MiB, "needed": 3 * MiB}, limits)

    assert rows(every["limits.nofile"])["job needs"] == "3,145,728"
    assert rows(every["limits.nofile"])["short by"] == "2,097,152"


def test_a_need_without_a_number_stays_unknown(ill: Report) -> None:
    every = judged(ill, {"shm.size": 1, "needed": "much"}, Shm(size=1))

    assert rows(every["shm"])["job needs"] == NO_JOB


@pytest.mark.parametrize(("point", "is_about"), [("/", True), ("/data", False)])
def test_a_disk_has_the_findings_of_its_mount(ill: Report, point: str, is_about: bool) -> None:
    entry = PathFact(role="tmp", path="/", size=8, free=0)

    disk = judged(ill, {"mount.point": point}, Paths(entries=(entry,)))["disk"]

    assert (disk.finding is not None) is is_about


def test_a_sliver_is_still_seen() -> None:
    little = ResourceUsage(
        name="x",
        section="x",
        limit=ResourceAmount(value=1e6, text=""),
        used=ResourceAmount(value=1, text=""),
        need=ResourceAmount(text=""),
    )

    assert little.parts == (("limit", 0.0, 100.0), ("used", 0.0, 0.5))
    assert little.shortage == 0


@pytest.mark.parametrize(("cpus", "said"), [(8, "8"), (1.5, "14.5")])
def test_half_a_cpu_is_said(ill: Report, cpus: float, said: str) -> None:
    cpu = Cpu(logical=8, quota=Quota(cpus=cpus, source="x"))

    assert rows(judged(ill, {"cpu.quota": 1}, cpu, JOB)["cpu"])["short by"] == said
