"""Read the limits section."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Limits, Unreadable


def limits(machine: Machine, announce: Announce) -> Limits:
    """Not read yet."""
    machine.linux()
    announce("nothing")
    message = "not collected"
    raise Unreadable(message)
