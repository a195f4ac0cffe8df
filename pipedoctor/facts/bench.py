"""What the measurements of single stages share: rates with intervals, the machine."""

from pipedoctor.facts.base import Part

NO_TIME_LEFT = "no time left in the budget"
"""Why something was not measured."""
MIN_WINDOWS = 3
"""Windows without which an interval says nothing."""


class Spread(Part, frozen=True, kw_only=True):
    """A median with the interval that holds it in about 19 of 20 repetitions."""

    value: float
    low: float
    high: float
    windows: int
    """How many windows it comes from; of fewer than six, `low` to `high` is all."""

    def is_above(self, least: float) -> bool:
        """Is it more than this for certain, which one or two windows cannot tell?"""
        return self.windows >= MIN_WINDOWS and self.low > least


class Host(Part, frozen=True, kw_only=True):
    """The machine that was measured, as far as it decides the numbers."""

    model: str = ""
    cpus: int
    """Logical CPUs that are online."""
    effective: int
    """CPUs that this process could use."""
    memory: int | None = None
    release: str = ""
    """Of the kernel."""
    python: str = ""
    """Version of the interpreter that did the measured work; empty: ours."""
    created: str = ""
    """UTC, ``2026-01-01T00:00:00Z``."""

    def is_same_machine(self, model: str, cpus: int) -> bool:
        """Could this be the machine with these CPUs, as far as anybody can tell?"""
        return self.cpus == cpus and (not self.model or not model or self.model == model)


class Quality(Part, frozen=True, kw_only=True):
    """How much the rest of the machine got into a measurement."""

    windows: int = 0
    repeated: int = 0
    """Windows that were measured again, because others had the CPUs meanwhile."""
    marked: str = ""
    """The worst disturbance of windows that count: ``other processes used 0.3 of 2 CPUs``."""
    refused: int = 0
    """Windows that do not count."""
    why_refused: str = ""
