"""PDR712: is there room where the job writes?"""

import math
from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    environment,
    select_remedies,
)
from pipedoctor.facts import PathFact, Paths, Site
from pipedoctor.units import GiB, MiB, format_size
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.storage._freed_space import Shortage, free_space
from pipedoctor_checks.storage._paths_by_role import (
    find_alternative,
    format_place,
    group_by_mount,
    place_caches,
)

WRITTEN_ROLES = frozenset({"tmp", "cwd"})
IDLE_ROLES = frozenset({"scratch", "code"})
"""Roles of places that are not known to be written."""


@check("PDR712", "No space left where the job writes")
def disk_full(
    paths: Paths,
    site: Site | None,
    /,
    *,
    low_bytes: int = GiB,
    low_inodes: int = 10_000,
    low_fraction: float = 0.05,
    least_temporary: int = MiB,
) -> Findings:
    """
    Compare the free bytes and inodes of every place with what a job will soon need.

    ## Why it hurts

    Checkpoints, caches and temporary files fail with `No space left on device`, often
    after hours. A file system can run out of inodes while most of its bytes are free,
    because of many small files.

    ## How it is judged

    No space in TMPDIR or the working directory breaks the job; in a home or a cache it
    is a risk. Where there is only data it is a note, because data is only read. Nearly
    full means less than `low_bytes` or `low_inodes`, or less than `low_fraction` of the
    whole if that is smaller; in TMPDIR, however small its file system, less than
    `least_temporary` is a risk, too. What counts is the space available to an
    unprivileged process. Quotas are not examined. Places that cannot be written are
    left out.

    ## Sources

    - https://man7.org/linux/man-pages/man3/statvfs.3.html
    - https://github.com/huggingface/lerobot/issues/59
    """
    counted = [e for e in paths.entries if e.free is not None and e.role not in IDLE_ROLES]
    if not counted:
        reason = "free space is not known for any place"
        raise CannotJudge(reason)
    for entries in group_by_mount(e for e in counted if e.writable is not False):
        first = entries[0]
        free, size = first.free or 0, first.size or 0
        inodes_free, inodes = first.inodes_free, first.inodes or 0
        temporary = any(entry.role == "tmp" for entry in entries)
        least = max(min(low_bytes, low_fraction * size), least_temporary if temporary else 0)
        few = min(low_inodes, low_fraction * inodes)
        if free < least:
            what = f"{format_size(free)} of {format_size(size)} are free"
            missing = Shortage(bytes=math.ceil(least - free))
            yield from _report_disk(entries, missing, what, paths, site)
        elif inodes_free is not None and inodes_free < few:
            what = f"{inodes_free:,} of {inodes:,} inodes are free"
            missing = Shortage(files=math.ceil(few - inodes_free))
            yield from _report_disk(entries, missing, what, paths, site)


def _report_disk(
    entries: list[PathFact], missing: Shortage, what: str, paths: Paths, site: Site | None
) -> Iterator[Finding]:
    first, roles = entries[0], {entry.role for entry in entries}
    full = (first.inodes_free if missing.files else first.free) == 0
    severity = Severity.BREAKS if full and roles & WRITTEN_ROLES else Severity.RISKS
    if roles == {"data"}:
        if not full:
            return
        severity = Severity.NOTE
    point = first.mount.point if first.mount else first.path
    short = "too small" if first.size == first.free else "nearly full"
    yield Finding(
        severity=severity,
        summary=f"{point} is {'full' if full else short}: {what}; used by"
        f" {', '.join(dict.fromkeys(map(format_place, entries)))}",
        evidence={
            "mount.point": point,
            "size": first.size,
            "free": first.free,
            "inodes": first.inodes,
            "inodes_free": first.inodes_free,
            "paths": [entry.path for entry in entries],
        },
        remedies=select_remedies(
            site.launcher if site else None, *_list_remedies(point, missing, entries, paths)
        ),
    )


def _list_remedies(
    point: str, missing: Shortage, entries: list[PathFact], paths: Paths
) -> Iterator[Remedy]:
    moved = [find_alternative(paths, entry) for entry in entries if entry.role == "tmp"]
    temporary = next((better.path for better in moved if better), "")
    folder, caches = "", dict[str, str]()
    if {entry.role for entry in entries} <= {"tmp", "cache"}:  # else a full home stays full
        folder, caches = place_caches(paths, [one for one in entries if one.role == "cache"])
    if temporary and caches:  # each alone leaves the other on the full disk
        title = f"Use {temporary} instead, and put the cache in {folder}, which has room"
        yield from environment(title, TMPDIR=temporary, **caches)
    elif temporary:
        yield from environment(f"Use {temporary} instead", TMPDIR=temporary)
    elif caches:
        yield from environment(f"Put the cache in {folder}, which has room", **caches)
    look = "Find out what uses the space, and delete what is not needed"
    du = ("du", "-x", "--inodes" if missing.files else "-h", "-d", "1", "--", point)
    yield from free_space(entries, missing, advise_user(look, argv=du))
