"""The table of what breaks pipelines how often, counted in tickets."""

from fnmatch import fnmatchcase
from typing import ClassVar

from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import Row


class Culprit(Row, frozen=True, kw_only=True):
    """A part of a machine that differs between one that works and one that does not."""

    component: str
    """``torch``, ``driver``, ``shm``."""
    tickets: int
    """Solved tickets and environment reports in which it was the cause."""
    causes: tuple[str, ...]
    """Names of these causes."""
    packages: tuple[str, ...] = ()
    """Distributions that belong to it, as file name patterns: ``nvidia-cudnn-*``."""


class Culprits(World, frozen=True, kw_only=True):
    """Parts of a machine, the most frequent cause first."""

    section: ClassVar[str] = "culprits"

    tickets: int = 0
    """Tickets that were counted, those of the user's own code among them."""
    rows: tuple[Culprit, ...] = ()

    def find(self, component: str) -> Culprit | None:
        """The row of a component."""
        return next((row for row in self.rows if row.component == component), None)

    def find_by_package(self, name: str) -> Culprit | None:
        """The row that a distribution belongs to: that of the longest pattern."""
        fitting = (
            (len(pattern), row)
            for row in self.rows
            for pattern in row.packages
            if fnmatchcase(name, pattern)
        )
        return max(fitting, key=lambda fit: fit[0], default=(0, None))[1]
