"""PDR710: can the storage under the dataset deliver?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
    select_remedies,
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
from pipedoctor_checks._shared.cold_read import ColdReadRates, dataset_rates
from pipedoctor_checks._shared.storage_capacity import StorageContext
from pipedoctor_checks._shared.storage_medium import StorageMedium, identify_medium
from pipedoctor_checks.storage._staging import StagingPlan, plan_staging, staging_remedies
from pipedoctor_checks.storage._storage_evidence import (
    collect_evidence,
    explain_unknown,
    report_read_ahead,
)


@check("PDR710", "The storage under the dataset is slow", fix="machine")
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
    Judge each --data path by a cold read, else by its storage medium.

    ## Why it hurts

    A hard disk does about 100 seeks per second: 50 to 100 pictures, regardless of
    `num_workers`. On a network every small file costs round trips. The GPU waits.

    ## How it is judged

    A measurement has priority: one reader that gets less than `files_per_second` from a
    dataset of many small files (`many_files` or more, 1 MiB each on average or less),
    or less than `bytes_per_second` from large ones, reads no faster than from a hard
    disk (100 seeks/s, 150 MB/s). Without a measurement (`--quick`, or the page cache
    could not be bypassed), network file systems, directories shared by a host and hard
    disks are likely slow for many small files. The kernel's rotational flag is trusted
    only for SATA and SAS: virtual disks and RAID controllers also report themselves as
    rotating. A dataset that fits in half of the available memory is slow only in the
    first epoch: a note. Large files with a read-ahead below `read_ahead` are a note.

    What `pipedoctor bench disk PATH` measured on this machine (`check --measured FILE`)
    replaces the short cold read of `--data PATH`, and is judged without `--data` as
    well. A speedup of a copy is stated only if both were read: the data, and something
    on the disk that would hold the copy (`--data` twice). Only then, or if the copy is
    in memory, is a gain per epoch predicted. Data that fits in the page cache gains
    only in its first epoch.

    ## Sources

    - https://apxml.com/courses/planning-optimizing-ai-infrastructure/chapter-2-designing-on-premise-ai-infrastructure/high-speed-storage-configurations
    - https://access.redhat.com/solutions/7008833
    - https://github.com/eth-cscs/cscs-docs/pull/166
    - https://github.com/microsoft/WSL/issues/4197
    - https://man7.org/linux/man-pages/man2/posix_fadvise.2.html
    """
    doubts: list[str] = []
    found: list[Finding] = []
    places = StorageContext(paths, memory, shm, loader)
    for entry in datasets.entries:
        under, speed = identify_medium(entry, table), dataset_rates(entry, many_files)
        complaint = speed.describe_shortfall(files_per_second, bytes_per_second)
        if entry.hang:
            doubts.append(explain_unknown(entry, under))
        elif complaint or (under.slow and not speed.is_measured):
            plan = plan_staging(entry, speed, places, datasets.entries)
            remedies = select_remedies(
                site.launcher if site else None,
                *staging_remedies(entry, under, speed, plan),
            )
            found.append(_report_slow(entry, under, speed, complaint, plan, remedies))
        elif not speed.is_measured and not under.fast:
            doubts.append(explain_unknown(entry, under))
        found += report_read_ahead(entry, speed, read_ahead)
    if doubts and not found:
        raise CannotJudge("; ".join(doubts))
    yield from found


def _report_slow(
    entry: DataSet,
    medium: StorageMedium,
    speed: ColdReadRates,
    complaint: str,
    plan: StagingPlan,
    remedies: tuple[Remedy, ...],
) -> Finding:
    mild = plan.cached or not (complaint or speed.many_small or medium.is_host_share)
    return Finding(
        severity=Severity.NOTE if mild else Severity.SLOWS,
        confidence=Confidence.CERTAIN if complaint else Confidence.LIKELY,
        summary=_summarize(entry, medium.words, complaint, plan.cached),
        evidence=collect_evidence(entry, speed, plan),
        counterfactual=plan.counterfactual,
        remedies=remedies,
    )


def _summarize(entry: DataSet, words: str, complaint: str, cached: bool) -> str:
    text = f"{entry.path} is on {words}; not measured"
    if complaint:
        text = f"{entry.path}: one reader gets {complaint} from {words}"
    return text + "; it fits in memory: only the first epoch is slow" * cached
