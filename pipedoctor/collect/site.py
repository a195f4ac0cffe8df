"""Read the site section."""

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Site, Unreadable


def site(machine: Machine, announce: Announce) -> Site:
    """Not read yet."""
    machine.linux()
    announce("nothing")
    message = "not collected"
    raise Unreadable(message)
