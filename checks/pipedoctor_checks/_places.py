"""What several checks ask of places: which one would be better, how to call it."""

from collections.abc import Iterable

from pipedoctor.facts import PathFact, Paths
from pipedoctor.units import GiB


def elsewhere(paths: Paths, ill: PathFact, *, room: int = GiB) -> PathFact | None:
    """Another place for temporary files: writable, with room, on another mount."""
    for entry in paths.of("scratch", "tmp", "home"):
        if (
            entry.writable
            and entry.exists
            and (entry.free or 0) >= room
            and entry.inodes_free != 0
            and (entry.mount != ill.mount or entry.mount is None)
            and entry.path != ill.path
        ):
            return entry
    return None


def spoken(entry: PathFact) -> str:
    """The name a user knows a place by: ``TMPDIR``, ``HF_HOME``, ``--data /x``."""
    if entry.role == "data":
        return f"--data {entry.path}"
    if entry.named_by in {"default", "passwd", ""}:
        return f"{entry.role} {entry.path}"
    return entry.named_by


def by_mount(entries: Iterable[PathFact]) -> list[list[PathFact]]:
    """Places that lie on one mount together; one whose mount is unknown, alone."""
    groups: dict[str, list[PathFact]] = {}
    for entry in entries:
        point = entry.mount.point if entry.mount else entry.path
        groups.setdefault(point, []).append(entry)
    return list(groups.values())
