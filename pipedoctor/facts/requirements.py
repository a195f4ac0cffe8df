"""Requirements of installed distributions."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.versions import satisfies


class Missing(Part, frozen=True, kw_only=True):
    """A requirement of an installed distribution that is not met."""

    owner: str
    requirement: str
    found: str = ""
    """The version that is there instead; empty: none."""


class Bound(Part, frozen=True, kw_only=True):
    """Which versions of a package an installed distribution allows."""

    owner: str
    name: str
    """Normalised: lower case, dashes."""
    specifier: str
    """``>=1.22,<2.3``; clauses without blanks."""


class Requirements(Fact, frozen=True, kw_only=True):
    """What `pip check` would complain of; `judged` counts the requirements read."""

    section: ClassVar[str] = "requirements"

    unmet: tuple[Missing, ...] = ()
    judged: int = 0
    bounds: tuple[Bound, ...] = ()
    """
    Of packages that remedies change, and of those that are not met; of NVIDIA's wheels
    those of others than torch and these wheels.
    """

    def find_excluding(self, name: str, version: str) -> tuple[str, ...]:
        """Distributions that do not allow this version of a package."""
        return tuple(
            bound.owner
            for bound in self.bounds
            if bound.name == name and satisfies(bound.specifier, version) is False
        )

    def list_clauses(self, name: str) -> tuple[str, ...]:
        """Every clause that some distribution asks of a package: ``<2.3``."""
        found = (bound.specifier.split(",") for bound in self.bounds if bound.name == name)
        return tuple(dict.fromkeys(clause for clauses in found for clause in clauses))
