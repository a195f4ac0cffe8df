"""The storage under each --data path: devices, files, a bounded cold read."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.paths import Disk, Hang, Mount


class Sample(Part, frozen=True, kw_only=True):
    """What a bounded walk over the dataset found."""

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
    from_device: int | None = None
    """Bytes that the kernel says it fetched from a device meanwhile."""
    small_files: int = 0
    """Those up to 1 MiB, each opened and read whole, one after the other;"""
    small_seconds: float = 0.0
    """and how long that took."""
    large_bytes: int = 0
    """Read from the start of larger files;"""
    large_seconds: float = 0.0
    """and how long that took."""

    @property
    def small_files_per_second(self) -> float | None:
        """What one reader gets of small files; None: there were none."""
        return self.small_files / self.small_seconds if self.small_seconds else None

    @property
    def bytes_per_second(self) -> float | None:
        """What one reader gets of large files; None: there were none."""
        return self.large_bytes / self.large_seconds if self.large_seconds else None


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
    """The datasets named by --data."""

    section: ClassVar[str] = "datasets"

    entries: tuple[DataSet, ...] = ()
