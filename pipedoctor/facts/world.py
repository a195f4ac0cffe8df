"""Tables about the world: not this machine's facts, so no report carries them."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.paths import Mount


class World(Fact, frozen=True, kw_only=True):
    """A table that a pack of checks brings along as ``world/<section>.json``."""


class Filesystem(Part, frozen=True, kw_only=True):
    """What is known of one type of filesystem."""

    fstype: str
    kind: str
    """``local``, ``network``, ``network_parallel``, ``fuse_object``, ``memory`` ..."""
    advice: str = ""
    source: str
    checked: str
    """``2026-11-21``."""
    confirmed: bool = True


class Filesystems(World, frozen=True, kw_only=True):
    """Every type of filesystem we have an opinion on."""

    section: ClassVar[str] = "filesystems"

    rows: tuple[Filesystem, ...] = ()

    def find(self, fstype: str) -> Filesystem | None:
        """The row of this type, exactly; ``fuse.x`` also by its first part."""
        exact = {row.fstype: row for row in self.rows}
        return exact.get(fstype) or (exact.get("fuse") if fstype.startswith("fuse.") else None)

    def find_by_mount(self, mount: Mount) -> Filesystem | None:
        """The row of a mount; plain ``fuse`` also by what its source is called."""
        exact = {row.fstype: row for row in self.rows}
        if mount.fstype in {"fuse", "fuse.fuse"}:
            prefix = mount.source.partition(":")[0] + ":"
            named = exact.get(mount.source) or exact.get(prefix)
            return named or exact.get("fuse")
        return self.find(mount.fstype)
