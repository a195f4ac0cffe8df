"""Read /dev/shm: size, use, mount; the files in it are in `segments`."""

import os
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import find_mount, mounts
from pipedoctor.collect.system.namespaces import is_in_initial, read_privileges
from pipedoctor.collect.system.shm_segments import (
    SegmentScan,
    has_foreign_processes,
    scan_segments,
)
from pipedoctor.collect.system.site import site
from pipedoctor.facts import Launcher, Mount, Shm, Site, UnreadableError
from pipedoctor.runtime.lanes import Announce

_SHARED_SHM_KINDS = {"kubernetes", "apptainer"}
"""Their /dev/shm is that of a whole pod, or of the host."""


def shm(machine: Machine, announce: Announce) -> Shm:
    """Measure the tmpfs that the examined process sees at /dev/shm."""
    machine.require_linux()
    path = _resolve_shm_path(machine)
    announce(f"statvfs {path}")
    folder = machine.map_path(path)
    try:
        seen = os.statvfs(folder)
    except FileNotFoundError:
        return Shm(size=0, available=0, fstype="", mounted=False, missing=True)
    except OSError as error:
        message = f"/dev/shm: {error.strerror}"
        raise UnreadableError(message) from error
    mount = find_mount(path, mounts(machine))
    place = site(machine, announce)
    shared = _is_shared(place, mount)
    here = _is_same_filesystem(machine, folder)
    found = _scan_folder(machine, folder, announce, private=_is_private(place, mount))
    fact = Shm(
        size=seen.f_blocks * seen.f_frsize,
        used=(seen.f_blocks - seen.f_bfree) * seen.f_frsize,
        available=seen.f_bavail * seen.f_frsize,
        unlimited=seen.f_blocks == 0,
        here=here,
        shared_with_host=shared or found.foreign,
        segments=found.segments,
        segments_left_out=found.left_out,
    )
    return _add_mount(fact, path, mount, remountable=here and _may_remount(machine, place))


def _resolve_shm_path(machine: Machine) -> str:
    """/dev/shm, or where older distributions link it to."""
    try:
        target = str(machine.map_path("/dev/shm").readlink())
    except OSError:
        return "/dev/shm"
    return os.path.normpath(Path("/dev") / target)


def _add_mount(fact: Shm, path: str, mount: Mount | None, *, remountable: bool) -> Shm:
    if mount is None:
        return replace(fact, fstype="")
    own = mount.point == path
    return replace(
        fact,
        fstype=mount.fstype,
        mounted=own,
        read_only="ro" in mount.options,
        remountable=remountable and own and mount.fstype == "tmpfs",
    )


def _is_same_filesystem(machine: Machine, folder: Path) -> bool:
    """Is this the same file system as this command's own /dev/shm?"""
    if machine.pid is None:
        return True
    own = replace(machine, pid=None).map_path("/dev/shm")
    try:
        return own.stat().st_dev == folder.stat().st_dev
    except OSError:
        return False


def _is_shared(place: Site, mount: Mount | None) -> bool:
    """
    Does it come from outside the container? Engines name a private one ``shm``.

    A pod's containers share one under that name too, each with its own processes.
    """
    if place.launcher is Launcher.BARE:
        return False
    own = mount is not None and mount.source == "shm"
    return bool(place.container) and (place.container in _SHARED_SHM_KINDS or not own)


def _is_private(place: Site, mount: Mount | None) -> bool:
    return bool(place.container) and not _is_shared(place, mount)


def sees_all_writers(machine: Machine, folder: Path) -> bool:
    """
    Are all processes of this user that write to this folder visible here?

    False where nobody can say: other containers may share it, each with its own.
    """
    if is_in_initial(machine, "pid"):
        seen = (machine.proc / "1").exists()  # else some are hidden from us
    else:
        mount = find_mount(_resolve_shm_path(machine), mounts(machine))
        seen = _is_private(site(machine, lambda _: None), mount)
    return seen and not has_foreign_processes(machine.proc, folder, os.getuid())


def _scan_folder(
    machine: Machine, folder: Path, announce: Announce, *, private: bool
) -> SegmentScan:
    everywhere = is_in_initial(machine, "pid") and is_in_initial(replace(machine, pid=None), "pid")
    same = machine.pid is None  # else our /proc need not show what shares its mount
    return scan_segments(
        folder, machine.proc, announce, initial=everywhere, private=private and same
    )


def _may_remount(machine: Machine, place: Site) -> bool:
    """
    CAP_SYS_ADMIN over the user namespace that owns the mount, or a way to get it.

    That namespace is the initial one, except in system containers, which mount
    their own. On a machine of one's own `sudo` gives it; in a job it seldom does.
    """
    rights = read_privileges(replace(machine, pid=None))
    if rights.sys_admin:
        return True
    if place.launcher is not Launcher.BARE:
        return False
    if place.container:
        return rights.own_admin
    return rights.sudo
