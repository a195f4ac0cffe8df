"""Where to read a dataset from: memory, another disk, or its current location."""

from collections.abc import Iterable, Iterator

import msgspec

from pipedoctor.check import Counterfactual, Lasts, Remedy, in_code
from pipedoctor.facts import DataSet, PathFact
from pipedoctor.units import format_size
from pipedoctor_checks._shared.cold_read import ColdReadRates, comparable_rates
from pipedoctor_checks._shared.storage_capacity import (
    SIZE_MARGIN,
    StorageContext,
    fits_in_page_cache,
    fits_in_shm,
    has_room,
    is_on_ssd,
)
from pipedoctor_checks._shared.storage_medium import SLOW_KINDS, StorageMedium

ELIMINATED_SPEEDUP = 1000.0
"""Speedup of work that is no longer done: almost nothing remains."""
SHM = "/dev/shm"


class StagingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What can be done about the location of a dataset, and what that gains."""

    cached: bool = False
    """It fits in the page cache: only the first epoch reads it from storage."""
    folder: str = ""
    """Where it could be copied to; empty: nowhere, or there is no reason to."""
    free: int = 0
    speedup: float | None = None
    """How many times as fast it is read there; None: not both were measured."""

    @property
    def counterfactual(self) -> Counterfactual | None:
        """What a copy changes in every epoch; None: nothing, or unknown."""
        return Counterfactual(storage=self.speedup) if self.speedup else None


def plan_staging(
    entry: DataSet,
    speed: ColdReadRates,
    context: StorageContext,
    others: Iterable[DataSet],
) -> StagingPlan:
    """Plan where to read a dataset from; `others` may show that place's speed."""
    if fits_in_page_cache(entry, context):
        return StagingPlan(cached=True)
    sample = entry.sample
    if sample is None or not sample.complete or not sample.files:
        return StagingPlan()
    need = int(sample.bytes * SIZE_MARGIN)
    for place in context.paths.find_roles("scratch", "tmp"):
        if has_room(place, need, sample.files) and _is_other_ssd(place, entry):
            times = _measured_speedup(place, speed, others)
            if times is None or times > 1:
                return StagingPlan(folder=place.path, free=place.free or 0, speedup=times)
    flying, shm = context.in_flight, context.shm
    if shm and flying is not None and fits_in_shm(need + flying, context):
        return StagingPlan(folder=SHM, free=shm.usable_bytes, speedup=ELIMINATED_SPEEDUP)
    return StagingPlan()


def staging_remedies(
    entry: DataSet, medium: StorageMedium, speed: ColdReadRates, plan: StagingPlan
) -> Iterator[Remedy]:
    """Copy to faster storage, pack files, follow advice for the file system."""
    if plan.cached:
        yield _warm_page_cache(entry, speed)
    if plan.folder:
        yield _copy_dataset(entry, plan)
    if speed.many_small:
        yield in_code(
            "Pack the small files into a few large ones (tar shards for WebDataset, LMDB,"
            " Parquet, squashfs) and read them sequentially"
        )
    if medium.row and medium.row.kind in SLOW_KINDS and medium.row.advice:
        yield in_code(f"For {medium.row.fstype}: {medium.row.advice}")


def _is_other_ssd(place: PathFact, entry: DataSet) -> bool:
    """Is it an SSD of this machine, and not the disk that holds the data?"""
    own = {disk.name for disk in entry.disks}
    return is_on_ssd(place) and not own & {disk.name for disk in place.disks}


def _measured_speedup(
    place: PathFact, speed: ColdReadRates, others: Iterable[DataSet]
) -> float | None:
    """How many times as fast one reader is there, from what was read from its disks."""
    names = {disk.name for disk in place.disks}
    for other in others:
        if {disk.name for disk in other.disks} == names:
            times = speed.speedup_to(comparable_rates(other, speed))
            if times is not None:
                return min(times, ELIMINATED_SPEEDUP)
    return None


def _warm_page_cache(entry: DataSet, speed: ColdReadRates) -> Remedy:
    seconds = speed.seconds_to_read(entry.sample)
    most = f", up to {seconds:.0f} s" if seconds else ""
    return in_code(
        "Read it once with many threads before the job; this removes the wait of the first"
        f" epoch{most}, and does not affect later ones (recipe warm-the-page-cache)",
        f"warm(Path({entry.path!r}))",
    )


def _copy_dataset(entry: DataSet, plan: StagingPlan) -> Remedy:
    size = format_size(entry.sample.bytes if entry.sample else 0)
    known = plan.speedup is not None and plan.folder != SHM
    faster = f", where it reads {plan.speedup:.2g} times as fast" if known else ""
    return Remedy(
        title=f"Copy its {size} to {plan.folder} ({format_size(plan.free)} free) before the"
        f" job{faster} (recipe stage-to-local-disk)",
        argv=("cp", "-a", entry.path, plan.folder.rstrip("/") + "/"),
        lasts=Lasts.BOOT,
        advice=True,
    )
