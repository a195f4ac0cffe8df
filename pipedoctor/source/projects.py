"""Which of the given files belong together: a folder may hold many projects."""

import os
from collections.abc import Sequence
from pathlib import Path

from pipedoctor.source.files import Source

MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What stands where a project begins."""
LARGE = 12 << 20
"""More code than this of one repository is taken apart where its parts begin."""


def projects(files: Sequence[Source], paths: Sequence[str]) -> list[list[Source]]:
    """
    Group files by project, in their order; what belongs to none stays together.

    PATHS within one project are one, whatever lies below them. Only a folder that is
    in no project itself may hold several, and only these do not know of each other.
    """
    tops = [Path(path).absolute() for path in paths]
    inside = {top: _around(top) for top in tops}
    groups: dict[Path | None, list[Source]] = {}
    begins: dict[Path, bool] = {}
    known: dict[str, Path | None] = {}
    """By folder: only a file of PATHS may differ from those beside it."""
    given = set(paths)
    for file in files:
        place = file.path if file.path in given else os.path.dirname(file.path)  # noqa: PTH120
        if place not in known:
            full = Path(file.path).absolute()
            top = next(top for top in tops if top == full or top in full.parents)
            known[place] = inside[top] or _outermost(full, top, begins)
        groups.setdefault(known[place], []).append(file)
    return [part for key, group in groups.items() for part in _parts(key, group)]


def _around(top: Path) -> Path | None:
    """The repository that it lies in, else the nearest project around it."""
    above = (top, *top.parents)
    near = next((one for one in above if _begins(one)), None)
    return next((one for one in above if (one / ".git").exists()), near)


def _outermost(full: Path, top: Path, known: dict[Path, bool]) -> Path | None:
    """The first project on the way down from a folder of projects."""
    for one in reversed(full.parents[: len(full.parts) - len(top.parts) - 1]):
        if one not in known:
            known[one] = _begins(one)
        if known[one]:
            return one
    return None


def _begins(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in MARKERS)


def _parts(key: Path | None, group: list[Source]) -> list[list[Source]]:
    """A repository as one; a very large one by the projects within it."""
    if key is None or sum(len(file.text) for file in group) <= LARGE:
        return [group]
    begins: dict[Path, bool] = {}
    parts: dict[Path | None, list[Source]] = {}
    for file in group:
        inner = _outermost(Path(file.path).absolute(), key, begins)
        parts.setdefault(inner, []).append(file)
    return list(parts.values())
