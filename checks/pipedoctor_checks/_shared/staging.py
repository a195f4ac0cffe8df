"""Where to read a dataset from: memory, another disk, or its current location."""

from collections.abc import Iterable, Iterator

import msgspec

from pipedoctor.check import Counterfactual, Lasts, Remedy, in_code
from pipedoctor.facts import (
    DataSet,
    DataSets,
    Loader,
    Memory,
    PathFact,
    Paths,
    Shm,
)
from pipedoctor.units import GiB, format_size
from pipedoctor_checks._shared.cold_read import ColdReadRates, comparable_rates
from pipedoctor_checks._shared.storage_medium import SLOW_KINDS, StorageMedium, is_ssd

SIZE_MARGIN = 1.1
"""Margin for blocks and directories."""
FREE_RESERVE = GiB
ELIMINATED_SPEEDUP = 1000.0
"""Speedup of work that is no longer done: almost nothing remains."""
SHM = "/dev/shm"


class StorageContext:
    """What is known about storage and memory on this machine."""

    def __init__(
        self,
        paths: Paths | None,
        memory: Memory | None,
        shm: Shm | None,
        loader: Loader | None,
    ) -> None:
        self.paths = paths or Paths()
        self.memory = memory
        self.shm = shm
        self.in_flight = loader.bytes_in_flight if loader else None


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


def fits_in_page_cache(entry: DataSet, places: StorageContext) -> bool:
    """
    Does it fit in half of the available memory, so that it is read only once?

    Not if the kernel may not cache pages: FUSE and 9p decide that by their options.
    """
    sample, memory = entry.sample, places.memory
    if sample is None or memory is None or not sample.complete:
        return False
    fstype = entry.mount.fstype if entry.mount else ""
    kept = fstype != "9p" and not fstype.startswith("fuse")
    return kept and sample.bytes <= memory.usable_bytes // 2


def all_fit_in_page_cache(datasets: DataSets | None, places: StorageContext) -> bool:
    """Do all datasets fit in the page cache? False if there is none."""
    entries = datasets.entries if datasets else ()
    return bool(entries) and all(fits_in_page_cache(entry, places) for entry in entries)


def has_room(place: PathFact, need: int, files: int) -> bool:
    """Is there room for so many bytes and files, and write permission?"""
    room = (place.free or 0) >= need + FREE_RESERVE
    inodes = place.unlimited_inodes or (place.inodes_free or 0) > files * SIZE_MARGIN
    return bool(place.writable) and place.exists and room and inodes


def _is_other_ssd(place: PathFact, entry: DataSet) -> bool:
    """Is it an SSD of this machine, and not the disk that holds the data?"""
    own = {disk.name for disk in entry.disks}
    return is_on_ssd(place) and not own & {disk.name for disk in place.disks}


def is_on_ssd(place: PathFact) -> bool:
    """Is it on local solid-state disks only?"""
    return bool(place.disks) and all(map(is_ssd, place.disks))


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


def fits_in_shm(need: int, places: StorageContext, share: float = 0.5) -> bool:
    """Do so many bytes fit in /dev/shm, and in this share of the available memory?"""
    shm, memory = places.shm, places.memory
    if shm is None or memory is None:
        return False
    usable = shm.here and shm.mounted and not shm.read_only and not shm.unlimited
    return usable and need <= min(shm.usable_bytes, memory.usable_bytes * share)


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
        argv=(
            "rsync",
            "-a",
            "--info=progress2",
            entry.path,
            plan.folder.rstrip("/") + "/",
        ),
        lasts=Lasts.BOOT,
        advice=True,
    )
