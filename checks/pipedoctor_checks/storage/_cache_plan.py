"""The size of a decoded dataset, where it fits, and what it saves."""

import msgspec

from pipedoctor.engine.measurements import describe_other_machine
from pipedoctor.facts import BenchDecode, BenchDisk, Cpu, DataSet, Spread
from pipedoctor.facts.bench_decode import REFERENCE_PATH
from pipedoctor_checks._shared.storage_capacity import StorageContext, has_room, is_on_ssd

IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
CHANNELS = 3


class ImageCosts(msgspec.Struct, frozen=True):
    """Measured seconds per image; None: not measured."""

    decode: Spread | None = None
    """CPU time of decoding and resizing with PIL."""
    read: Spread | None = None
    """Random reads from storage, in blocks of about the size of a decoded image."""

    @property
    def saving(self) -> Spread | None:
        """Decoding time saved by reading the pixels instead; None: nothing."""
        if self.decode is None or self.read is None:
            return None
        low = self.decode.low - self.read.high
        if low <= 0:
            return None
        return Spread(
            value=self.decode.value - self.read.value,
            low=low,
            high=self.decode.high - self.read.low,
            windows=min(self.decode.windows, self.read.windows),
        )


def decoded_bytes(entry: DataSet, side: int) -> int:
    """Bytes of all images' pixels at this size; 0 if most files are not images."""
    sample = entry.sample
    if sample is None or not sample.files:
        return 0
    images = sum(n for kind, n in sample.suffixes.items() if kind in IMAGE_SUFFIXES)
    return images * side * side * CHANNELS if 2 * images > sample.files else 0


def measured_costs(
    decoding: BenchDecode | None, reading: BenchDisk | None, cpu: Cpu | None
) -> ImageCosts:
    """What `bench` measured on this machine."""
    decode = read = None
    if decoding is not None and not describe_other_machine(decoding.host, cpu):
        path = decoding.find(REFERENCE_PATH, "resize")
        decode = _invert_rate(path.rate) if path else None
    if reading is not None and not describe_other_machine(reading.host, cpu):
        wanted = ("random", "cold", 1)
        rates = [
            found.operations_per_second
            for found in reading.readings
            if (found.pattern, found.cache, found.readers) == wanted
        ]
        read = _invert_rate(rates[0]) if rates else None
    return ImageCosts(decode, read)


def find_cache_folder(size: int, places: StorageContext) -> str | None:
    """A folder on a local solid-state disk with room for so many bytes."""
    for place in places.paths.find_roles("scratch", "tmp"):
        if has_room(place, size, 1) and is_on_ssd(place):
            return place.path
    return None


def memory_for_cache(places: StorageContext, share: float) -> float:
    """Bytes that may be kept in memory in addition to the batches in flight."""
    room = places.memory.usable_bytes if places.memory else 0
    return room * share - (places.in_flight or 0)


def _invert_rate(rate: Spread | None) -> Spread | None:
    if rate is None:
        return None
    return Spread(value=1 / rate.value, low=1 / rate.high, high=1 / rate.low, windows=rate.windows)
