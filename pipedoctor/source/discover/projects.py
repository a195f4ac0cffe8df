"""Which of the given files belong together: a folder may hold many projects."""

import os
from collections.abc import Sequence
from pathlib import Path

from pipedoctor.runtime.path_kind import is_there
from pipedoctor.source.discover.files import SourceFile

PROJECT_MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What stands where a project begins."""
MAX_GROUP_BYTES = 12 << 20
"""More code than this is taken apart where its parts begin: memory is not endless."""


def group_by_project(
    files: Sequence[SourceFile], given_paths: Sequence[str]
) -> list[list[SourceFile]]:
    """
    Group files by project, in their order; what belongs to none stays together.

    PATHS within one project are one, whatever lies below them. Only a folder that is
    in no project itself may hold several, and only these do not know of each other.
    """
    tops = [Path(path).absolute() for path in given_paths]
    inside = {top: find_enclosing_project(top) for top in tops}
    groups: dict[Path | None, list[SourceFile]] = {}
    begins: dict[Path, bool] = {}
    known: dict[str, Path | None] = {}
    """By folder: only a file of PATHS may differ from those beside it."""
    given = set(given_paths)
    for file in files:
        place = file.path if file.path in given else os.path.dirname(file.path)  # noqa: PTH120
        if place not in known:
            full = Path(file.path).absolute()
            top = next(top for top in tops if top == full or top in full.parents)
            known[place] = inside[top] or _outermost_project(full, top, begins)
        groups.setdefault(known[place], []).append(file)
    return [part for key, group in groups.items() for part in _split_large_group(key, group, tops)]


def find_enclosing_project(top: Path) -> Path | None:
    """The repository that it lies in, else the nearest project around it."""
    above = (top, *top.parents)
    near = next((one for one in above if _is_project_root(one)), None)
    return next((one for one in above if is_there(one / ".git")), near)


def _outermost_project(full: Path, top: Path, known_projects: dict[Path, bool]) -> Path | None:
    """The first project on the way down from a folder of projects."""
    for one in reversed(full.parents[: len(full.parts) - len(top.parts) - 1]):
        if one not in known_projects:
            known_projects[one] = _is_project_root(one)
        if known_projects[one]:
            return one
    return None


def _is_project_root(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in PROJECT_MARKERS)


def _split_large_group(
    root: Path | None, group: list[SourceFile], tops: Sequence[Path]
) -> list[list[SourceFile]]:
    """
    What is large in parts: a repository by the projects within it, else by folders.

    What is no project within a repository may be twice as large, for its folders know
    of each other.
    """
    if _total_bytes(group) <= MAX_GROUP_BYTES:
        return [group]
    if root is None:
        return _group_by_folder(group, tops)
    begins: dict[Path, bool] = {}
    parts: dict[Path | None, list[SourceFile]] = {}
    for file in group:
        inner = _outermost_project(Path(file.path).absolute(), root, begins)
        parts.setdefault(inner, []).append(file)
    rest = parts.get(None, [])
    if _total_bytes(rest) > 2 * MAX_GROUP_BYTES:
        del parts[None]
        return [*parts.values(), *_group_by_folder(rest, tops)]
    return list(parts.values())


def _total_bytes(group: Sequence[SourceFile]) -> int:
    return sum(len(file.text) for file in group)


def _group_by_folder(group: list[SourceFile], tops: Sequence[Path]) -> list[list[SourceFile]]:
    """
    By those right below PATHS, as packages lie in ``site-packages``.

    Where one of them is still large, by those below it.
    """
    parts: dict[Path | None, list[SourceFile]] = {}
    known: dict[str, Path | None] = {}
    for file in group:
        place = os.path.dirname(file.path)  # noqa: PTH120
        if place not in known:
            known[place] = _top_level_folder(Path(file.path).absolute(), tops)
        parts.setdefault(known[place], []).append(file)
    return [
        small
        for folder, part in parts.items()
        for small in (_split_large_group(None, part, [folder]) if folder else [part])
    ]


def _top_level_folder(full: Path, tops: Sequence[Path]) -> Path | None:
    """The folder below PATHS that a file lies in; none: it lies there itself."""
    top = next(top for top in tops if top == full or top in full.parents)
    below = full.parts[len(top.parts) :]
    return top / below[0] if len(below) > 1 else None
