"""Read /dev/shm: size, use, mount; the files in it are in `segments`."""

import os
from dataclasses import replace
from pathlib import Path

from msgspec.structs import replace as with_

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import mount_of, mounts
from pipedoctor.collect.namespaces import in_initial, privileges
from pipedoctor.collect.segments import Census, census, strangers
from pipedoctor.collect.site import site
from pipedoctor.facts import Habitat, Mount, Shm, Site, Unreadable

_POD = {"kubernetes", "apptainer"}
"""Their /dev/shm is that of a whole pod, or of the host."""


def shm(machine: Machine, announce: Announce) -> Shm:
    """Measure the tmpfs that the examined process sees at /dev/shm."""
    machine.linux()
    path = _path(machine)
    announce(f"statvfs {path}")
    folder = machine.inside(path)
    try:
        seen = os.statvfs(folder)
    except FileNotFoundError:
        return Shm(size=0, available=0, fstype="", mounted=False, missing=True)
    except OSError as error:
        message = f"/dev/shm: {error.strerror}"
        raise Unreadable(message) from error
    mount = mount_of(path, mounts(machine))
    place = site(machine, announce)
    shared = _shared(place, mount)
    here = _here(machine, folder)
    found = _census(machine, folder, announce, private=_private(place, mount))
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
    return _mounted(
        fact, path, mount, remountable=here and _may_remount(machine, place)
    )


def _path(machine: Machine) -> str:
    """/dev/shm, or where older distributions link it to."""
    try:
        target = str(machine.inside("/dev/shm").readlink())
    except OSError:
        return "/dev/shm"
    return os.path.normpath(Path("/dev") / target)


def _mounted(fact: Shm, path: str, mount: Mount | None, *, remountable: bool) -> Shm:
    if mount is None:
        return with_(fact, fstype="")
    own = mount.point == path
    return with_(
        fact,
        fstype=mount.fstype,
        mounted=own,
        read_only="ro" in mount.options,
        remountable=remountable and own and mount.fstype == "tmpfs",
    )


def _here(machine: Machine, folder: Path) -> bool:
    """The same file system as this command's own /dev/shm?"""
    if machine.pid is None:
        return True
    own = replace(machine, pid=None).inside("/dev/shm")
    try:
        return own.stat().st_dev == folder.stat().st_dev
    except OSError:
        return False


def _shared(place: Site, mount: Mount | None) -> bool:
    """
    Container engines call a private one ``shm``; any other came from outside.

    A pod's containers share one under that name too, each with its own processes.
    """
    if place.habitat is Habitat.BARE:
        return False
    own = mount is not None and mount.source == "shm"
    return bool(place.container) and (place.container in _POD or not own)


def _private(place: Site, mount: Mount | None) -> bool:
    return bool(place.container) and not _shared(place, mount)


def enclosed(machine: Machine, folder: Path) -> bool:
    """
    Are all who put files of this user there seen here, by the numbers in names?

    False where nobody can say: other containers may share it, each with its own.
    """
    if in_initial(machine, "pid"):
        seen = (machine.proc / "1").exists()  # else some are hidden from us
    else:
        mount = mount_of(_path(machine), mounts(machine))
        seen = _private(site(machine, lambda _: None), mount)
    return seen and not strangers(machine.proc, folder, os.getuid())


def _census(
    machine: Machine, folder: Path, announce: Announce, *, private: bool
) -> Census:
    everywhere = in_initial(machine, "pid") and in_initial(
        replace(machine, pid=None), "pid"
    )
    same = machine.pid is None  # else our /proc need not show what shares its mount
    return census(
        folder, machine.proc, announce, initial=everywhere, private=private and same
    )


def _may_remount(machine: Machine, place: Site) -> bool:
    """
    CAP_SYS_ADMIN over the user namespace that owns the mount, or a way to get it.

    That namespace is the initial one, except in system containers, which mount
    their own. On a machine of one's own `sudo` gives it; in a job it seldom does.
    """
    rights = privileges(replace(machine, pid=None))
    if rights.sys_admin:
        return True
    if place.habitat is not Habitat.BARE:
        return False
    if place.container:
        return rights.own_admin
    return rights.sudo
