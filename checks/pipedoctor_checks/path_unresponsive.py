"""PDR711: does every place that the job needs answer?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import DataSets, PathFact, Paths, Site
from pipedoctor.remedy import fitting
from pipedoctor.units import seconds
from pipedoctor_checks._dead_mount import detach
from pipedoctor_checks._places import by_mount

DEAD = frozenset(
    {"ENOTCONN", "ESTALE", "EIO", "ENODEV", "EHOSTDOWN", "EHOSTUNREACH", "ETIMEDOUT"}
)
VITAL = frozenset({"code", "data", "cwd", "tmp"})


@check("PDR711", "A path that the job needs does not answer")
def path_unresponsive(
    paths: Paths, datasets: DataSets | None, site: Site | None, /
) -> Findings:
    """
    Look for places in which a plain `stat` hangs, or whose server is gone.

    ## Why it hurts

    A process that touches a dead NFS server or a FUSE file system whose daemon
    stopped sleeps in the kernel: workers hang, `DataLoader(timeout=...)` fires at
    best, and often not even SIGKILL ends them.

    ## How it is judged

    Every place is examined in a process of its own: `lstat`, `stat`, `access`,
    `statvfs`, and for data sets a listing and a few reads. One that is still in a
    call when its time is up hangs there. Errors that only a lost server gives
    (`Transport endpoint is not connected`, `Stale file handle`) count alike. Data, the
    working directory and TMPDIR break the job; home and caches are a risk.

    ## Sources

    - https://man7.org/linux/man-pages/man5/nfs.5.html
    - https://man7.org/linux/man-pages/man8/umount.8.html
    - https://man7.org/linux/man-pages/man1/fusermount3.1.html
    """
    ill = [*filter(_silent, paths.entries), *_surveyed(paths, datasets)]
    if not ill and not any(e.real or e.error_code for e in paths.entries):
        reason = "no place could be examined"
        raise CannotJudge(reason)
    for entries in by_mount(ill):
        yield _finding(entries, site)


def _silent(entry: PathFact) -> bool:
    return entry.hang is not None or entry.error_code in DEAD


def _surveyed(paths: Paths, datasets: DataSets | None) -> Iterator[PathFact]:
    """Data sets that answered a `stat` and then hung when they were read."""
    known = {entry.path for entry in paths.of("data") if _silent(entry)}
    for entry in datasets.entries if datasets else ():
        if entry.hang and entry.path not in known:
            yield PathFact(
                role="data", path=entry.path, hang=entry.hang, mount=entry.mount
            )


def _finding(entries: list[PathFact], site: Site | None) -> Finding:
    first, mount = entries[0], entries[0].mount
    names = ", ".join(dict.fromkeys(f"{e.path} ({e.role})" for e in entries))
    if first.hang:
        call = first.hang.doing or "a call"
        what = f"does not answer: {call} hung for {seconds(first.hang.seconds)}"
    else:
        what = f"is dead: {first.error}"
    where = f"; {mount.fstype} {mount.source} on {mount.point}" if mount else ""
    vital = any(entry.role in VITAL for entry in entries)
    return Finding(
        severity=Severity.BREAKS if vital else Severity.RISKS,
        confidence=Confidence.LIKELY if first.hang else Confidence.CERTAIN,
        summary=f"{names} {what}{where}",
        evidence=_evidence(first),
        remedies=fitting(site.habitat if site else None, *detach(mount)),
    )


def _evidence(entry: PathFact) -> dict[str, object]:
    mount, hang = entry.mount, entry.hang
    known: dict[str, object] = {"path": entry.path}
    if hang:
        known |= {"call": hang.doing, "seconds": hang.seconds}
    else:
        known |= {"error": entry.error, "error_code": entry.error_code}
    if mount:
        known |= {"mount.point": mount.point, "mount.fstype": mount.fstype}
        known |= {"mount.source": mount.source}
    return known
