"""What the holes of a remedy stand for in a log: captured, computed, or of its commands."""

import ntpath
import posixpath
import re
from collections.abc import Iterable

from pipedoctor.explanation.logged_versions import find_captured
from pipedoctor.explanation.older_images import find_images
from pipedoctor.facts.log import Log

_TWICE, _NAME = "twice", "name"
_ON_MPS = "command_on_mps"
_CONTAINER = re.compile(r" --name[= ]([\w.-]{1,80})(?= )")
_ASKS_FOR_CUDA = re.compile(r"(?<=[ =])cuda(?::\d)?(?= |$)")
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)( ?[A-Za-z]{0,3})")
_VOLUME = re.compile(
    r"(?:^| )(?:-v|--volume)[ =](?P<source>[^\s:]{1,300}):(?P<target>/[^\s:]{0,300})"
    r"(?::(?P<how>[\w,]+))?"
)


def find_value(log: Log, cause: str, name: str) -> str:
    """
    What `name` stands for; empty where the log does not say it.

    ``limit.twice`` is the size ``limit``, doubled, ``data.name`` the last part of a path;
    ``volume_source`` is of the volume of ``docker run`` in which ``path`` lies,
    ``read_only_source`` and ``read_only_target`` where it may not be written;
    ``older_image`` and ``run_older_image`` fit the driver; ``output_folder`` was missing,
    ``fitting_toolkit`` is of the CUDA of torch; ``owned_folder`` and
    ``owned_by`` are of the folder of ``path`` in a listing; ``container_name`` is what was
    entered or started; ``command_on_mps`` is the command
    that asked a Mac for CUDA; ``dataset_folder`` is that of the dataset of ``path``, one of
    ``root`` where that is above it.
    """
    base, _, change = name.partition(".")
    value = find_captured(log, cause, base) or _find_volume(log, cause).get(base, "")
    if base == "container_name":
        return log.names.get("entered", "") or _find_container(log)
    value = value or find_images(log, cause).get(base, "")
    value = value or find_folders(log, cause).get(base, "")
    value = value or _find_owned(log, cause).get(base, "")
    value = value or (_move_to_mps(log) if base == _ON_MPS else "")
    if base == "dataset_folder":
        path = log.find_value(cause, "path").strip()
        value = find_dataset_folder(path, log.find_values(cause, "root")) if path else ""
    if change == _NAME:
        return posixpath.basename(value.rstrip("/"))
    return _double(value) if change == _TWICE else value


def _move_to_mps(log: Log) -> str:
    """The command of the log, where it asks for CUDA, with the GPU of a Mac instead."""
    command = log.names.get("python", "")
    return _ASKS_FOR_CUDA.sub("mps", command) if _ASKS_FOR_CUDA.search(command) else ""


def _find_owned(log: Log, cause: str) -> dict[str, str]:
    """The listed folder in which `path` lies; else the only one, as the host names it."""
    path = f"{log.find_value(cause, 'path')}/"
    listed = [one.values for one in log.find_seen(cause) if "folder" in one.values]
    around = [row for row in listed if path.startswith(f"{row['folder'].rstrip('/')}/")]
    if len(around or listed) != 1:
        return {}
    (row,) = around or listed
    return {"owned_folder": row["folder"], "owned_by": row["owner"]}


def _find_container(log: Log) -> str:
    """The name that ``docker run`` gave."""
    found = _CONTAINER.search(log.names.get("docker_run", ""))
    return found[1] if found else ""


def _double(size: str) -> str:
    """``40Gi`` of ``20Gi``; empty of what is no size."""
    found = _SIZE.fullmatch(size)
    return f"{2 * float(found[1]):.12g}{found[2]}" if found else ""


def _find_volume(log: Log, cause: str) -> dict[str, str]:
    """The volume of the command in which it wrote, and whether it may not be written."""
    path = log.find_value(cause, "path")
    for volume in _VOLUME.finditer(log.names.get("docker_run", "")):
        below = f"{path}/".startswith(f"{volume['target'].rstrip('/')}/")
        if path and below:
            told = {"volume_source": volume["source"]}
            if "ro" not in (volume["how"] or "").split(","):
                return told
            more = {"read_only_source": volume["source"], "read_only_target": volume["target"]}
            return told | more
    return {}


_CUDA_FOLDER = re.compile(r"(?P<parent>/\S{1,60}/)?cuda-(?P<version>\d{1,2}\.\d)(?!\S)")
_USUAL_PARENT = "/usr/local/"
"""Where a folder lies that was listed without its path."""


def find_folders(log: Log, cause: str) -> dict[str, str]:
    """
    ``output_folder``, which was missing, and ``fitting_toolkit``, of the CUDA of torch.

    Each only where signatures of the cause captured it: ``missing``, or a file that was
    ``written``; the ``cuda`` that is wanted, and ``toolkits`` that were listed.
    """
    found: dict[str, str] = {}
    written = log.find_value(cause, "written").replace("\\\\", "\\")
    if folder := log.find_value(cause, "missing") or ntpath.dirname(written):
        found["output_folder"] = folder
    wanted = log.find_value(cause, "cuda")
    for line in log.find_values(cause, "toolkits"):
        for one in _CUDA_FOLDER.finditer(line):
            if one["version"] == wanted:
                found["fitting_toolkit"] = f"{one['parent'] or _USUAL_PARENT}cuda-{wanted}"
    return found


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
