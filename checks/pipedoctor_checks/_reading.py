"""How fast one reader was, and whether the speed or only the medium tells."""

import msgspec

from pipedoctor.facts import ColdRead, DataSet, Sample
from pipedoctor.units import MiB, human

ENOUGH_FILES = 8
ENOUGH_BYTES = 4 * MiB
ENOUGH_SECONDS = 1.0
"""So long over fewer reads than these is a measurement, too."""
SMALL = MiB
"""What the cold read calls a small file; the average decides for a data set."""


class Reading(msgspec.Struct, frozen=True):
    """What was measured of a data set; None: not, or of too few reads."""

    many_small: bool
    files_per_second: float | None = None
    bytes_per_second: float | None = None
    cold: bool = False

    def complaint(self, files: float, size: float) -> str:
        """What one reader gets, if that is less than these rates; else empty."""
        rate = self.files_per_second if self.many_small else None
        if rate is not None and rate < files:
            return f"{rate:.0f} small files/s"
        if self.bytes_per_second is not None and self.bytes_per_second < size:
            return f"{human(int(self.bytes_per_second))}/s"
        return ""

    @property
    def measured(self) -> bool:
        """Do the rates speak of the storage, not of a cache in front of it?"""
        known = self.files_per_second is not None or self.bytes_per_second is not None
        return known and self.cold

    @property
    def rate(self) -> float | None:
        """Small files per second where there are many of them, else bytes."""
        return self.files_per_second if self.many_small else self.bytes_per_second

    def times(self, other: "Reading") -> float | None:
        """How many times as fast the other is; None: not both were measured."""
        if not (self.measured and other.measured and self.rate and other.rate):
            return None
        return other.rate / self.rate

    def seconds(self, sample: Sample | None) -> float | None:
        """In which one reader has read all of it from storage; None: not measured."""
        if sample is None or not self.rate or not self.measured:
            return None
        return (sample.files if self.many_small else sample.bytes) / self.rate


def reading(entry: DataSet, many_files: int) -> Reading:
    """The rates that matter: of files where they are many and small, else of bytes."""
    return _of(entry.cold_read, many_small(entry.sample, many_files))


def beside(entry: DataSet, speed: Reading) -> Reading:
    """What another place gives of files like those that this speed is of."""
    return _of(entry.cold_read, speed.many_small)


def _of(cold: ColdRead | None, many: bool) -> Reading:
    if cold is None:
        return Reading(many)
    files = cold.small_files >= ENOUGH_FILES or cold.small_seconds >= ENOUGH_SECONDS
    size = cold.large_bytes >= ENOUGH_BYTES or cold.large_seconds >= ENOUGH_SECONDS
    return Reading(
        many,
        files_per_second=cold.small_files_per_second if files else None,
        bytes_per_second=cold.bytes_per_second if size and not many else None,
        cold=cold.cold,
    )


def many_small(sample: Sample | None, many_files: int) -> bool:
    """Is it a data set of many small files, as far as the walk came?"""
    if sample is None or not sample.files:
        return False
    many = sample.files >= many_files or not sample.complete
    return many and sample.bytes <= sample.files * SMALL
