"""Images decoded once: where to store the pixels, and the code to create them."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.units import format_size
from pipedoctor_checks._shared.storage_capacity import StorageContext


def preload_to_memory(size: int, side: int, places: StorageContext) -> Remedy:
    """Advise one shared tensor of all images, in /dev/shm if it fits."""
    shm = places.shm
    need = size + (places.in_flight or 0)
    small = shm is not None and not shm.unlimited and need > shm.usable_bytes
    how = (
        f"# no share_memory_(): /dev/shm has {format_size(shm.usable_bytes)}; forked workers"
        " share it"
        if small and shm is not None
        else "pixels.share_memory_()  # fill it once, before the DataLoader is created"
    )
    return in_code(
        f"Decode all images once into one tensor of {format_size(size)} shared by the workers"
        " (recipe preload-to-a-tensor)",
        f"pixels = torch.empty(len(files), 3, {side}, {side}, dtype=torch.uint8)\n{how}",
    )


def cache_on_disk(folder: str, size: int, side: int) -> Remedy:
    """Advise a file of decoded images that all workers map."""
    return in_code(
        f"Decode all images once into a file of {format_size(size)} in {folder}"
        " (recipe decoded-cache-on-disk)",
        "pixels = numpy.lib.format.open_memmap(path, mode='w+', dtype='uint8',\n"
        f"{' ' * 38}shape=(len(files), {side}, {side}, 3))",
    )
