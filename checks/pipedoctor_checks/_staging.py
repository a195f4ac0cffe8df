"""Where a data set is read from best: memory, another disk, or where it lies."""

from collections.abc import Iterable, Iterator

import msgspec

from pipedoctor.check import Counterfactual
from pipedoctor.facts import (
    DataSet,
    DataSets,
    Loader,
    Memory,
    PathFact,
    Paths,
    Shm,
)
from pipedoctor.remedy import Lasts, Remedy, in_code
from pipedoctor.units import GiB, human
from pipedoctor_checks._medium import SLOW_KINDS, Medium, solid
from pipedoctor_checks._reading import Reading, beside

SPARE = 1.1
"""Blocks and folders take room, too."""
LEFT_FREE = GiB
GONE = 1000.0
"""So many times as fast: of what is not done any more, hardly anything is left."""
SHM = "/dev/shm"


class Places:
    """What is known of storage and memory on this machine."""

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


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What can be done about the place of a data set, and what that would bring."""

    cached: bool = False
    """It fits in the page cache: only the first epoch reads it from there."""
    folder: str = ""
    """Where it could be copied to; empty: nowhere, or for nothing."""
    free: int = 0
    times: float | None = None
    """How many times as fast it is read there; None: nobody has measured both."""

    @property
    def counterfactual(self) -> Counterfactual | None:
        """What a copy changes of every epoch; None: nothing, or nobody knows."""
        return Counterfactual(storage=self.times) if self.times else None


def planned(
    entry: DataSet, speed: Reading, places: Places, others: Iterable[DataSet]
) -> Plan:
    """`others` are data sets that may have been read from where it could be copied."""
    if in_page_cache(entry, places):
        return Plan(cached=True)
    sample = entry.sample
    if sample is None or not sample.complete or not sample.files:
        return Plan()
    need = int(sample.bytes * SPARE)
    for place in places.paths.of("scratch", "tmp"):
        if holds(place, need, sample.files) and _elsewhere(place, entry):
            times = _times(place, speed, others)
            if times is None or times > 1:
                return Plan(folder=place.path, free=place.free or 0, times=times)
    flying, shm = places.in_flight, places.shm
    if shm and flying is not None and fits_in_shm(need + flying, places):
        return Plan(folder=SHM, free=shm.room, times=GONE)
    return Plan()


def cures(
    entry: DataSet, under: Medium, speed: Reading, plan: Plan
) -> Iterator[Remedy]:
    """Copy it to faster storage, pack its files, heed what is known of its kind."""
    if plan.cached:
        yield _warmed(entry, speed)
    if plan.folder:
        yield _copy(entry, plan)
    if speed.many_small:
        yield in_code(
            "Pack the small files into a few large ones (tar shards for WebDataset,"
            " LMDB, Parquet, squashfs) and read these in sequence"
        )
    if under.row and under.row.kind in SLOW_KINDS and under.row.advice:
        yield in_code(f"Known of {under.row.fstype}: {under.row.advice}")


def in_page_cache(entry: DataSet, places: Places) -> bool:
    """
    Does all of it fit in half of the memory left, so that it is read but once?

    Not where the kernel may keep no pages: FUSE and 9p decide that by their options.
    """
    sample, memory = entry.sample, places.memory
    if sample is None or memory is None or not sample.complete:
        return False
    fstype = entry.mount.fstype if entry.mount else ""
    kept = fstype != "9p" and not fstype.startswith("fuse")
    return kept and sample.bytes <= memory.room // 2


def all_in_page_cache(datasets: DataSets | None, places: Places) -> bool:
    """Does it hold for each of them? Not where there is none."""
    entries = datasets.entries if datasets else ()
    return bool(entries) and all(in_page_cache(entry, places) for entry in entries)


def holds(place: PathFact, need: int, files: int) -> bool:
    """Is there room for so many bytes and files, and may we write there?"""
    room = (place.free or 0) >= need + LEFT_FREE
    inodes = place.unlimited_inodes or (place.inodes_free or 0) > files * SPARE
    return bool(place.writable) and place.exists and room and inodes


def _elsewhere(place: PathFact, entry: DataSet) -> bool:
    """Is it an SSD of this machine, and not the disk that the data lies on?"""
    own = {disk.name for disk in entry.disks}
    return solid_place(place) and not own & {disk.name for disk in place.disks}


def solid_place(place: PathFact) -> bool:
    """Does it lie on solid-state disks of this machine alone?"""
    return bool(place.disks) and all(map(solid, place.disks))


def _times(place: PathFact, speed: Reading, others: Iterable[DataSet]) -> float | None:
    """How many times as fast one reader is there, by what was read from its disks."""
    names = {disk.name for disk in place.disks}
    for other in others:
        if {disk.name for disk in other.disks} == names:
            times = speed.times(beside(other, speed))
            if times is not None:
                return min(times, GONE)
    return None


def fits_in_shm(need: int, places: Places, share: float = 0.5) -> bool:
    """Do so many bytes fit in /dev/shm, and in this share of the memory left?"""
    shm, memory = places.shm, places.memory
    if shm is None or memory is None:
        return False
    usable = shm.here and shm.mounted and not shm.read_only and not shm.unlimited
    return usable and need <= min(shm.room, memory.room * share)


def _warmed(entry: DataSet, speed: Reading) -> Remedy:
    seconds = speed.seconds(entry.sample)
    most = f", of at most {seconds:.0f} s" if seconds else ""
    return in_code(
        f"Read it once with many threads before the job: that spares the first epoch"
        f" its waiting{most}, and later ones nothing (recipe warm-the-page-cache)",
        f"warm(Path({entry.path!r}))",
    )


def _copy(entry: DataSet, plan: Plan) -> Remedy:
    size = human(entry.sample.bytes if entry.sample else 0)
    known = plan.times is not None and plan.folder != SHM
    faster = f", where it is read {plan.times:.2g} times as fast" if known else ""
    return Remedy(
        title=f"Copy its {size} to {plan.folder} ({human(plan.free)} free) before the"
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
