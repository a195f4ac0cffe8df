"""The folder of a dataset, as far as the path of one of its files tells it."""

import posixpath
from collections.abc import Iterable

_PARTS = frozenset(
    {
        *("train", "val", "valid", "validation", "test", "training", "eval", "dev"),
        *("images", "imgs", "image", "img", "labels", "annotations", "masks", "jpegimages"),
    }
)
"""Folders into which a dataset is divided: it is above them."""
_MIN_PARTS = 2
"""Folders of an absolute path below which something is no longer all of a disk."""


def find_dataset_folder(path: str, told: Iterable[str]) -> str:
    """
    The folder of the whole dataset of which `path` is a file, or a folder; empty: unknown.

    `told` are paths that commands or settings of the log name: the longest above `path`
    is it. Else it is the folder above ``train`` or ``images``; else that of the file.
    """
    path = path.replace("\\\\", "/").replace("\\", "/")
    above = [one.rstrip("/") for one in told if path.startswith(f"{one.rstrip('/')}/")]
    if above:
        return max(above, key=len)
    folder = posixpath.dirname(path.rstrip("/")) if not path.endswith("/") else path.rstrip("/")
    parts = folder.split("/")
    for at, part in enumerate(parts):
        if part.lower() in _PARTS and _is_deep_enough(parts[:at]):
            return "/".join(parts[:at])
    return folder


def _is_deep_enough(parts: list[str]) -> bool:
    """Is it a folder of somebody's, and neither a disk nor nothing?"""
    named = [part for part in parts if part not in {"", "."}]
    return len(named) >= (_MIN_PARTS if parts[:1] == [""] else 1)
