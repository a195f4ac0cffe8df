"""How fast one reader was, and whether that shows the speed of the storage."""

import msgspec

from pipedoctor.facts import ColdRead, DataSet, Sample
from pipedoctor.units import MiB, format_size

MIN_FILES = 8
MIN_BYTES = 4 * MiB
MIN_SECONDS = 1.0
"""This many seconds are a measurement even if there were fewer reads."""
SMALL_FILE_BYTES = MiB
"""What the cold read calls a small file; the average decides for a dataset."""


class ColdReadRates(msgspec.Struct, frozen=True):
    """Read rates of a dataset; None: not measured, or from too few reads."""

    many_small: bool
    files_per_second: float | None = None
    bytes_per_second: float | None = None
    cold: bool = False

    def describe_shortfall(self, files: float, size: float) -> str:
        """The rate of one reader, if it is below these thresholds; else empty."""
        rate = self.files_per_second if self.many_small else None
        if rate is not None and rate < files:
            return f"{rate:.0f} small files/s"
        if self.bytes_per_second is not None and self.bytes_per_second < size:
            return f"{format_size(int(self.bytes_per_second))}/s"
        return ""

    @property
    def is_measured(self) -> bool:
        """Do the rates reflect the storage, not a cache in front of it?"""
        known = self.files_per_second is not None or self.bytes_per_second is not None
        return known and self.cold

    @property
    def rate(self) -> float | None:
        """Small files per second if there are many of them, else bytes per second."""
        return self.files_per_second if self.many_small else self.bytes_per_second

    def speedup_to(self, other: "ColdReadRates") -> float | None:
        """How many times as fast the other is; None: not both were measured."""
        if not (self.is_measured and other.is_measured and self.rate and other.rate):
            return None
        return other.rate / self.rate

    def seconds_to_read(self, sample: Sample | None) -> float | None:
        """Seconds for one reader to read the whole dataset; None: not measured."""
        if sample is None or not self.rate or not self.is_measured:
            return None
        return (sample.files if self.many_small else sample.bytes) / self.rate


def dataset_rates(entry: DataSet, many_files: int) -> ColdReadRates:
    """Return the rates that matter: of files if many and small, else of bytes."""
    return _convert_rates(entry.cold_read, has_many_small_files(entry.sample, many_files))


def comparable_rates(entry: DataSet, rates: ColdReadRates) -> ColdReadRates:
    """Return another dataset's rates for the same kind of files as these."""
    return _convert_rates(entry.cold_read, rates.many_small)


def _convert_rates(cold: ColdRead | None, many: bool) -> ColdReadRates:
    if cold is None:
        return ColdReadRates(many)
    files = cold.small_files >= MIN_FILES or cold.small_seconds >= MIN_SECONDS
    size = cold.large_bytes >= MIN_BYTES or cold.large_seconds >= MIN_SECONDS
    return ColdReadRates(
        many,
        files_per_second=cold.small_files_per_second if files else None,
        bytes_per_second=cold.bytes_per_second if size and not many else None,
        cold=cold.cold,
    )


def has_many_small_files(sample: Sample | None, many_files: int) -> bool:
    """Is it a dataset of many small files, as far as the walk got?"""
    if sample is None or not sample.files:
        return False
    many = sample.files >= many_files or not sample.complete
    return many and sample.bytes <= sample.files * SMALL_FILE_BYTES
