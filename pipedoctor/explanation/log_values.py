"""What the holes of a remedy stand for in a log: captured, computed, or of its commands."""

import posixpath
import re

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
    r":(?P<how>[\w,]+)"
)


def find_value(log: Log, cause: str, name: str) -> str:
    """
    What `name` stands for; empty where the log does not say it.

    ``limit.twice`` is the size ``limit``, doubled, ``data.name`` the last part of a path;
    ``read_only_source`` and ``read_only_target`` are of the volume of ``docker run`` in
    which ``path`` lies; ``older_image`` and ``run_older_image`` fit the driver;
    ``container_name`` is what was entered or started; ``command_on_mps`` is the command
    that asked a Mac for CUDA.
    """
    base, _, change = name.partition(".")
    value = find_captured(log, cause, base) or _find_read_only(log, cause).get(base, "")
    if base == "container_name":
        return log.names.get("entered", "") or _find_container(log)
    value = value or find_images(log, cause).get(base, "")
    value = value or (_move_to_mps(log) if base == _ON_MPS else "")
    if change == _NAME:
        return posixpath.basename(value.rstrip("/"))
    return _double(value) if change == _TWICE else value


def _move_to_mps(log: Log) -> str:
    """The command of the log, where it asks for CUDA, with the GPU of a Mac instead."""
    command = log.names.get("python", "")
    return _ASKS_FOR_CUDA.sub("mps", command) if _ASKS_FOR_CUDA.search(command) else ""


def _find_container(log: Log) -> str:
    """The name that ``docker run`` gave."""
    found = _CONTAINER.search(log.names.get("docker_run", ""))
    return found[1] if found else ""


def _double(size: str) -> str:
    """``40Gi`` of ``20Gi``; empty of what is no size."""
    found = _SIZE.fullmatch(size)
    return f"{2 * float(found[1]):g}{found[2]}" if found else ""


def _find_read_only(log: Log, cause: str) -> dict[str, str]:
    """The volume that the command mounts without the right to write where it wrote."""
    path = log.find_value(cause, "path")
    for volume in _VOLUME.finditer(log.names.get("docker_run", "")):
        below = f"{path}/".startswith(f"{volume['target'].rstrip('/')}/")
        if path and below and "ro" in volume["how"].split(","):
            return {"read_only_source": volume["source"], "read_only_target": volume["target"]}
    return {}
