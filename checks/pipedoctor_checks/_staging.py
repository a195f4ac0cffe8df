"""Where a data set could be copied to before the job: only where it really fits."""

from collections.abc import Iterator

from pipedoctor.facts import DataSet, Loader, Memory, PathFact, Paths, Shm
from pipedoctor.remedy import Lasts, Remedy, in_code
from pipedoctor.units import GiB, human
from pipedoctor_checks._medium import SLOW_KINDS, Medium, solid

SPARE = 1.1
"""Blocks and folders take room, too."""
LEFT_FREE = GiB


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


def cures(
    entry: DataSet, under: Medium, many: bool, places: Places
) -> Iterator[Remedy]:
    """Copy it to faster storage, pack its files, heed what is known of its kind."""
    target = _target(entry, places)
    if target:
        yield _copy(entry, *target)
    if many:
        yield in_code(
            "Pack the small files into a few large ones (tar shards for WebDataset,"
            " LMDB, Parquet, squashfs) and read these in sequence"
        )
    if under.row and under.row.kind in SLOW_KINDS and under.row.advice:
        yield in_code(f"Known of {under.row.fstype}: {under.row.advice}")


def in_page_cache(entry: DataSet, places: Places) -> bool:
    """Does all of it fit in half of the memory left, so that it is read but once?"""
    sample, memory = entry.sample, places.memory
    if sample is None or memory is None or not sample.complete:
        return False
    return sample.bytes <= memory.room // 2


def _target(entry: DataSet, places: Places) -> tuple[str, int] | None:
    """A folder on a local SSD, else /dev/shm; and what is free there."""
    sample = entry.sample
    if sample is None or not sample.complete or not sample.files:
        return None
    need = int(sample.bytes * SPARE)
    for place in places.paths.of("scratch", "tmp"):
        if holds(place, need, sample.files) and _faster(place, entry):
            return place.path, place.free or 0
    if _fits_in_memory(need, places) and places.shm:
        return "/dev/shm", places.shm.room
    return None


def holds(place: PathFact, need: int, files: int) -> bool:
    """Is there room for so many bytes and files, and may we write there?"""
    room = (place.free or 0) >= need + LEFT_FREE
    inodes = place.unlimited_inodes or (place.inodes_free or 0) > files * SPARE
    return bool(place.writable) and place.exists and room and inodes


def _faster(place: PathFact, entry: DataSet) -> bool:
    """Is it an SSD of this machine, and not the disk that the data lies on?"""
    own = {disk.name for disk in entry.disks}
    names = {disk.name for disk in place.disks}
    return solid_place(place) and not own & names


def solid_place(place: PathFact) -> bool:
    """Does it lie on solid-state disks of this machine alone?"""
    return bool(place.disks) and all(map(solid, place.disks))


def _fits_in_memory(need: int, places: Places) -> bool:
    """Do the data and the batches in flight fit in /dev/shm and in memory?"""
    shm, memory, flying = places.shm, places.memory, places.in_flight
    if shm is None or memory is None or flying is None:
        return False
    usable = shm.here and shm.mounted and not shm.read_only and not shm.unlimited
    return usable and need + flying <= min(shm.room, memory.room // 2)


def _copy(entry: DataSet, folder: str, free: int) -> Remedy:
    size = human(entry.sample.bytes if entry.sample else 0)
    return Remedy(
        title=f"Copy its {size} to {folder} ({human(free)} free) before the job",
        argv=("rsync", "-a", "--info=progress2", entry.path, folder.rstrip("/") + "/"),
        lasts=Lasts.BOOT,
        advice=True,
    )
