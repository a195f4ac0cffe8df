"""Read memory: the machine's, and what the control group lets the job use."""

from collections.abc import Iterable
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_file, read_int, read_or_default
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.facts import Memory, MemoryLimit, UnreadableError
from pipedoctor.runtime.lanes import Announce


def memory(machine: Machine, announce: Announce) -> Memory:
    """Read /proc/meminfo, the group's limit and the kernel's settings."""
    if not machine.system.startswith("linux"):
        announce("psutil")
        return _read_with_psutil()
    announce("read /proc/meminfo")
    sizes = _parse_meminfo(read_file(machine.proc / "meminfo"))
    if "MemTotal" not in sizes:
        message = "/proc/meminfo does not contain the memory size"
        raise UnreadableError(message)
    total = sizes["MemTotal"]
    group, why = _find_tightest_limit(machine, total)
    kernel = machine.proc / "sys/vm"
    huge = machine.root / "sys/kernel/mm/transparent_hugepage"
    return Memory(
        total=total,
        available=sizes.get("MemAvailable", sizes.get("MemFree", 0)),
        swap_total=sizes.get("SwapTotal", 0),
        swap_free=sizes.get("SwapFree", 0),
        group=group,
        group_unknown=why,
        overcommit=read_int(kernel / "overcommit_memory"),
        commit_limit=sizes.get("CommitLimit"),
        committed=sizes.get("Committed_AS"),
        swappiness=read_int(kernel / "swappiness"),
        transparent_hugepages=_read_selected_word(huge / "enabled"),
        hugepage_defrag=_read_selected_word(huge / "defrag"),
        compaction_stalls=read_counters(machine.proc / "vmstat").get("compact_stall"),
    )


def _read_selected_word(file: Path) -> str:
    """The word in brackets: ``madvise`` of ``always [madvise] never``."""
    return read_or_default(file).partition("[")[2].partition("]")[0]


def _parse_meminfo(text: str) -> dict[str, int]:
    """Every line of /proc/meminfo, in bytes."""
    sizes: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        number, *unit = value.split() or [""]
        if number.isdecimal() and unit == ["kB"]:
            sizes[name] = int(number) * 1024
    return sizes


def _find_tightest_limit(machine: Machine, total: int) -> tuple[MemoryLimit | None, str]:
    """The tightest limit of the group and its parents, or why it is not known."""
    try:
        groups = list_cgroups(machine, "memory")
    except UnreadableError as reason:
        return None, str(reason)
    limits = [(limit, at) for at in groups if (limit := _read_limit(at)) is not None]
    # Version 1 writes "no limit" as a number near 2**63.
    limits = [(limit, at) for limit, at in limits if limit < total]
    if not limits:
        return None, ""
    limit, at = min(limits)
    return _describe_limit(machine, limit, at, groups[: groups.index(at) + 1]), ""


def _read_limit(group: Path) -> int | None:
    unified = read_int(group / "memory.max")
    return read_int(group / "memory.limit_in_bytes") if unified is None else unified


def _describe_limit(
    machine: Machine, limit: int, at: Path, descendants: Iterable[Path]
) -> MemoryLimit:
    """
    Describe the limit of group `at`; `descendants` lead from the process up to it.

    Version 2 counts kills of the whole subtree, version 1 those of one group alone.
    """
    if (at / "memory.max").exists():
        events = read_counters(at / "memory.events")
        return MemoryLimit(
            limit=limit,
            used=read_int(at / "memory.current"),
            cache=_sum_file_pages(at, "inactive_file", "active_file"),
            source=_format_path(machine, at / "memory.max"),
            swap=read_int(at / "memory.swap.max"),
            oom_kills=events.get("oom_kill"),
        )
    both = read_int(at / "memory.memsw.limit_in_bytes")
    swap = both - limit if both is not None and both < 1 << 62 else None
    counts = [read_counters(group / "memory.oom_control").get("oom_kill") for group in descendants]
    kills = [count for count in counts if count is not None]
    return MemoryLimit(
        limit=limit,
        used=read_int(at / "memory.usage_in_bytes"),
        cache=_sum_file_pages(at, "total_inactive_file", "total_active_file"),
        source=_format_path(machine, at / "memory.limit_in_bytes"),
        swap=swap,
        oom_kills=sum(kills) if kills else None,
    )


def read_counters(file: Path) -> dict[str, int]:
    """Read a file of lines such as ``oom_kill 3``."""
    pairs = (line.split() for line in read_or_default(file).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and _is_number(pair[1])}  # noqa: PLR2004


def _is_number(number: str) -> bool:
    return number.isascii() and number.isdecimal()


def _sum_file_pages(group: Path, *names: str) -> int | None:
    numbers = read_counters(group / "memory.stat")
    return sum(numbers[name] for name in names) if names[0] in numbers else None


def count_file_pages(group: Path) -> int:
    """Bytes of files that a control group holds in memory, which it gives back when it must."""
    for names in (("inactive_file", "active_file"), ("total_inactive_file", "total_active_file")):
        version = "memory.max" if names[0] == "inactive_file" else "memory.limit_in_bytes"
        if (group / version).exists():
            return _sum_file_pages(group, *names) or 0
    return 0


def _format_path(machine: Machine, file: Path) -> str:
    return "/" + str(file.relative_to(machine.root))


def _read_with_psutil() -> Memory:
    import psutil  # noqa: PLC0415  (only where /proc is absent)

    seen, swap = psutil.virtual_memory(), psutil.swap_memory()
    return Memory(
        total=seen.total,
        available=seen.available,
        swap_total=swap.total,
        swap_free=swap.free,
        group_unknown="only Linux has control groups",
    )
