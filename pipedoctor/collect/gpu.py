"""Read the gpu section."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Gpu, Unreadable


def gpu(machine: Machine, announce: Announce) -> Gpu:
    """Not read yet."""
    machine.linux()
    announce("nothing")
    message = "not collected"
    raise Unreadable(message)
