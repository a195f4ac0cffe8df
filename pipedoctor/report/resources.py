"""What the job may use, what is in use and what it needs: the numbers behind bars."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipedoctor.facts import (
    Cpu,
    Fact,
    Facts,
    Limits,
    Loader,
    Memory,
    PathFact,
    Paths,
    Shm,
)
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.units import format_seconds, format_size

_NO_JOB_REASON = "no job is known"


@dataclass(frozen=True, kw_only=True)
class ResourceAmount:
    """A number with the words for it; unknown ones say why in the same words."""

    value: float | None = None
    text: str
    is_bytes: bool = False
    """Is it in bytes?"""


@dataclass(frozen=True, kw_only=True)
class ResourceUsage:
    """One bar; `section` and `mount_point` tell which findings speak about it."""

    name: str
    section: str
    mount_point: str = ""
    limit: ResourceAmount
    used: ResourceAmount
    need: ResourceAmount
    need_adds_to_used: bool = True
    """Does the need come on top of what is in use?"""
    finding: ReportedFinding | None = None
    """The first finding that rests on this resource."""
    unknown_reason: str = ""
    """Why nothing is known of it at all."""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The amounts in words."""
        if self.unknown_reason:
            return (("limit", self.limit.text),)
        short = self.format_number(self.shortage)
        return (
            ("limit", self.limit.text),
            ("in use", self.used.text),
            ("job needs", self.need.text),
            *((("short by", short),) if self.shortage and self.finding else ()),
        )

    def format_number(self, value: float) -> str:
        """Say a number in the unit of this resource."""
        if self.limit.is_bytes:
            return format_size(int(value))
        return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"

    @property
    def shortage(self) -> float:
        """By how much the need exceeds what is left."""
        if self.limit.value is None or self.need.value is None:
            return 0.0
        begin = (self.used.value or 0.0) if self.need_adds_to_used else 0.0
        return max(0.0, begin + self.need.value - self.limit.value)

    @property
    def parts(self) -> tuple[tuple[str, float, float], ...]:
        """Stretches of the bar in percent: what, from where, how long."""
        limit = self.limit.value
        if limit is None:
            return ()
        used, need = self.used.value or 0.0, self.need.value or 0.0
        begin = used if self.need_adds_to_used else 0.0
        scale = 100 / max(limit, used, begin + need, 1e-9)
        within = min(begin + need, limit)
        stretches = (
            ("limit", 0.0, limit),
            ("used", 0.0, used),
            ("need", begin, within - begin),
            ("over", max(begin, limit), begin + need - max(begin, limit)),
        )
        return tuple(
            (name, round(at * scale, 2), round(max(length * scale, 0.5), 2))
            for name, at, length in stretches
            if length > 0 or name == "limit"
        )


def build_resources(report: Report) -> list[ResourceUsage]:
    """Every resource of the report; what its facts do not tell has the reason."""
    facts = Facts.from_record({"known": report.facts.known, "unknown": report.facts.unknown})
    found = [
        _build_shm(facts),
        _build_files(facts),
        _build_cpus(facts),
        _build_memory(facts),
        *_build_disks(facts),
    ]
    return [_attach_finding(resource, report.findings) for resource in found]


def _attach_finding(resource: ResourceUsage, findings: Sequence[ReportedFinding]) -> ResourceUsage:
    """
    Join it with the first finding whose evidence it is, and with what that needs.

    A check may reckon more than we do, such as workers and room to spare.
    """
    about = next((entry for entry in findings if _is_about(entry, resource)), None)
    if about is None:
        return resource
    needed, need = about.evidence.get("needed"), resource.need
    foremost = next(iter(about.evidence)).startswith(f"{resource.section}.")
    if foremost and isinstance(needed, int):
        need = ResourceAmount(value=needed, text=resource.format_number(needed))
    return replace(resource, finding=about, need=need)


def _is_about(entry: ReportedFinding, resource: ResourceUsage) -> bool:
    if resource.mount_point:
        return entry.evidence.get("mount.point") == resource.mount_point
    return any(key.startswith(f"{resource.section}.") for key in entry.evidence)


def _make_unknown(reason: str) -> ResourceAmount:
    return ResourceAmount(text=f"unknown: {reason}")


def _build_unknown(facts: Facts, kind: type[Fact], name: str, section: str) -> ResourceUsage:
    reason = facts.get_unknown_reason(kind)
    nothing = _make_unknown(reason)
    return ResourceUsage(
        name=name,
        section=section,
        limit=nothing,
        used=nothing,
        need=nothing,
        unknown_reason=reason,
    )


def _make_byte_amount(size: int | None, reason: str) -> ResourceAmount:
    if size is None:
        return _make_unknown(reason)
    return ResourceAmount(value=size, text=format_size(size), is_bytes=True)


def _make_count(number: int | None, reason: str) -> ResourceAmount:
    if number is None:
        return _make_unknown(reason)
    return ResourceAmount(value=number, text=f"{number:,}")


def _build_shm(facts: Facts) -> ResourceUsage:
    name, shm = "Shared memory, /dev/shm", facts.get(Shm)
    if shm is None:
        return _build_unknown(facts, Shm, name, "shm")
    limit = _make_byte_amount(shm.size, "")
    if shm.missing:
        limit = ResourceAmount(value=0, text="there is no /dev/shm", is_bytes=True)
    elif shm.unlimited:
        limit = ResourceAmount(text="limited only by memory")
    loader = facts.get(Loader)
    return ResourceUsage(
        name=name,
        section="shm",
        limit=limit,
        used=_make_byte_amount(shm.used, ""),
        need=_make_batch_amount(loader),
        need_adds_to_used=not (loader and loader.is_running),
    )


def _make_batch_amount(loader: Loader | None) -> ResourceAmount:
    """What the batches in flight take."""
    if loader is None or loader.num_workers is None:
        return _make_unknown(_NO_JOB_REASON)
    return _make_byte_amount(loader.bytes_in_flight, "the size of a batch (--batch-bytes)")


def _build_files(facts: Facts) -> ResourceUsage:
    name, limits = "Open files of a process", facts.get(Limits)
    if limits is None:
        return _build_unknown(facts, Limits, name, "limits.nofile")
    soft, loader = limits.nofile.soft, facts.get(Loader)
    least = _make_count(loader.min_descriptors if loader else None, _NO_JOB_REASON)
    if least.value:
        least = replace(least, text=f"at least {least.text}")
    return ResourceUsage(
        name=name,
        section="limits.nofile",
        limit=ResourceAmount(text="unlimited") if soft is None else _make_count(soft, ""),
        used=_make_count(limits.open_files, "known only for a running job (--pid)"),
        need=least,
        need_adds_to_used=False,
    )


def _build_cpus(facts: Facts) -> ResourceUsage:
    name, cpu = "CPUs", facts.get(Cpu)
    if cpu is None:
        return _build_unknown(facts, Cpu, name, "cpu")
    least, bound, loader = (
        min(cpu.bounds.values()),
        cpu.binding,
        facts.get(Loader),
    )
    description = f"{least:g}, all CPUs of the machine"
    if bound != "machine":
        description = f"{least:g} of {cpu.logical}, limited by {bound}"
    share = cpu.quota.throttled_share if cpu.quota else None
    if share:
        description += f", which throttled the job in {share:.0%} of all periods"
    if cpu.quota_unknown:
        description += f"; a quota is unknown: {cpu.quota_unknown}"
    workers = loader.workers_on_node if loader else None
    need = _make_unknown(_NO_JOB_REASON)
    if workers is not None:
        need = ResourceAmount(value=workers, text=f"up to {workers}, one for each worker")
    return ResourceUsage(
        name=name,
        section="cpu",
        limit=ResourceAmount(value=least, text=description),
        used=_make_unknown("load is not measured"),
        need=need,
        need_adds_to_used=False,
    )


def _build_memory(facts: Facts) -> ResourceUsage:
    name, memory = "Memory", facts.get(Memory)
    if memory is None:
        return _build_unknown(facts, Memory, name, "memory")
    owner = "the machine" if memory.limit == memory.total else "cgroup"
    if memory.group_unknown:
        owner += f"; a limit of its cgroup is unknown: {memory.group_unknown}"
    limit = _make_byte_amount(memory.limit, "")
    loader = facts.get(Loader)
    flying = _make_batch_amount(loader)
    if flying.value is not None:
        flying = replace(flying, text=f"{flying.text} for batches, and more for workers")
    return ResourceUsage(
        name=name,
        section="memory",
        limit=replace(limit, text=f"{limit.text} ({owner})"),
        used=_make_byte_amount(max(0, memory.limit - memory.usable_bytes), ""),
        need=flying,
        need_adds_to_used=not (loader and loader.is_running),
    )


def _build_disks(facts: Facts) -> Iterator[ResourceUsage]:
    paths = facts.get(Paths)
    if paths is None:
        yield _build_unknown(facts, Paths, "Disk", "disk")
        return
    mounts: dict[str, list[PathFact]] = {}
    for entry in paths.entries:
        point = entry.mount.point if entry.mount else entry.path
        mounts.setdefault(point, []).append(entry)
    for point, entries in mounts.items():
        yield _build_disk(point, entries)


def _build_disk(point: str, entries: Sequence[PathFact]) -> ResourceUsage:
    first = next((entry for entry in entries if entry.size is not None), entries[0])
    reason = first.error or "its size was not queried"
    if first.hang:
        reason = f"no answer from {first.hang.doing} in {format_seconds(first.hang.seconds)}"
    used = None
    if first.size is not None and first.free is not None:
        used = first.size - first.free
    roles = ", ".join(dict.fromkeys(entry.role for entry in entries))
    return ResourceUsage(
        name=f"Disk {point} ({roles})",
        section="disk",
        mount_point=point,
        limit=_make_byte_amount(first.size, reason),
        used=_make_byte_amount(used, reason),
        need=_make_unknown("the amount that the job writes is unknown"),
    )
