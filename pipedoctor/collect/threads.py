"""Read which thread counts the environment asks numeric libraries for."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Threads, Unreadable


def threads(machine: Machine, announce: Announce) -> Threads:
    """Not read yet."""
    machine.linux()
    announce("nothing")
    message = "not collected"
    raise Unreadable(message)
