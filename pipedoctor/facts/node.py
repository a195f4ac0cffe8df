"""Which node of a fleet a report is about: its name, and nothing of its addresses."""

from typing import ClassVar

from pipedoctor.facts.base import Fact


class Node(Fact, frozen=True, kw_only=True):
    """Only reports for a fleet have it; a plain `check` never names its machine."""

    section: ClassVar[str] = "node"

    name: str
    """As the scheduler calls it, else the host name: ``h100-0417``."""
