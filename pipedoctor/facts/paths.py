"""The places a job reads from and writes to: alive, writable, how much room."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Mount(Part, frozen=True, kw_only=True):
    """The mount that a path lies on."""

    point: str
    fstype: str
    source: str = ""
    options: tuple[str, ...] = ()
    device: str = ""
    """``major:minor`` from mountinfo."""
    root: str = "/"
    """The folder of the file system that is mounted: not ``/`` in a bind mount."""


class Disk(Part, frozen=True, kw_only=True):
    """A block device at the bottom of the stack."""

    name: str
    transport: str = ""
    """``nvme``, ``sata``, ``sas``, ``usb``, ``virtio``, ``xen``, ``hyperv``."""
    rotational: bool | None = None
    """What the kernel believes; virtual disks and RAID controllers often lie."""
    model: str = ""
    read_ahead: int | None = None
    """Bytes."""
    scheduler: str = ""
    remote: bool = False
    """A disk over a network: NVMe-oF, iSCSI, rbd, nbd, a cloud volume."""


class Hang(Part, frozen=True, kw_only=True):
    """A probe that did not come back."""

    doing: str
    """The call it hung in: ``statvfs``, ``listdir`` ..."""
    seconds: float


class Clearable(Part, frozen=True, kw_only=True):
    """What can be removed where room is short: a cache, or a checkpoint that is not the newest."""

    kind: str
    """``pip uv conda triton extensions hugging-face torch-hub checkpoint``."""
    path: str
    bytes: int
    files: int
    complete: bool = True
    """False: there is more than what was counted."""


class PathFact(Part, frozen=True, kw_only=True):
    """One place; sizes in bytes, None = not known."""

    role: str
    """
    Of the job: ``data code cwd home tmp cache scratch``.

    Only where they hang also ``environment import-path program-path shm config system``.
    """
    path: str
    named_by: str = ""
    """Where the path comes from: ``--data``, ``TMPDIR``, ``HF_HOME``, ``default``."""
    hang: Hang | None = None
    error: str = ""
    """Why it could not be examined, when it did answer: ``no such directory``."""
    error_code: str = ""
    """The name of its errno: ``ENOENT``, ``ENOTCONN``, ``ESTALE``."""
    real: str = ""
    """The path without symbolic links."""
    exists: bool = False
    writable: bool | None = None
    why_not_writable: str = ""
    mount: Mount | None = None
    size: int | None = None
    free: int | None = None
    """What an unprivileged process may still write."""
    inodes: int | None = None
    inodes_free: int | None = None
    unlimited_inodes: bool = False
    """btrfs and others report no inode count at all."""
    disks: tuple[Disk, ...] = ()
    """The block devices below, for places where a dataset could be staged."""
    clearable: tuple[Clearable, ...] = ()
    """Only where room is short: what could be removed there."""


class Paths(Fact, frozen=True, kw_only=True):
    """All places that were looked at."""

    section: ClassVar[str] = "paths"

    entries: tuple[PathFact, ...] = ()

    def find_roles(self, *roles: str) -> tuple[PathFact, ...]:
        """The places with one of these roles."""
        return tuple(entry for entry in self.entries if entry.role in roles)
