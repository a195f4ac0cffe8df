"""What each project is: remembered, or found out by as many processes as it takes."""

import gc
import os
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from pipedoctor.collect import code_cache
from pipedoctor.collect.crew import Lost, share
from pipedoctor.collect.plain import plain
from pipedoctor.collect.reading import Reading
from pipedoctor.facts import Source
from pipedoctor.facts.source import Skipped
from pipedoctor.source import files
from pipedoctor.source.examine import Examined, examine, related
from pipedoctor.source.loaders import LoaderCall
from pipedoctor.source.uncollected import uncollected

WORTH = 2 << 20
"""Bytes of code from which on a second process pays for its start."""
MOST_JOBS = 16
Project = Sequence[files.Source]
Shown = Callable[[str], str]


def examined(
    groups: Sequence[Project],
    shown: Shown,
    reading: Reading,
    *,
    until: float,
    seconds: float,
) -> list[Examined]:
    """Every project in its order; the same however it is come by."""
    cache = code_cache.open_cache(reading.cache_dir, wanted=reading.cache)
    keys = [code_cache.key_of(one, shown) if cache.folder else "" for one in groups]
    found = {n: known for n, key in enumerate(keys) if (known := cache.get(key))}
    missing = [n for n in range(len(groups)) if n not in found]

    home = os.getpid()

    def work(number: int) -> Examined:
        last = os.getpid() != home
        return _examined(groups[number], shown, until, seconds, last=last)

    jobs = _jobs(reading.jobs, [groups[n] for n in missing])
    if jobs > 1 and hasattr(os, "fork"):
        fresh = _shared(work, missing, groups, shown, jobs)
    else:
        fresh = {number: work(number) for number in missing}
    for number, known in fresh.items():
        found[number] = known
        if known.whole:
            cache.put(keys[number], known)
    if missing:
        cache.trim()
    return [found[number] for number in range(len(groups))]


def calls(
    read: Project, groups: Sequence[Project], known: Sequence[Examined]
) -> list[LoaderCall]:
    """All calls of DataLoader, in the order in which the files came."""
    place = {id(file): number for number, file in enumerate(read)}
    found = [
        (place[id(group[number])], call._replace(path=group[number].path))
        for group, one in zip(groups, known, strict=True)
        for number, call in one.calls
    ]
    return [call for _, call in sorted(found, key=itemgetter(0))]


def _examined(
    project: Project, shown: Shown, until: float, seconds: float, *, last: bool
) -> Examined:
    if last:
        gc.disable()  # what is left there is left to the end
    with uncollected():
        return examine(project, shown, until=until, seconds=seconds, last=last)


def _jobs(asked: int | None, projects: Sequence[Project]) -> int:
    if asked is None:
        size = sum(len(file.text) for project in projects for file in project)
        asked = _cpus() if size > WORTH else 1
    return max(1, min(asked, len(projects), MOST_JOBS))


def _cpus() -> int:
    """Those that this process may use, by its affinity."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shared(
    work: Callable[[int], Examined],
    missing: Sequence[int],
    groups: Sequence[Project],
    shown: Shown,
    jobs: int,
) -> dict[int, Examined]:
    """The largest first, so that none is left alone at the end."""

    def task(number: int) -> Callable[[], bytes]:
        return lambda: _said(work(number))

    sizes = [sum(len(file.text) for file in groups[number]) for number in missing]
    order = sorted(range(len(missing)), key=lambda place: -sizes[place])
    results = share([task(number) for number in missing], order, jobs)
    return {
        number: _lost(groups[number], shown, result)
        if isinstance(result, Lost)
        else _told(result)
        for number, result in zip(missing, results, strict=True)
    }


class _Carried(msgspec.Struct, frozen=True):
    """`Examined`, as it goes through a pipe."""

    facts: Any
    whole: bool
    calls: tuple[tuple[int, LoaderCall], ...]


def _said(known: Examined) -> bytes:
    """As data; odd bytes in names are spelled out, as in any report."""
    facts = plain(known.facts)
    return msgspec.msgpack.encode(_Carried(facts, known.whole, known.calls))


def _told(result: bytes) -> Examined:
    carried = msgspec.msgpack.decode(result, type=_Carried)
    facts = msgspec.convert(carried.facts, Source)
    return Examined(facts, carried.whole, carried.calls)


def _lost(project: Project, shown: Shown, lost: Lost) -> Examined:
    """Nothing is known of these files, and that is said of each."""
    related_files = list(related(project))
    reason = f"the process that read its project died {lost.how}, twice"
    skipped = tuple(Skipped(path=shown(f.path), reason=reason) for f in related_files)
    return Examined(Source(files=len(skipped), skipped=skipped), whole=False)
