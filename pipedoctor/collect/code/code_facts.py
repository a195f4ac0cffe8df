"""What each project is: remembered, or found out by as many processes as it takes."""

import gc
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from pipedoctor.collect.code import code_cache
from pipedoctor.collect.code.code_reading import ReadingOptions
from pipedoctor.collect.encodable import to_encodable
from pipedoctor.facts import Source
from pipedoctor.facts.source import Skipped
from pipedoctor.runtime.pool import LostTask, run_tasks
from pipedoctor.source.discover import files
from pipedoctor.source.discover.without_gc import pause_gc
from pipedoctor.source.project_reading import ProjectReading
from pipedoctor.source.related_files import select_related_files
from pipedoctor.source.resolve.literal_loader_calls import LiteralLoaderCall

MIN_PARALLEL_BYTES = 2 << 20
"""Bytes of code from which on a second process pays for its start."""
MAX_JOBS = 16
ProjectFiles = Sequence[files.SourceFile]
DisplayPath = Callable[[str], str]


def examine_projects(
    groups: Sequence[ProjectFiles],
    display_path: DisplayPath,
    reading: ReadingOptions,
    *,
    until: float,
    seconds: float,
) -> list[ProjectReading]:
    """Return each project's facts in its order, from the cache or by examining it."""
    cache = code_cache.open_cache(reading.cache_dir, enabled=reading.cache)
    keys = _compute_keys(groups, display_path) if cache.folder else [""] * len(groups)
    with pause_gc():
        found = {n: known for n, key in enumerate(keys) if (known := cache.get(key))}
    missing = [n for n in range(len(groups)) if n not in found]

    home = os.getpid()
    sizes = {number: _count_bytes([groups[number]]) for number in missing}
    kept = choose_kept(sizes) if reading.process_ends else frozenset[int]()

    def work(number: int) -> ProjectReading:
        last = os.getpid() != home or number in kept
        return _examine_project(groups[number], display_path, until, seconds, last=last)

    jobs = _count_jobs(reading.jobs, [groups[n] for n in missing])
    if jobs > 1 and hasattr(os, "fork"):
        fresh = _examine_in_parallel(work, missing, groups, display_path, jobs)
    else:
        fresh = {number: work(number) for number in sorted(missing, key=kept.__contains__)}
    for number, known in fresh.items():
        found[number] = known
        if known.complete:
            cache.put(keys[number], known)
    if missing:
        cache.trim()
    cache.close()
    return [found[number] for number in range(len(groups))]


def _compute_keys(groups: Sequence[ProjectFiles], display_path: DisplayPath) -> list[str]:
    engine = code_cache.describe_engine()
    return [code_cache.compute_key(one, display_path, engine) for one in groups]


def list_loader_calls(
    project_files: ProjectFiles, groups: Sequence[ProjectFiles], readings: Sequence[ProjectReading]
) -> list[LiteralLoaderCall]:
    """All calls of DataLoader, in the order in which the files came."""
    place = {id(file): number for number, file in enumerate(project_files)}
    found = [
        (place[id(group[number])], call._replace(path=group[number].path))
        for group, one in zip(groups, readings, strict=True)
        for number, call in one.calls
    ]
    return [call for _, call in sorted(found, key=itemgetter(0))]


def _examine_project(
    project: ProjectFiles,
    display_path: DisplayPath,
    until: float,
    seconds: float,
    *,
    last: bool,
) -> ProjectReading:
    from pipedoctor.source.read_project import read_project_facts  # noqa: PLC0415  (70 ms)

    if last:
        gc.disable()  # what is left there is left to the end
    try:
        with pause_gc():
            return read_project_facts(
                project, display_path, deadline=until, seconds=seconds, process_ends=last
            )
    except RecursionError:  # of one project: the others are read
        return _skip_project(project, display_path, "its calls go deeper than can be followed")


def choose_kept(sizes: Mapping[int, int]) -> frozenset[int]:
    """
    Choose the projects that stay in memory to the end of the process, by their sizes.

    Those that are read last. Together they take no more than half of the largest alone: what
    that has left behind in small pieces does not all come back.
    """
    if len(sizes) == 1:
        return frozenset(sizes)
    left = max(sizes.values(), default=0) // 2
    kept: list[int] = []
    for number in sorted(sizes, key=sizes.__getitem__):
        left -= sizes[number]
        if left < 0:
            break
        kept.append(number)
    return frozenset(kept)


def _count_bytes(projects: Sequence[ProjectFiles]) -> int:
    return sum(len(file.text) for project in projects for file in project)


def _count_jobs(job_limit: int | None, projects: Sequence[ProjectFiles]) -> int:
    if job_limit is None:
        job_limit = _count_cpus() if _count_bytes(projects) > MIN_PARALLEL_BYTES else 1
    return max(1, min(job_limit, len(projects), MAX_JOBS))


def _count_cpus() -> int:
    """Count the CPUs that this process may use, by its affinity."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _examine_in_parallel(
    work: Callable[[int], ProjectReading],
    missing: Sequence[int],
    groups: Sequence[ProjectFiles],
    display_path: DisplayPath,
    jobs: int,
) -> dict[int, ProjectReading]:
    """Examine the projects in several processes, the largest first."""
    importlib.import_module("pipedoctor.source.read_project")  # once, not in each of them

    def task(number: int) -> Callable[[], bytes]:
        return lambda: _encode_examined(work(number))

    sizes = [_count_bytes([groups[number]]) for number in missing]
    order = sorted(range(len(missing)), key=lambda place: -sizes[place])
    results = run_tasks([task(number) for number in missing], order, jobs)
    return {
        number: _skip_project(
            groups[number],
            display_path,
            f"the process that read its project died {result.reason}, twice",
        )
        if isinstance(result, LostTask)
        else _decode_examined(result)
        for number, result in zip(missing, results, strict=True)
    }


class _ExaminedMessage(msgspec.Struct, frozen=True):
    """`Examined`, as it goes through a pipe."""

    facts: Any
    whole: bool
    calls: tuple[tuple[int, LiteralLoaderCall], ...]


def _encode_examined(reading: ProjectReading) -> bytes:
    """Encode the result; bytes in names that are not text are escaped."""
    facts = to_encodable(reading.facts)
    return msgspec.msgpack.encode(_ExaminedMessage(facts, reading.complete, reading.calls))


def _decode_examined(result: bytes) -> ProjectReading:
    carried = msgspec.msgpack.decode(result, type=_ExaminedMessage)
    facts = msgspec.convert(carried.facts, Source)
    return ProjectReading(facts, carried.whole, carried.calls)


def _skip_project(project: ProjectFiles, display_path: DisplayPath, reason: str) -> ProjectReading:
    """Report every file of a project that could not be read as skipped, and why."""
    related_files = list(select_related_files(project))
    skipped = tuple(Skipped(path=display_path(f.path), reason=reason) for f in related_files)
    return ProjectReading(Source(files=len(skipped), skipped=skipped), complete=False)
