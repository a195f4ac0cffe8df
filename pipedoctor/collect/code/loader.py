"""What is known of the job's DataLoaders: options first, then code, then a live job."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pipedoctor.collect.code.code_reading import LoaderCallStore, ReadingOptions
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.facts import Loader, UnreadableError
from pipedoctor.runtime.lanes import Announce
from pipedoctor.source.resolve.literal_loader_calls import LiteralLoaderCall, find_loader_calls

WORKER_NAME = "pt_data_worker"
"""What torch calls the main thread of a worker since 2.0."""

_FIELD_OPTIONS = {
    "num_workers": "--workers",
    "prefetch_factor": "--prefetch",
    "batch_bytes": "--batch-bytes",
    "ranks": "--ranks",
}


def loader(
    machine: Machine,
    options: Loader | None,
    code: tuple[str, ...],
    announce: Announce,
    *,
    reading: ReadingOptions = ReadingOptions(),  # noqa: B008  (frozen)
    call_store: LoaderCallStore | None = None,
) -> Loader:
    """Join what the command line, the code and the running job say; options win."""
    fields: dict[str, Any] = {}
    origin: dict[str, str] = {}
    seen = call_store.calls if call_store else None
    for source in _iter_sources(machine, options, code, announce, reading, seen):
        for name, (value, told) in source.items():
            if name not in fields:
                fields[name], origin[name] = value, told
    if not set(fields) - {"ranks", "loaders"} and "ranks" not in _get_options(options):
        message = "no --workers, no DataLoader with literals in code, no running job"
        raise UnreadableError(message)
    return msgspec.convert(fields | {"origin": origin}, Loader)


FieldOrigins = Mapping[str, tuple[int, str]]
"""Of each field: its value, and who says so."""


def _iter_sources(
    machine: Machine,
    options: Loader | None,
    code: Sequence[str],
    announce: Announce,
    reading: ReadingOptions,
    literal_calls: Sequence[LiteralLoaderCall] | None,
) -> Iterator[FieldOrigins]:
    yield _get_options(options)
    ranks = machine.environ.get("LOCAL_WORLD_SIZE", "")
    if ranks.isascii() and ranks.isdecimal() and 0 < int(ranks) < 1 << 16:
        yield {"ranks": (int(ranks), "LOCAL_WORLD_SIZE")}
    if literal_calls is not None:
        yield summarize_calls(literal_calls)
    elif code or reading.stdin_source:
        announce(f"reading {', '.join(code) or 'stdin'}")
        calls = find_loader_calls(
            code,
            gitignore=reading.gitignore,
            exclude=reading.exclude,
            stdin_source=reading.stdin_source,
        )
        yield summarize_calls(calls)
    if machine.pid is not None and machine.system.startswith("linux"):
        yield _count_workers(machine, machine.pid)


def _get_options(options: Loader | None) -> FieldOrigins:
    if options is None:
        return {}
    values = {name: getattr(options, name) for name in _FIELD_OPTIONS}
    return {
        name: (value, options.origin.get(name, _FIELD_OPTIONS[name]))
        for name, value in values.items()
        if value is not None
    }


def summarize_calls(calls: Sequence[LiteralLoaderCall]) -> FieldOrigins:
    """
    Take the largest loader for the job: a smaller one takes turns with it.

    Only loaders of one file that are alike and keep their workers are counted as
    alive together; what is not certain to be needed at once is not counted.
    """
    known = [call for call in calls if call.num_workers is not None]
    if not known:
        return {}
    most = max(known, key=lambda call: call.prefetched_batches)
    twins = [
        call
        for call in known
        if most.persistent and call[2:] == most[2:] and call.path == most.path
    ]
    place = f"{most.path}:{most.line}"
    others = f", the largest of {len(calls)}" if len(calls) > 1 else ""
    told = {"num_workers": (most.num_workers or 0, place + others)}
    if most.prefetch_factor is not None:
        told["prefetch_factor"] = (most.prefetch_factor, place)
    if len(twins) > 1:
        lines = ", ".join(str(call.line) for call in twins)
        told["loaders"] = (len(twins), f"{most.path}:{lines}")
    return told


def _count_workers(machine: Machine, pid: int) -> FieldOrigins:
    """Count the workers below a process by rank: each is the parent of its own."""
    names, parents = _read_processes(machine)
    below = {pid}
    grown = True
    while grown:
        found = {child for child, parent in parents.items() if parent in below}
        grown = not found <= below
        below |= found
    workers = [one for one in below if names.get(one) == WORKER_NAME and one != pid]
    ranks = Counter(parents[worker] for worker in workers)
    if not ranks:
        return {}
    told = f"pid {pid}"
    return {
        "num_workers": (max(ranks.values()), told),
        "ranks": (len(ranks), told),
    }


def _read_processes(machine: Machine) -> tuple[dict[int, str], dict[int, int]]:
    """Name and parent of every process that can be seen."""
    names: dict[int, str] = {}
    parents: dict[int, int] = {}
    for entry in machine.proc.iterdir():
        if not entry.name.isdecimal():
            continue
        head, _, tail = read_or_default(entry / "stat").rpartition(")")
        words = tail.split()
        if len(words) > 1 and words[1].isdecimal():
            names[int(entry.name)] = head.partition("(")[2]
            parents[int(entry.name)] = int(words[1])
    return names, parents
