"""The storage under each --data path: devices, files, a bounded cold read."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.paths import Disk, Hang, Mount


class Sample(Part, frozen=True, kw_only=True):
    """What a bounded walk over the data set found."""

    files: int
    bytes: int
    complete: bool
    """Did the walk see every file?"""
    seconds: float
    suffixes: dict[str, int] = {}


class ColdRead(Part, frozen=True, kw_only=True):
    """Reads of files that no process had open, after dropping their pages."""

    files: int
    bytes: int
    seconds: float
    open_seconds: float
    """Spent in `open`, of all files together."""
    cold: bool
    """Could the page cache be passed over at all (not on tmpfs, ZFS, some FUSE)?"""


class DataSet(Part, frozen=True, kw_only=True):
    """One --data path."""

    path: str
    mount: Mount | None = None
    stack: tuple[str, ...] = ()
    """From the path down: ``overlay``, ``dm-0 (crypt)``, ``md0 (raid1)``, ``sda``."""
    disks: tuple[Disk, ...] = ()
    sample: Sample | None = None
    cold_read: ColdRead | None = None
    unknown: dict[str, str] = {}
    """Why a field above is missing: ``cold_read`` -> ``--quick``."""
    hang: Hang | None = None


class DataSets(Fact, frozen=True, kw_only=True):
    """The data sets named by --data."""

    section: ClassVar[str] = "datasets"

    entries: tuple[DataSet, ...] = ()
