"""PDR712: is there room where the job writes?"""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Finding, Findings, Severity, check
from pipedoctor.facts import PathFact, Paths, Site
from pipedoctor.remedy import Lasts, Remedy, environment, fitting
from pipedoctor.units import GiB, MiB, human
from pipedoctor_checks._places import by_mount, elsewhere, spoken

WRITTEN = frozenset({"tmp", "cwd"})
IDLE = frozenset({"scratch", "code"})
"""Nobody is known to write there."""


@check("PDR712", "No room is left where the job writes")
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
    Compare free bytes and inodes of every place with what a job soon needs.

    ## Why it hurts

    Checkpoints, caches and temporary files end in `No space left on device`, often
    after hours. A file system can run out of inodes with most of its bytes free:
    small files do that.

    ## How it is judged

    Nothing left in TMPDIR or the working directory breaks the job, in a home or a
    cache it is a risk; where only data lies it is a note, for data is read. Nearly
    full is less than `low_bytes` or `low_inodes`, whichever of that and
    `low_fraction` of the whole is smaller; in TMPDIR, however small its file system,
    less than `least_temporary` is a risk, too. What an unprivileged process may use
    counts. Quotas are not seen. Places that cannot be written are left out.

    ## Sources

    - https://man7.org/linux/man-pages/man3/statvfs.3.html
    - https://github.com/huggingface/lerobot/issues/59
    """
    counted = [e for e in paths.entries if e.free is not None and e.role not in IDLE]
    if not counted:
        reason = "free space is not known for any place"
        raise CannotJudge(reason)
    for entries in by_mount(e for e in counted if e.writable is not False):
        first = entries[0]
        free, size = first.free or 0, first.size or 0
        inodes_free, inodes = first.inodes_free, first.inodes or 0
        temporary = any(entry.role == "tmp" for entry in entries)
        least = least_temporary if temporary else 0
        if free < max(min(low_bytes, low_fraction * size), least):
            what = f"{human(free)} of {human(size)} are free"
            yield from _findings(entries, free == 0, what, paths, site)
        elif inodes_free is not None and (
            inodes_free < min(low_inodes, low_fraction * inodes)
        ):
            what = f"{inodes_free:,} of {inodes:,} inodes are free"
            yield from _findings(entries, inodes_free == 0, what, paths, site)


def _findings(
    entries: list[PathFact], full: bool, what: str, paths: Paths, site: Site | None
) -> Iterator[Finding]:
    first, roles = entries[0], {entry.role for entry in entries}
    severity = Severity.BREAKS if full and roles & WRITTEN else Severity.RISKS
    if roles == {"data"}:
        if not full:
            return
        severity = Severity.NOTE
    point = first.mount.point if first.mount else first.path
    short = "too small" if first.size == first.free else "nearly full"
    yield Finding(
        severity=severity,
        summary=f"{point} is {'full' if full else short}: {what};"
        f" {', '.join(dict.fromkeys(map(spoken, entries)))} there",
        evidence={
            "mount.point": point,
            "size": first.size,
            "free": first.free,
            "inodes": first.inodes,
            "inodes_free": first.inodes_free,
            "paths": [entry.path for entry in entries],
        },
        remedies=fitting(
            site.habitat if site else None, *_remedies(point, what, entries, paths)
        ),
    )


def _remedies(
    point: str, what: str, entries: list[PathFact], paths: Paths
) -> Iterator[Remedy]:
    for entry in entries:
        better = elsewhere(paths, entry)
        if entry.role == "tmp" and better:
            yield from environment(f"Use {better.path} instead", TMPDIR=better.path)
    look = "See what takes the room, and delete what nobody needs"
    counted = "--inodes" if what.endswith("inodes are free") else "-h"
    du = ("du", "-x", counted, "-d", "1", "--", point)
    yield Remedy(title=look, argv=du, lasts=Lasts.ALWAYS, advice=True)
