"""How much storage and memory this machine has for a dataset."""

from pipedoctor.facts import DataSet, DataSets, Loader, Memory, PathFact, Paths, Shm
from pipedoctor.units import GiB
from pipedoctor_checks._shared.storage_medium import is_ssd

SIZE_MARGIN = 1.1
"""Margin for blocks and directories."""
FREE_RESERVE = GiB


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


def is_on_ssd(place: PathFact) -> bool:
    """Is it on local solid-state disks only?"""
    return bool(place.disks) and all(map(is_ssd, place.disks))


def fits_in_shm(need: int, places: StorageContext, share: float = 0.5) -> bool:
    """Do so many bytes fit in /dev/shm, and in this share of the available memory?"""
    shm, memory = places.shm, places.memory
    if shm is None or memory is None:
        return False
    usable = shm.here and shm.mounted and not shm.read_only and not shm.unlimited
    return usable and need <= min(shm.usable_bytes, memory.usable_bytes * share)
