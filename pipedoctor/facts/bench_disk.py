"""How fast a place gives back what lies in it."""

from typing import ClassVar, Literal

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.bench import Host, Quality, Spread
from pipedoctor.facts.datasets import DataSet

ReadPattern = Literal["sequential", "random", "small files"]


class DiskReading(Part, frozen=True, kw_only=True):
    """One way of reading, from storage or from the page cache."""

    pattern: ReadPattern
    cache: Literal["cold", "warm"]
    readers: int = 1
    """Threads that read at the same time."""
    block: int = 0
    """Bytes asked for at once; 0: whole files."""
    operations: int = 0
    bytes: int = 0
    seconds: float = 0.0
    rate: Spread | None = None
    """Bytes per second of all readers together."""
    operations_per_second: Spread | None = None
    """Blocks, or files opened and read whole."""
    missed: float | None = None
    """Share of what was asked for that was not in the page cache; None: unknown."""
    unknown: str = ""
    """Why there is no rate, or why nobody can say whether it was cold."""


class BenchDisk(Fact, frozen=True, kw_only=True):
    """
    The result of `pipedoctor bench disk PATH`.

    `dataset.cold_read` says in the words of `check` what the cold readings gave.
    """

    section: ClassVar[str] = "bench_disk"

    host: Host
    dataset: DataSet
    readings: tuple[DiskReading, ...] = ()
    quality: Quality = Quality()
    seconds: float = 0.0
    interrupted: bool = False
