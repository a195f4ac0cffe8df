"""Read the memory section."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Memory, Unreadable


def memory(machine: Machine, announce: Announce) -> Memory:
    """Not read yet."""
    machine.linux()
    announce("nothing")
    message = "not collected"
    raise Unreadable(message)
