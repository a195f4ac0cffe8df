"""The Python files that a user's PATHS name; bounded, and nothing in them is run."""

import io
import os
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.path_kind import is_folder
from pipedoctor.runtime.regular_file import open_regular
from pipedoctor.source.discover.folders import DEFAULT_EXCLUDE, OmittedPath, walk_folder
from pipedoctor.source.discover.notebook import strip_notebook

MAX_FILES = 5000
MAX_TOTAL_BYTES = 50 << 20
MAX_FILE_BYTES = 1 << 20
"""No training script is larger, and a syntax tree takes a hundred times as much."""
MAX_NOTEBOOK_BYTES = 32 << 20
"""Most of a notebook is pictures: of what is read only the code is kept."""


class SourceFile(NamedTuple):
    """One file, under the name by which the user would know it."""

    path: str
    text: bytes


def find_python_files(
    paths: Sequence[str],
    *,
    gitignore: bool = True,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE,
) -> Iterator[SourceFile]:
    """
    Every given file, and every ``*.py`` below every given folder, each once.

    What is too large or cannot be read is left out, as is all that comes after
    `MAX_FILES` or `MAX_TOTAL_BYTES`. Raises UnreadableError for a path that is not there.
    """
    for file in find_source_files(paths, (".py",), gitignore=gitignore, exclude=exclude):
        if isinstance(file, SourceFile):
            yield file


def find_source_files(
    paths: Sequence[str],
    endings: tuple[str, ...] = (".py", ".ipynb"),
    *,
    gitignore: bool = True,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE,
) -> Iterator[SourceFile | OmittedPath]:
    """As `find_python_files`, and those that are left out with the reason."""
    require_paths(paths)
    seen: set[tuple[int, int]] = set()
    left = MAX_TOTAL_BYTES
    for path in _candidate_paths(paths, endings, exclude, gitignore=gitignore):
        text = path.reason if isinstance(path, OmittedPath) else _read_source(path, seen)
        if isinstance(text, str):
            if text:
                yield path if isinstance(path, OmittedPath) else OmittedPath(path, text)
            continue
        left -= len(text)
        if left < 0 or len(seen) > MAX_FILES:
            bound = f"{MAX_FILES} files" if left >= 0 else f"{MAX_TOTAL_BYTES >> 20} MiB"
            reason = f"not read, nor any file after it: more than {bound}"
            yield OmittedPath(str(path), reason)
            return
        yield SourceFile(str(path), text)


def require_paths(paths: Sequence[str]) -> None:
    """Raise Unreadable for the first path that is neither file nor folder."""
    for path in paths:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116  (a name with a null byte)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            message = f"{path}: {reason}"
            raise UnreadableError(message) from None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            message = f"{path}: neither a file nor a folder"
            raise UnreadableError(message)


def _candidate_paths(
    paths: Sequence[str],
    endings: tuple[str, ...],
    exclude: tuple[str, ...],
    *,
    gitignore: bool,
) -> Iterator[str | OmittedPath]:
    for path in paths:
        if is_folder(path):
            yield from walk_folder(path, endings, gitignore=gitignore, exclude=exclude)
        else:
            yield path


def _read_source(path: str, inodes_read: set[tuple[int, int]]) -> bytes | str:
    """Read a regular file whole, or say why not; nothing to say: it was read before."""
    try:
        descriptor = open_regular(path)
    except OSError as error:
        return error.strerror or "cannot be opened"
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
        if key in inodes_read:
            return ""
        notebook = path.endswith(".ipynb")
        largest = MAX_NOTEBOOK_BYTES if notebook else MAX_FILE_BYTES
        if status.st_size > largest:
            return f"larger than {largest >> 20} MiB"
        inodes_read.add(key)
        try:
            text = _read_bounded(file, status.st_size, largest)
        except OSError as error:
            return error.strerror or "cannot be read"
    if len(text) > largest:
        return f"larger than {largest >> 20} MiB: it grew while it was read"
    small = not notebook or len(text) <= MAX_FILE_BYTES
    return text if small else strip_notebook(text) or "no notebook"


def _read_bounded(file: io.FileIO, size: int, limit: int) -> bytes:
    """In one call as a rule: its size is known; a file that grows ends somewhere."""
    parts: list[bytes] = []
    length = 0
    while length <= limit:
        part = file.read(size + 1 - length if length < size else 1 << 16)
        if not part:
            break
        parts.append(part)
        length += len(part)
    return b"".join(parts)
