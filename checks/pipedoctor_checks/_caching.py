"""What a decoded data set takes, where it fits, and what it saves."""

import msgspec

from pipedoctor.facts import BenchDecode, BenchDisk, Cpu, DataSet, Spread
from pipedoctor.facts.bench_decode import REFERENCE
from pipedoctor.measured import elsewhere
from pipedoctor_checks._staging import Places, holds, solid_place

IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
CHANNELS = 3


class Costs(msgspec.Struct, frozen=True):
    """Seconds per image as they were measured; None: they were not."""

    decode: Spread | None = None
    """CPU time of decoding and resizing with PIL."""
    read: Spread | None = None
    """Of a block of about a decoded image's size, at random, from storage."""

    @property
    def saved(self) -> Spread | None:
        """What is left of decoding when the pixels are read instead; None: nothing."""
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
    """Pixels of all images at this size; 0 where most files are no images."""
    sample = entry.sample
    if sample is None or not sample.files:
        return 0
    images = sum(n for kind, n in sample.suffixes.items() if kind in IMAGES)
    return images * side * side * CHANNELS if 2 * images > sample.files else 0


def costs(
    decoding: BenchDecode | None, reading: BenchDisk | None, cpu: Cpu | None
) -> Costs:
    """What `bench` measured on this machine."""
    decode = read = None
    if decoding is not None and not elsewhere(decoding.host, cpu):
        path = decoding.find(REFERENCE, "resize")
        decode = _inverse(path.rate) if path else None
    if reading is not None and not elsewhere(reading.host, cpu):
        wanted = ("random", "cold", 1)
        rates = [
            found.operations_per_second
            for found in reading.readings
            if (found.pattern, found.cache, found.readers) == wanted
        ]
        read = _inverse(rates[0]) if rates else None
    return Costs(decode, read)


def folder_for(size: int, places: Places) -> str | None:
    """A folder on a local solid-state disk with room for so many bytes."""
    for place in places.paths.of("scratch", "tmp"):
        if holds(place, size, 1) and solid_place(place):
            return place.path
    return None


def room_in_memory(places: Places, share: float) -> float:
    """Bytes that may be kept in memory beside the batches in flight."""
    room = places.memory.room if places.memory else 0
    return room * share - (places.in_flight or 0)


def _inverse(rate: Spread | None) -> Spread | None:
    if rate is None:
        return None
    return Spread(
        value=1 / rate.value, low=1 / rate.high, high=1 / rate.low, windows=rate.windows
    )
