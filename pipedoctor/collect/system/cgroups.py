"""Find a process's control groups: v1, v2 and hybrid, in containers and out."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pipedoctor.collect.machine import Machine, read_file, read_or_default
from pipedoctor.collect.mounts import mounts
from pipedoctor.facts import Mount, UnreadableError


def list_cgroups(machine: Machine, controller: str) -> list[Path]:
    """
    List the directories of the examined process's group and its parents.

    Innermost first, in the hierarchy that carries `controller` (``cpu``,
    ``memory``, ``pids`` ...); parents outside a container cannot be seen from
    within. Raises UnreadableError where no such directory can be seen.
    """
    version, group = _find_group(machine, controller)
    for view in _iter_views(machine):
        best: list[Path] = []
        for mount in mounts(view):
            point = view.map_path(mount.point)
            if _has_controller(mount, point, version, controller):
                best = max(best, _list_directories(point, mount.root, group), key=len)
        if best:
            return best
    message = f"no control group with the {controller} controller is visible"
    raise UnreadableError(message)


def _find_group(machine: Machine, controller: str) -> tuple[int, str]:
    """Version of the hierarchy that has this controller, and our group in it."""
    unified = None
    for line in read_file(machine.process / "cgroup").splitlines():
        number, _, rest = line.partition(":")
        names, _, group = rest.partition(":")
        group = group.removesuffix(" (deleted)")
        if controller in names.split(","):
            return 1, group
        if number == "0" and not names:
            unified = group
    if unified is None:
        message = f"the process is not in a control group of the {controller} controller"
        raise UnreadableError(message)
    return 2, unified


def _iter_views(machine: Machine) -> Iterator[Machine]:
    """
    Yield our own view of the mounts first, then the examined process's.

    The kernel tells both files relative to the namespace of the reader, and ours
    shows the parents that a container's mounts hide.
    """
    yield Machine(root=machine.root)
    if machine.pid is not None:
        yield machine


def _has_controller(mount: Mount, point: Path, version: int, controller: str) -> bool:
    if version == 1:
        return mount.fstype == "cgroup" and controller in mount.options
    if mount.fstype != "cgroup2":
        return False
    available = read_or_default(point / "cgroup.controllers", controller).split()
    return controller in available


def _list_directories(point: Path, root: str, group: str) -> list[Path]:
    """The group and its parents below a mount point, innermost first."""
    below = _strip_mount_root(PurePosixPath(root).parts[1:], PurePosixPath(group).parts[1:])
    if below is None:
        return []
    inward = [point.joinpath(*below[:depth]) for depth in range(len(below) + 1)]
    return [directory for directory in reversed(inward) if _is_visible(directory)]


def _is_visible(directory: Path) -> bool:
    """Is this a directory that we may look at? (3.10's `is_dir` would raise.)"""
    try:
        return directory.is_dir()
    except OSError:
        return False


def _strip_mount_root(root: tuple[str, ...], group: tuple[str, ...]) -> tuple[str, ...] | None:
    """
    Path of the group below the root of a mount; None when it lies elsewhere.

    Paths are relative to the reader's cgroup namespace. A root of ``/../..`` lies
    above that namespace: the names between are hidden, but the root is a parent.
    """
    if group[: len(root)] == root:
        below = group[len(root) :]
        return None if ".." in below else below
    above = set(root) == {".."} and group.count("..") < len(root)
    return () if above else None
