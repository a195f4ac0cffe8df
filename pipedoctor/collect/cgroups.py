"""Find a process's control groups: v1, v2 and hybrid, in containers and out."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pipedoctor.collect.machine import Machine, read, read_or
from pipedoctor.collect.mounts import mounts
from pipedoctor.facts import Mount, Unreadable


def walk(machine: Machine, controller: str) -> list[Path]:
    """
    List the directories of the examined process's group and its parents.

    Innermost first, in the hierarchy that carries `controller` (``cpu``,
    ``memory``, ``pids`` ...); parents outside a container cannot be seen from
    within. Raises Unreadable where no such directory can be seen.
    """
    version, group = _membership(machine, controller)
    for view in _views(machine):
        best: list[Path] = []
        for mount in mounts(view):
            point = view.inside(mount.point)
            if _carries(mount, point, version, controller):
                best = max(best, _directories(point, mount.root, group), key=len)
        if best:
            return best
    message = f"no control group with the {controller} controller can be seen"
    raise Unreadable(message)


def _membership(machine: Machine, controller: str) -> tuple[int, str]:
    """Version of the hierarchy that has this controller, and our group in it."""
    unified = None
    for line in read(machine.process / "cgroup").splitlines():
        number, _, rest = line.partition(":")
        names, _, group = rest.partition(":")
        group = group.removesuffix(" (deleted)")
        if controller in names.split(","):
            return 1, group
        if number == "0" and not names:
            unified = group
    if unified is None:
        message = f"the process is in no control group of the {controller} controller"
        raise Unreadable(message)
    return 2, unified


def _views(machine: Machine) -> Iterator[Machine]:
    """
    Our own mounts first, then those of the examined process.

    The kernel tells both files relative to the namespace of the reader, and ours
    shows the parents that a container's mounts hide.
    """
    yield Machine(root=machine.root)
    if machine.pid is not None:
        yield machine


def _carries(mount: Mount, point: Path, version: int, controller: str) -> bool:
    if version == 1:
        return mount.fstype == "cgroup" and controller in mount.options
    if mount.fstype != "cgroup2":
        return False
    available = read_or(point / "cgroup.controllers", controller).split()
    return controller in available


def _directories(point: Path, root: str, group: str) -> list[Path]:
    """The group and its parents below a mount point, innermost first."""
    below = _below(PurePosixPath(root).parts[1:], PurePosixPath(group).parts[1:])
    if below is None:
        return []
    inward = [point.joinpath(*below[:depth]) for depth in range(len(below) + 1)]
    return [directory for directory in reversed(inward) if _visible(directory)]


def _visible(directory: Path) -> bool:
    """Is it there? What we may not look at is not (3.10's `is_dir` would raise)."""
    try:
        return directory.is_dir()
    except OSError:
        return False


def _below(root: tuple[str, ...], group: tuple[str, ...]) -> tuple[str, ...] | None:
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
