"""Images decoded once: where the pixels are kept, and the lines that make them."""

from pipedoctor.remedy import Remedy, in_code
from pipedoctor.units import human
from pipedoctor_checks._staging import Places


def preloaded(size: int, side: int, places: Places) -> Remedy:
    """In /dev/shm where it fits there: every start method shares it then."""
    shm = places.shm
    need = size + (places.in_flight or 0)
    small = shm is not None and not shm.unlimited and need > shm.room
    how = (
        f"# no share_memory_(): /dev/shm has {human(shm.room)}; forked workers share it"
        if small and shm is not None
        else "pixels.share_memory_()  # fill it once, before the DataLoader is made"
    )
    return in_code(
        f"Decode it once into one tensor of {human(size)} that the workers share"
        " (recipe preload-to-a-tensor)",
        f"pixels = torch.empty(len(files), 3, {side}, {side}, dtype=torch.uint8)\n"
        f"{how}",
    )


def on_disk(folder: str, size: int, side: int) -> Remedy:
    """In a file that all workers map."""
    return in_code(
        f"Decode it once into a file of {human(size)} in {folder}"
        " (recipe decoded-cache-on-disk)",
        "pixels = numpy.lib.format.open_memmap(path, mode='w+', dtype='uint8',\n"
        f"{' ' * 38}shape=(len(files), {side}, {side}, 3))",
    )
