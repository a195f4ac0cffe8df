"""Read /dev/shm: size, use, mount; the files in it are in `segments`."""

import os

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Shm, Unreadable


def shm(machine: Machine, announce: Announce) -> Shm:
    """Measure the tmpfs that the examined process sees at /dev/shm."""
    machine.linux()
    announce("statvfs /dev/shm")
    path = machine.inside("/dev/shm")
    try:
        seen = os.statvfs(path)
    except OSError as error:
        message = f"/dev/shm: {error.strerror}"
        raise Unreadable(message) from error
    return Shm(
        size=seen.f_blocks * seen.f_frsize,
        used=(seen.f_blocks - seen.f_bfree) * seen.f_frsize,
        available=seen.f_bavail * seen.f_frsize,
    )
