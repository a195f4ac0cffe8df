"""PDR710: can the storage under the data set deliver?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Severity,
    check,
)
from pipedoctor.facts import (
    DataSet,
    DataSets,
    Filesystems,
    Loader,
    Memory,
    Paths,
    Shm,
    Site,
)
from pipedoctor.remedy import Remedy, fitting
from pipedoctor_checks._medium import Medium, medium
from pipedoctor_checks._reading import Reading, reading
from pipedoctor_checks._staging import Places, Plan, cures, planned
from pipedoctor_checks._storage_evidence import (
    doubt,
    evidence,
    read_ahead_note,
)


@check("PDR710", "The storage under the data set is slow")
def slow_storage(  # noqa: PLR0913, PLR0917  (each fact decides something)
    datasets: DataSets,
    table: Filesystems,
    paths: Paths | None,
    memory: Memory | None,
    shm: Shm | None,
    loader: Loader | None,
    site: Site | None,
    /,
    *,
    files_per_second: float = 150.0,
    bytes_per_second: float = 200e6,
    many_files: int = 1000,
    read_ahead: int = 131_072,
) -> Findings:
    """
    Judge each --data path by a cold read, else by what it lies on.

    ## Why it hurts

    A hard disk finds about 100 places a second: 50 to 100 pictures, whatever
    `num_workers` says. On a network every small file costs round trips. The GPU waits.

    ## How it is judged

    A measurement comes first: one reader that gets less than `files_per_second` from a
    data set of many small files (`many_files` or more, 1 MiB each on average or less),
    or less than `bytes_per_second` from large ones, reads no faster than from a hard
    disk (100 seeks/s, 150 MB/s). Without one (`--quick`, or the page cache could not
    be passed over), network file systems, shares of a host and hard disks are likely
    slow for many small files. The kernel's word for a hard disk counts on SATA and SAS
    alone: virtual disks and RAID controllers call themselves rotating, too. A data set
    that fits in half of the memory left is slow in the first epoch only: a note.
    Large files behind a read-ahead below `read_ahead` are a note.

    What `pipedoctor bench disk PATH` measured on this machine (`check --measured
    FILE`) takes the place of the short cold read of `--data PATH`, and is judged
    without `--data` as well. A copy is said to be so many times as fast where both
    were read, the data and something that lies on the same disk as the copy would
    (`--data` twice); only then, or where the copy is in memory, an epoch is
    foretold to gain. What fits in the page cache gains in its first epoch alone.

    ## Sources

    - https://apxml.com/courses/planning-optimizing-ai-infrastructure/chapter-2-designing-on-premise-ai-infrastructure/high-speed-storage-configurations
    - https://access.redhat.com/solutions/7008833
    - https://github.com/eth-cscs/cscs-docs/pull/166
    - https://github.com/microsoft/WSL/issues/4197
    - https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
    """
    doubts: list[str] = []
    found: list[Finding] = []
    places = Places(paths, memory, shm, loader)
    for entry in datasets.entries:
        under, speed = medium(entry, table), reading(entry, many_files)
        complaint = speed.complaint(files_per_second, bytes_per_second)
        if entry.hang:
            doubts.append(doubt(entry, under))
        elif complaint or (under.slow and not speed.measured):
            plan = planned(entry, speed, places, datasets.entries)
            remedies = fitting(
                site.habitat if site else None, *cures(entry, under, speed, plan)
            )
            found.append(_slow(entry, under, speed, complaint, plan, remedies))
        elif not speed.measured and not under.fast:
            doubts.append(doubt(entry, under))
        found += read_ahead_note(entry, speed, read_ahead)
    if doubts and not found:
        raise CannotJudge("; ".join(doubts))
    yield from found


def _slow(
    entry: DataSet,
    under: Medium,
    speed: Reading,
    complaint: str,
    plan: Plan,
    remedies: tuple[Remedy, ...],
) -> Finding:
    mild = plan.cached or not (complaint or speed.many_small or under.shared)
    return Finding(
        severity=Severity.NOTE if mild else Severity.SLOWS,
        confidence=Confidence.CERTAIN if complaint else Confidence.LIKELY,
        summary=_summary(entry, under.words, complaint, plan.cached),
        evidence=evidence(entry, speed, plan),
        counterfactual=plan.counterfactual,
        remedies=remedies,
    )


def _summary(entry: DataSet, words: str, complaint: str, cached: bool) -> str:
    text = f"{entry.path} lies on {words}; not measured"
    if complaint:
        text = f"{entry.path}: one reader gets {complaint} from {words}"
    return text + "; it fits in memory: only the first epoch is slow" * cached
