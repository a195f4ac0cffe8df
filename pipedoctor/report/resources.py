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
from pipedoctor.report.model import Entry, Report
from pipedoctor.units import human, seconds

_NO_JOB = "no job is known"


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A number with the words for it; unknown ones say why in the same words."""

    value: float | None = None
    said: str
    size: bool = False
    """Is it in bytes?"""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One bar; `section` and `point` tell which findings speak about it."""

    name: str
    section: str
    point: str = ""
    limit: Amount
    used: Amount
    need: Amount
    shared: bool = True
    """Does the need come on top of what is in use?"""
    finding: Entry | None = None
    """The first finding that rests on this resource."""
    absent: str = ""
    """Why nothing is known of it at all."""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The amounts in words."""
        if self.absent:
            return (("limit", self.limit.said),)
        short = self.number(self.lacking)
        return (
            ("limit", self.limit.said),
            ("in use", self.used.said),
            ("job needs", self.need.said),
            *((("short by", short),) if self.lacking and self.finding else ()),
        )

    def number(self, value: float) -> str:
        """Say a number in the unit of this resource."""
        if self.limit.size:
            return human(int(value))
        return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"

    @property
    def lacking(self) -> float:
        """By how much the need exceeds what is left."""
        if self.limit.value is None or self.need.value is None:
            return 0.0
        begin = (self.used.value or 0.0) if self.shared else 0.0
        return max(0.0, begin + self.need.value - self.limit.value)

    @property
    def parts(self) -> tuple[tuple[str, float, float], ...]:
        """Stretches of the bar in percent: what, from where, how long."""
        limit = self.limit.value
        if limit is None:
            return ()
        used, need = self.used.value or 0.0, self.need.value or 0.0
        begin = used if self.shared else 0.0
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


def resources(report: Report) -> list[Resource]:
    """Every resource of the report; what its facts do not tell has the reason."""
    facts = Facts.from_record(
        {"known": report.facts.known, "unknown": report.facts.unknown}
    )
    found = [_shm(facts), _files(facts), _cpus(facts), _memory(facts), *_disks(facts)]
    return [_judged(resource, report.findings) for resource in found]


def _judged(resource: Resource, findings: Sequence[Entry]) -> Resource:
    """
    Join it with the first finding whose evidence it is, and with what that needs.

    A check may reckon more than we do, such as workers and room to spare.
    """
    about = next((entry for entry in findings if _rests(entry, resource)), None)
    if about is None:
        return resource
    needed, need = about.evidence.get("needed"), resource.need
    foremost = next(iter(about.evidence)).startswith(f"{resource.section}.")
    if foremost and isinstance(needed, int):
        need = Amount(value=needed, said=resource.number(needed))
    return replace(resource, finding=about, need=need)


def _rests(entry: Entry, resource: Resource) -> bool:
    if resource.point:
        return entry.evidence.get("mount.point") == resource.point
    return any(key.startswith(f"{resource.section}.") for key in entry.evidence)


def _unknown(reason: str) -> Amount:
    return Amount(said=f"unknown: {reason}")


def _absent(facts: Facts, kind: type[Fact], name: str, section: str) -> Resource:
    reason = facts.why_unknown(kind)
    nothing = _unknown(reason)
    return Resource(
        name=name,
        section=section,
        limit=nothing,
        used=nothing,
        need=nothing,
        absent=reason,
    )


def _bytes(size: int | None, reason: str) -> Amount:
    if size is None:
        return _unknown(reason)
    return Amount(value=size, said=human(size), size=True)


def _count(number: int | None, reason: str) -> Amount:
    if number is None:
        return _unknown(reason)
    return Amount(value=number, said=f"{number:,}")


def _shm(facts: Facts) -> Resource:
    name, shm = "Shared memory, /dev/shm", facts.get(Shm)
    if shm is None:
        return _absent(facts, Shm, name, "shm")
    limit = _bytes(shm.size, "")
    if shm.missing:
        limit = Amount(value=0, said="there is no /dev/shm", size=True)
    elif shm.unlimited:
        limit = Amount(said="only memory limits it")
    loader = facts.get(Loader)
    return Resource(
        name=name,
        section="shm",
        limit=limit,
        used=_bytes(shm.used, ""),
        need=_batches(loader),
        shared=not (loader and loader.running),
    )


def _batches(loader: Loader | None) -> Amount:
    """What the batches in flight take."""
    if loader is None or loader.num_workers is None:
        return _unknown(_NO_JOB)
    return _bytes(loader.bytes_in_flight, "the size of a batch (--batch-bytes)")


def _files(facts: Facts) -> Resource:
    name, limits = "Open files of a process", facts.get(Limits)
    if limits is None:
        return _absent(facts, Limits, name, "limits.nofile")
    soft, loader = limits.nofile.soft, facts.get(Loader)
    least = _count(loader.least_files if loader else None, _NO_JOB)
    if least.value:
        least = replace(least, said=f"at least {least.said}")
    return Resource(
        name=name,
        section="limits.nofile",
        limit=Amount(said="unlimited") if soft is None else _count(soft, ""),
        used=_count(limits.open_files, "only of a running job (--pid)"),
        need=least,
        shared=False,
    )


def _cpus(facts: Facts) -> Resource:
    name, cpu = "CPUs", facts.get(Cpu)
    if cpu is None:
        return _absent(facts, Cpu, name, "cpu")
    least, bound, loader = min(cpu.bounds.values()), cpu.binding, facts.get(Loader)
    said = f"{least:g}, all that the machine has"
    if bound != "machine":
        said = f"{least:g} of {cpu.logical}, limited by {bound}"
    share = cpu.quota.throttled_share if cpu.quota else None
    if share:
        said += f", which stopped the job in {share:.0%} of all periods"
    if cpu.quota_unknown:
        said += f"; a quota is unknown: {cpu.quota_unknown}"
    workers = loader.workers_on_node if loader else None
    need = _unknown(_NO_JOB)
    if workers is not None:
        need = Amount(value=workers, said=f"up to {workers}, one for each worker")
    return Resource(
        name=name,
        section="cpu",
        limit=Amount(value=least, said=said),
        used=_unknown("load is not measured here"),
        need=need,
        shared=False,
    )


def _memory(facts: Facts) -> Resource:
    name, memory = "Memory", facts.get(Memory)
    if memory is None:
        return _absent(facts, Memory, name, "memory")
    owner = "the machine" if memory.limit == memory.total else "control group"
    if memory.group_unknown:
        owner += f"; a limit of its group is unknown: {memory.group_unknown}"
    limit = _bytes(memory.limit, "")
    loader = facts.get(Loader)
    flying = _batches(loader)
    if flying.value is not None:
        flying = replace(
            flying, said=f"{flying.said} for batches, and more for workers"
        )
    return Resource(
        name=name,
        section="memory",
        limit=replace(limit, said=f"{limit.said} ({owner})"),
        used=_bytes(max(0, memory.limit - memory.room), ""),
        need=flying,
        shared=not (loader and loader.running),
    )


def _disks(facts: Facts) -> Iterator[Resource]:
    paths = facts.get(Paths)
    if paths is None:
        yield _absent(facts, Paths, "Disk", "disk")
        return
    mounts: dict[str, list[PathFact]] = {}
    for entry in paths.entries:
        point = entry.mount.point if entry.mount else entry.path
        mounts.setdefault(point, []).append(entry)
    for point, entries in mounts.items():
        yield _disk(point, entries)


def _disk(point: str, entries: Sequence[PathFact]) -> Resource:
    first = next((entry for entry in entries if entry.size is not None), entries[0])
    reason = first.error or "its size was not asked for"
    if first.hang:
        reason = f"no answer from {first.hang.doing} in {seconds(first.hang.seconds)}"
    used = None
    if first.size is not None and first.free is not None:
        used = first.size - first.free
    roles = ", ".join(dict.fromkeys(entry.role for entry in entries))
    return Resource(
        name=f"Disk {point} ({roles})",
        section="disk",
        point=point,
        limit=_bytes(first.size, reason),
        used=_bytes(used, reason),
        need=_unknown("what the job writes is not known"),
    )
