"""A bounded walk over a data set: how many files, how large, of what kind."""

import os
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Sample

MOST_FILES = 20_000
PATIENCE = 1.0
_KINDS = 20
"""Suffixes that a report carries; the commonest."""


@dataclass
class Walk:
    """What a walk saw: the sample, and every regular file with its size."""

    files: list[tuple[Path, int]] = field(default_factory=list[tuple[Path, int]])
    complete: bool = False
    seconds: float = 0.0

    @property
    def sample(self) -> Sample:
        """The sums; kinds of files by their last suffix, in lower case."""
        kinds = Counter(path.suffix.lower() for path, _ in self.files)
        return Sample(
            files=len(self.files),
            bytes=sum(size for _, size in self.files),
            complete=self.complete,
            seconds=self.seconds,
            suffixes={legible(kind): n for kind, n in kinds.most_common(_KINDS)},
        )


def walk(
    top: Path,
    announce: Announce,
    *,
    most: int = MOST_FILES,
    patience: float = PATIENCE,
) -> Walk:
    """
    Look at up to `most` files in `patience` seconds, folder by folder.

    Symbolic links are not followed, folders that may not be listed are passed over
    (then the walk is not complete). A file instead of a folder is itself the data set.
    """
    began = time.monotonic()
    seen = Walk()
    seen.complete = True
    for path, size in _files(top, announce, seen):
        if len(seen.files) >= most or time.monotonic() - began > patience:
            seen.complete = False
            break
        if size is not None:
            seen.files.append((path, size))
    seen.seconds = time.monotonic() - began
    return seen


def _files(
    top: Path, announce: Announce, seen: Walk
) -> Iterator[tuple[Path, int | None]]:
    """Every entry, in the breadth; with its size where it is a regular file."""
    if top.is_file():
        yield top, top.stat().st_size
        return
    folders = deque([top])
    while folders:
        folder = folders.popleft()
        yield folder, None
        announce(f"listdir {legible(str(folder))}")
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    regular = entry.is_file(follow_symlinks=False)
                    size = (
                        entry.stat(follow_symlinks=False).st_size if regular else None
                    )
                    yield Path(entry.path), size
        except OSError:
            seen.complete = False
