"""The facts of the machine as they would be after a remedy."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from pipedoctor.check import Remedy
from pipedoctor.engine.effects.environment import change_variables
from pipedoctor.engine.effects.settings import RemedySettings, read_settings
from pipedoctor.facts import Cpu, Fact, Facts, Limits, Loader, Memory, Quota, Rlimit, Shm
from pipedoctor.facts.memory import MemoryLimit
from pipedoctor.units import parse_size

F = TypeVar("F", bound=Fact)

_KERNEL_FIELDS = {
    "fs.file-max": "file_max",
    "fs.inotify.max_user_instances": "inotify_instances",
    "fs.inotify.max_user_watches": "inotify_watches",
    "kernel.pid_max": "pid_max",
    "kernel.threads-max": "threads_max",
    "vm.max_map_count": "max_map_count",
}


def predict_facts(facts: Facts, remedy: Remedy) -> Facts | None:
    """
    Compute the facts that a check would read after this remedy.

    None: what it changes is not understood, or no fact tells of it.
    """
    settings = read_settings(remedy)
    changed = [*_list_changes(facts, settings)] if not remedy.edits else []
    return facts.merge(*changed) if changed else None


def _list_changes(facts: Facts, settings: RemedySettings) -> Iterator[Fact]:
    yield from change_variables(facts, settings.variables)
    yield from _change(facts, Limits, lambda fact: _change_limits(fact, settings))
    yield from _change(facts, Memory, lambda fact: _change_memory(fact, settings.options))
    yield from _change(facts, Shm, lambda fact: _change_shm(fact, settings))
    yield from _change(facts, Cpu, lambda fact: _change_cpus(fact, settings.options))
    yield from _change(facts, Loader, lambda fact: _change_loader(fact, settings.arguments))


def _change(facts: Facts, kind: type[F], change: Callable[[F], F | None]) -> Iterator[F]:
    known = facts.get(kind)
    after = None if known is None else change(known)
    if after is not None:
        yield after


def _change_limits(limits: Limits, settings: RemedySettings) -> Limits | None:
    changes: dict[str, object] = {
        field: int(settings.kernel[name])
        for name, field in _KERNEL_FIELDS.items()
        if settings.kernel.get(name, "").isdecimal()
    }
    if (most := settings.options.get("pids-limit", "")).isdecimal():
        changes["pids_max"] = int(most)
    for name, value in settings.limits.items():
        if name in {"nofile", "nproc"}:
            changes[name] = _read_rlimit(value, getattr(limits, name))
    return replace(limits, **changes) if changes else None


def _read_rlimit(text: str, current_limit: Rlimit | None) -> Rlimit:
    soft, colon, hard = text.partition(":")
    kept = current_limit.hard if current_limit else None
    return Rlimit(soft=_read_bound(soft), hard=_read_bound(hard) if colon else kept)


def _read_bound(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _change_memory(memory: Memory, options: Mapping[str, str]) -> Memory | None:
    """Another limit; kills of the past were those of the former limit."""
    limit = _read_size(options.get("memory") or options.get("mem"))
    if limit is None:
        return None
    before = memory.group or MemoryLimit(limit=0)
    return replace(memory, group=replace(before, limit=limit, oom_kills=0))


def _read_size(text: str | None) -> int | None:
    try:
        return None if text is None else parse_size(text)
    except ValueError:  # a place holder, or a word of another tool
        return None


def _change_shm(shm: Shm, settings: RemedySettings) -> Shm | None:
    """Another size, files less, or writable; what others use stays in use."""
    freed = sum(one.size for one in shm.segments if one.path in settings.removed)
    asked = _read_size(settings.options.get("shm-size"))
    writable = settings.options.get("shm-mode") == "rw"
    if asked is None and not freed and not writable:
        return None
    size = shm.size if asked is None else asked
    grown = None if shm.available is None else max(0, shm.available + freed + size - shm.size)
    return replace(
        shm,
        read_only=shm.read_only and not writable,
        size=size,
        available=grown,
        used=max(0, shm.used - freed),
        segments=tuple(one for one in shm.segments if one.path not in settings.removed),
    )


def _change_cpus(cpu: Cpu, options: Mapping[str, str]) -> Cpu | None:
    asked = options.get("cpus") or options.get("cpus-per-task")
    if not asked or not asked.isdecimal():
        return None
    count = int(asked)
    quota = cpu.quota and Quota(cpus=float(count), source=cpu.quota.source)
    if "cpus-per-task" not in options:
        return replace(cpu, quota=quota)
    return replace(cpu, quota=quota, slurm_cpus=count, affinity=count, cpuset=count)


def _change_loader(loader: Loader, arguments: Mapping[str, int]) -> Loader | None:
    """Of a job that runs, its use was measured with the arguments that it has."""
    return None if loader.is_running or not arguments else replace(loader, **arguments)
