"""PDR711: does every place that the job needs answer?"""

from collections.abc import Iterator

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
    select_remedies,
)
from pipedoctor.facts import DataSets, PathFact, Paths, Site
from pipedoctor.units import format_seconds
from pipedoctor_checks.storage._dead_mount import detach_mount
from pipedoctor_checks.storage._paths_by_role import group_by_mount

DEAD_ERRORS = frozenset(
    {"ENOTCONN", "ESTALE", "EIO", "ENODEV", "EHOSTDOWN", "EHOSTUNREACH", "ETIMEDOUT"}
)
VITAL_ROLES = frozenset(
    ("code", "data", "cwd", "tmp", "environment", "import-path", "program-path", "shm")
)


@check("PDR711", "A path that the job needs does not answer", leads=True)
def path_unresponsive(paths: Paths, datasets: DataSets | None, site: Site | None, /) -> Findings:
    """
    Look for places where a plain `stat` hangs, or whose server is gone.

    ## Why it hurts

    A process that accesses a dead NFS server or a FUSE file system whose daemon has
    stopped sleeps in the kernel: workers hang, at best `DataLoader(timeout=...)` fires,
    and often not even SIGKILL ends them.

    ## How it is judged

    Every place is examined in a separate process: `lstat`, `stat`, `access`, `statvfs`,
    and for datasets a listing and a few reads. If a call has not returned when the time
    is up, it hangs there. So is what every start looks into: the folders in PATH and
    PYTHONPATH, the Python environment, /dev/shm; and wherever else the kernel shows that a
    reading hung. Errors that only a lost server causes (`Transport endpoint is
    not connected`, `Stale file handle`) count as well. Data, the working directory, TMPDIR,
    the environment and /dev/shm break the job; home and caches are a risk.

    ## Sources

    - https://man7.org/linux/man-pages/man5/nfs.5.html
    - https://man7.org/linux/man-pages/man8/umount.8.html
    - https://man7.org/linux/man-pages/man1/fusermount3.1.html
    """
    ill = [
        *filter(_is_unresponsive, paths.entries),
        *_find_hung_datasets(paths, datasets),
    ]
    if not ill and not any(e.real or e.error_code for e in paths.entries):
        reason = "no place could be examined"
        raise CannotJudge(reason)
    for entries in group_by_mount(ill):
        yield _report_mount(entries, site)


def _is_unresponsive(entry: PathFact) -> bool:
    return entry.hang is not None or entry.error_code in DEAD_ERRORS


def _find_hung_datasets(paths: Paths, datasets: DataSets | None) -> Iterator[PathFact]:
    """Datasets that answered a `stat` and then hung when they were read."""
    known = {entry.path for entry in paths.find_roles("data") if _is_unresponsive(entry)}
    for entry in datasets.entries if datasets else ():
        if entry.hang and entry.path not in known:
            yield PathFact(role="data", path=entry.path, hang=entry.hang, mount=entry.mount)


def _report_mount(entries: list[PathFact], site: Site | None) -> Finding:
    first, mount = entries[0], entries[0].mount
    names = ", ".join(dict.fromkeys(f"{e.path} ({e.role})" for e in entries))
    if first.hang:
        call = first.hang.doing or "a call"
        what = f"does not answer: {call} hung for {format_seconds(first.hang.seconds)}"
    else:
        what = f"is dead: {first.error}"
    where = f"; {mount.fstype} {mount.source} on {mount.point}" if mount else ""
    vital = any(entry.role in VITAL_ROLES for entry in entries)
    return Finding(
        severity=Severity.BREAKS if vital else Severity.RISKS,
        confidence=Confidence.LIKELY if first.hang else Confidence.CERTAIN,
        summary=f"{names} {what}{where}",
        evidence=_collect_evidence(first),
        remedies=select_remedies(site.launcher if site else None, *detach_mount(mount)),
    )


def _collect_evidence(entry: PathFact) -> dict[str, object]:
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
