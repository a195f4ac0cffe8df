"""Which of the given files belong together: a folder may hold many projects."""

import os
from collections.abc import Sequence
from pathlib import Path

from pipedoctor.source.files import Source

MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What stands where a project begins."""
LARGE = 12 << 20
"""More code than this is taken apart where its parts begin: memory is not endless."""


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
    return [part for key, group in groups.items() for part in _parts(key, group, tops)]


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


def _parts(
    key: Path | None, group: list[Source], tops: Sequence[Path]
) -> list[list[Source]]:
    """
    What is large in parts: a repository by the projects within it, else by folders.

    What is no project within a repository may be twice as large, for its folders know
    of each other.
    """
    if _size(group) <= LARGE:
        return [group]
    if key is None:
        return _by_folder(group, tops)
    begins: dict[Path, bool] = {}
    parts: dict[Path | None, list[Source]] = {}
    for file in group:
        inner = _outermost(Path(file.path).absolute(), key, begins)
        parts.setdefault(inner, []).append(file)
    rest = parts.get(None, [])
    if _size(rest) > 2 * LARGE:
        del parts[None]
        return [*parts.values(), *_by_folder(rest, tops)]
    return list(parts.values())


def _size(group: Sequence[Source]) -> int:
    return sum(len(file.text) for file in group)


def _by_folder(group: list[Source], tops: Sequence[Path]) -> list[list[Source]]:
    """
    By those right below PATHS, as packages lie in ``site-packages``.

    Where one of them is still large, by those below it.
    """
    parts: dict[Path | None, list[Source]] = {}
    for file in group:
        folder = _folder(Path(file.path).absolute(), tops)
        parts.setdefault(folder, []).append(file)
    return [
        small
        for folder, part in parts.items()
        for small in (_parts(None, part, [folder]) if folder else [part])
    ]


def _folder(full: Path, tops: Sequence[Path]) -> Path | None:
    """The folder below PATHS that a file lies in; none: it lies there itself."""
    top = next(top for top in tops if top == full or top in full.parents)
    below = full.parts[len(top.parts) :]
    return top / below[0] if len(below) > 1 else None
