"""Where room is short: the caches that can be emptied, and old checkpoints, with their sizes."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.storage.dataset_walk import walk_dataset
from pipedoctor.facts import Clearable
from pipedoctor.runtime.lanes import Announce
from pipedoctor.units import MiB

_CACHES = (
    ("pip", ("PIP_CACHE_DIR",), "{cache}/pip"),
    ("uv", ("UV_CACHE_DIR",), "{cache}/uv"),
    ("conda", ("CONDA_PKGS_DIRS",), "{conda}/pkgs"),
    ("conda", (), "{home}/.conda/pkgs"),
    ("triton", ("TRITON_CACHE_DIR",), "{home}/.triton/cache"),
    ("extensions", ("TORCH_EXTENSIONS_DIR",), "{cache}/torch_extensions"),
    ("hugging-face", ("HF_HUB_CACHE", "HF_HOME/hub"), "{cache}/huggingface/hub"),
    ("torch-hub", ("TORCH_HOME/hub/checkpoints",), "{cache}/torch/hub/checkpoints"),
)
"""
Kind, variables that move it (with what is appended to them), and where it is without.

- https://pip.pypa.io/en/stable/topics/caching/
- https://docs.astral.sh/uv/concepts/cache/
- https://docs.conda.io/projects/conda/en/stable/commands/clean.html
- https://huggingface.co/docs/huggingface_hub/guides/manage-cache
- https://docs.pytorch.org/docs/stable/hub.html
"""
_CHECKPOINT_SUFFIXES = frozenset((".pt", ".pth", ".ckpt", ".safetensors"))
_LEAST_BYTES = MiB
_MAX_CHECKPOINTS = 8
_WALK_TIMEOUT = 0.3
"""Seconds for each cache: places share little time."""


def list_caches(machine: Machine, home: str, device: int, announce: Announce) -> list[Clearable]:
    """The caches on this device that the examined user may empty."""
    found: dict[str, Clearable] = {}
    for kind, path in _iter_cache_folders(machine, home):
        if path in found:
            continue
        folder = machine.map_path(path)
        announce(f"stat {escape_path(path)}")
        try:
            here = folder.stat().st_dev == device and os.access(folder, os.W_OK | os.X_OK)
        except OSError:
            continue
        if here and not folder.is_symlink():
            found[path] = _measure_folder(kind, path, folder, announce)
    return [one for one in found.values() if one.bytes >= _LEAST_BYTES]


def list_old_checkpoints(top: Path, announce: Announce) -> list[Clearable]:
    """Checkpoints below the working directory, oldest first; each folder's newest is left out."""
    walk = walk_dataset(top, announce, timeout=_WALK_TIMEOUT)
    by_folder: dict[Path, list[tuple[float, Path, int]]] = {}
    for path, size in walk.files:
        if path.suffix in _CHECKPOINT_SUFFIXES and size >= _LEAST_BYTES:
            by_folder.setdefault(path.parent, []).append((_get_age(path), path, size))
    older = sorted(one for files in by_folder.values() for one in sorted(files)[:-1])
    return [
        Clearable(kind="checkpoint", path=escape_path(str(path)), bytes=size, files=1)
        for _, path, size in older[:_MAX_CHECKPOINTS]
    ]


def _get_age(file: Path) -> float:
    try:
        return file.lstat().st_mtime
    except OSError:
        return 0.0


def _iter_cache_folders(machine: Machine, home: str) -> Iterator[tuple[str, str]]:
    environ = machine.environ
    cache = environ.get("XDG_CACHE_HOME", "")
    conda = environ.get("CONDA_EXE", "").removesuffix("/bin/conda")
    folders = {
        "home": home,
        "cache": cache if cache.startswith("/") else f"{home}/.cache",
        "conda": conda if conda.startswith("/") else f"{home}/miniconda3",
    }
    for kind, variables, default in _CACHES:
        named = default.format(**folders)
        for variable in variables:
            name, _, rest = variable.partition("/")
            if environ.get(name, "").startswith("/"):
                named = str(PurePosixPath(environ[name]) / rest)
                break
        yield kind, os.path.normpath(named)


def _measure_folder(kind: str, path: str, folder: Path, announce: Announce) -> Clearable:
    walk = walk_dataset(folder, announce, timeout=_WALK_TIMEOUT)
    freed = [size for file, size in walk.files if _has_one_name(file)]
    return Clearable(
        kind=kind,
        path=escape_path(path),
        bytes=sum(freed),
        files=len(freed),
        complete=walk.complete,
    )


def _has_one_name(file: Path) -> bool:
    """Is its room free without it? Environments link files of conda's and uv's caches."""
    try:
        return file.lstat().st_nlink == 1
    except OSError:
        return False
