"""Look at the places that a job reads and writes."""

from typing import TYPE_CHECKING

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import PathFact

if TYPE_CHECKING:
    from pipedoctor.collect.plan import Place


def places(_machine: Machine) -> "tuple[Place, ...]":
    """The places of the examined job, from its environment alone: no I/O here."""
    return ()


def path(_machine: Machine, place: "Place", announce: Announce) -> PathFact:
    """Examine one place; announces each call before it, for it may hang."""
    announce("stat")
    return PathFact(role=place.role, path=place.path, named_by=place.named_by)
