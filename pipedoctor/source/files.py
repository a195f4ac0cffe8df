"""The Python files that a user's PATHS name; bounded, and nothing in them is run."""

import io
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipedoctor.facts import Unreadable
from pipedoctor.source.folders import DEFAULT, Left, below
from pipedoctor.source.notebook import code_only

MOST_FILES = 5000
MOST_BYTES = 50 << 20
LARGEST = 1 << 20
"""No training script is larger, and a syntax tree takes a hundred times as much."""
LARGEST_NOTEBOOK = 32 << 20
"""Most of a notebook is pictures: of what is read only the code is kept."""


class Source(NamedTuple):
    """One file, under the name by which the user would know it."""

    path: str
    text: bytes


def python_files(
    paths: Sequence[str], *, gitignore: bool = True, exclude: tuple[str, ...] = DEFAULT
) -> Iterator[Source]:
    """
    Every given file, and every ``*.py`` below every given folder, each once.

    What is too large or cannot be read is left out, as is all that comes after
    `MOST_FILES` or `MOST_BYTES`. Raises Unreadable for a path that is not there.
    """
    for file in every_file(paths, (".py",), gitignore=gitignore, exclude=exclude):
        if isinstance(file, Source):
            yield file


def every_file(
    paths: Sequence[str],
    endings: tuple[str, ...] = (".py", ".ipynb"),
    *,
    gitignore: bool = True,
    exclude: tuple[str, ...] = DEFAULT,
) -> Iterator[Source | Left]:
    """As `python_files`, and those that are left out with the reason."""
    require(paths)
    seen: set[tuple[int, int]] = set()
    left = MOST_BYTES
    for path in _candidates(paths, endings, exclude, gitignore=gitignore):
        text = path.reason if isinstance(path, Left) else _read(path, seen)
        if isinstance(text, str):
            if text:
                yield path if isinstance(path, Left) else Left(path, text)
            continue
        left -= len(text)
        if left < 0 or len(seen) > MOST_FILES:
            bound = f"{MOST_FILES} files" if left >= 0 else f"{MOST_BYTES >> 20} MiB"
            reason = f"not read, nor any file after it: more than {bound}"
            yield Left(str(path), reason)
            return
        yield Source(str(path), text)


def require(paths: Sequence[str]) -> None:
    """Raise Unreadable for the first path that is neither file nor folder."""
    for path in paths:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116  (a name with a null byte)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            message = f"{path}: {reason}"
            raise Unreadable(message) from None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            message = f"{path}: neither a file nor a folder"
            raise Unreadable(message)


def _candidates(
    paths: Sequence[str],
    endings: tuple[str, ...],
    exclude: tuple[str, ...],
    *,
    gitignore: bool,
) -> Iterator[str | Left]:
    for path in paths:
        if Path(path).is_dir():
            yield from below(path, endings, gitignore=gitignore, exclude=exclude)
        else:
            yield path


def _read(path: str, seen: set[tuple[int, int]]) -> bytes | str:
    """
    Read a regular file whole, or say why not; nothing to say: it was read before.

    Looked at before it is opened, for a device may act on that; and opened without
    waiting, for a pipe put there meanwhile would wait for a writer for ever.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return "not a regular file"
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return reason or "cannot be opened"
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
        if key in seen:
            return ""
        notebook = path.endswith(".ipynb")
        largest = LARGEST_NOTEBOOK if notebook else LARGEST
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        if status.st_size > largest:
            return f"larger than {largest >> 20} MiB"
        seen.add(key)
        try:
            text = _whole(file, status.st_size, largest)
        except OSError as error:
            return error.strerror or "cannot be read"
    if len(text) > largest:
        return f"larger than {largest >> 20} MiB: it grew while it was read"
    small = not notebook or len(text) <= LARGEST
    return text if small else code_only(text) or "no notebook"


def _whole(file: io.FileIO, size: int, largest: int) -> bytes:
    """In one call as a rule: its size is known; a file that grows ends somewhere."""
    parts: list[bytes] = []
    length = 0
    while length <= largest:
        part = file.read(size + 1 - length if length < size else 1 << 16)
        if not part:
            break
        parts.append(part)
        length += len(part)
    return b"".join(parts)
