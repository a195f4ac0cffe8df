"""The shared memory that DataLoader workers send their batches through."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Segment(Part, frozen=True, kw_only=True):
    """One file in /dev/shm, and who could still need it."""

    path: str
    size: int
    """Bytes that it takes up, not what it claims."""
    uid: int
    pid: int | None = None
    """The process that its name tells: `torch_<pid>_...`; None: it tells none."""
    owner_alive: bool | None = None
    """Does that process live? None: nobody can say."""
    held: bool | None = None
    """Does a process map it or hold it open? None: not all could be seen."""
    private: bool = False
    """May only its user (and root) open it?"""
    own: bool = False
    """Does it belong to who looks?"""


class Shm(Fact, frozen=True, kw_only=True):
    """The tmpfs at /dev/shm: sizes in bytes."""

    section: ClassVar[str] = "shm"

    size: int
    used: int = 0
    available: int | None = None
    """What may still be written; None: not known."""
    unlimited: bool = False
    """Mounted with ``size=0``: only memory bounds it, and `size` says nothing."""
    missing: bool = False
    """There is no /dev/shm at all."""
    fstype: str = "tmpfs"
    mounted: bool = True
    """Is /dev/shm a mount of its own?"""
    read_only: bool = False
    remountable: bool = False
    """May this user, with sudo where needed, change its size from here?"""
    here: bool = True
    """Is it the one that this command's own shell sees, not that of a process apart?"""
    shared_with_host: bool = False
    """Do processes of other namespaces put files here (`--ipc=host`, Apptainer)?"""
    segments: tuple[Segment, ...] = ()
    """Files of DataLoader workers and Python's shared memory, largest first."""
    segments_left_out: int = 0

    @property
    def usable_bytes(self) -> int:
        """What a job that starts now finds there."""
        return self.size if self.available is None else min(self.size, self.available)
