"""A bounded walk over a dataset: how many files, how large, of what kind."""

import os
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import Sample
from pipedoctor.runtime.lanes import Announce

MAX_FILES = 20_000
WALK_TIMEOUT = 1.0
_MAX_SUFFIXES = 20
"""Suffixes that a report carries; the commonest."""


@dataclass
class DatasetWalk:
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
            suffixes={escape_path(kind): n for kind, n in kinds.most_common(_MAX_SUFFIXES)},
        )


def walk_dataset(
    top: Path,
    announce: Announce,
    *,
    max_files: int = MAX_FILES,
    timeout: float = WALK_TIMEOUT,
) -> DatasetWalk:
    """
    Look at up to `most` files in `patience` seconds, folder by folder.

    Symbolic links are not followed, folders that may not be listed are passed over
    (then the walk is not complete). A file instead of a folder is itself the dataset.
    """
    began = time.monotonic()
    seen = DatasetWalk()
    seen.complete = True
    for path, size in _iter_entries(top, announce, seen):
        if len(seen.files) >= max_files or time.monotonic() - began > timeout:
            seen.complete = False
            break
        if size is not None:
            seen.files.append((path, size))
    seen.seconds = time.monotonic() - began
    return seen


def _iter_entries(
    top: Path, announce: Announce, walk: DatasetWalk
) -> Iterator[tuple[Path, int | None]]:
    """Every entry, in the breadth; with its size where it is a regular file."""
    if top.is_file():
        yield top, top.stat().st_size
        return
    folders = deque([top])
    while folders:
        folder = folders.popleft()
        yield folder, None
        announce(f"listdir {escape_path(str(folder))}")
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    regular = entry.is_file(follow_symlinks=False)
                    size = entry.stat(follow_symlinks=False).st_size if regular else None
                    yield Path(entry.path), size
        except OSError:
            walk.complete = False
