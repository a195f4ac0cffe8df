"""Paths for several checks: a better alternative, and how to name them."""

import re
from collections.abc import Iterable, Sequence

from pipedoctor.check import Remedy, environment
from pipedoctor.facts import PathFact, Paths
from pipedoctor.units import GiB

_UNNAMED = frozenset({"default", "passwd", ""})
"""How a place is named that no variable sets."""


def find_alternative(
    paths: Paths, path: PathFact, *, room: int = GiB, other_mount: bool = True
) -> PathFact | None:
    """Another place for temporary files: writable, with room, on another mount; home last."""
    roles = ("scratch", "tmp", "home")
    for entry in sorted(paths.find_roles(*roles), key=lambda one: roles.index(one.role)):
        if (
            entry.writable
            and entry.exists
            and (entry.free or 0) >= room
            and entry.inodes_free != 0
            and (not other_mount or entry.mount != path.mount or entry.mount is None)
            and entry.path != path.path
        ):
            return entry
    return None


def move_caches(paths: Paths, caches: Sequence[PathFact]) -> tuple[Remedy, ...]:
    """Put caches into one folder elsewhere, by the variables that place them now."""
    folder, values = place_caches(paths, caches, other_mount=False)
    return environment(f"Put the cache in {folder}", **values) if values else ()


def place_caches(
    paths: Paths, caches: Sequence[PathFact], *, other_mount: bool = True
) -> tuple[str, dict[str, str]]:
    """A folder for them elsewhere, and the variables that place them there; or none."""
    better = find_alternative(paths, caches[0], other_mount=other_mount) if caches else None
    if better is None:
        return "", {}
    folder = f"{better.path.rstrip('/')}/cache"
    names = [n for one in caches for n in one.named_by.split(", ")]
    variables = dict.fromkeys("XDG_CACHE_HOME" if n in _UNNAMED else n for n in names)
    alone = len(variables) == 1
    return folder, {n: folder if alone else f"{folder}{_name_subfolder(n)}" for n in variables}


def _name_subfolder(variable: str) -> str:
    """``/torch`` of TORCH_HOME; empty: the folder of XDG is for the caches of all."""
    owner = re.sub(r"_(?:CACHE_)?(?:DIR|HOME|CACHE|PATH)$", "", variable)
    return "" if owner == "XDG" else f"/{owner.lower()}"


def format_place(entry: PathFact) -> str:
    """Name a place as the user knows it: ``TMPDIR``, ``HF_HOME``, ``--data /x``."""
    if entry.role == "data":
        return f"--data {entry.path}"
    if entry.named_by in _UNNAMED:
        return f"{entry.role} {entry.path}"
    return entry.named_by


def group_by_mount(entries: Iterable[PathFact]) -> list[list[PathFact]]:
    """Group places by mount; one whose mount is unknown stays alone."""
    groups: dict[str, list[PathFact]] = {}
    for entry in entries:
        point = entry.mount.point if entry.mount else entry.path
        groups.setdefault(point, []).append(entry)
    return list(groups.values())
