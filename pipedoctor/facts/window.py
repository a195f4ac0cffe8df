"""A stretch of time in which something was measured, and who else was there."""

from pipedoctor.facts.base import Part

FOREIGN = 0.06
"""Share of the CPUs that others may use before a measurement shows it."""
SPARE = 1.0
"""Idle CPUs beside which others do no harm."""
STOLEN = 0.05
"""Share of the CPUs that the hypervisor may take."""
HOPELESS = 0.3
"""Share of the CPUs with which others decide the result instead of the code."""


class Window(Part, frozen=True, kw_only=True):
    """
    One measuring window; CPU times in seconds, None = cannot be known here.

    `own` is the whole process tree of the measurement, ended children included.
    """

    seconds: float
    cpus: float
    """CPUs that the measurement may use: affinity mask or quota."""
    own: float
    foreign: float | None = None
    """CPU time of everybody else on these CPUs (in our group, under a quota)."""
    stolen: float = 0.0
    throttled: float | None = None
    """Seconds for which the control group was stopped by its quota."""
    throttled_share: float | None = None
    """Share of the quota's periods in which it was stopped."""
    minor_faults: int | None = None
    involuntary_switches: int | None = None

    @property
    def own_cores(self) -> float:
        """CPUs that the measurement kept busy."""
        return self.own / self.seconds if self.seconds else 0.0

    @property
    def foreign_cores(self) -> float | None:
        """CPUs that others kept busy meanwhile."""
        if self.foreign is None:
            return None
        return self.foreign / self.seconds if self.seconds else 0.0

    @property
    def stolen_cores(self) -> float:
        """CPUs that the hypervisor gave to other machines."""
        return self.stolen / self.seconds if self.seconds else 0.0

    @property
    def lost_cores(self) -> float:
        """CPUs that others and the hypervisor had, where none were spare."""
        taken = (self.foreign_cores or 0.0) + self.stolen_cores
        spare = self.cpus - self.own_cores - taken
        crowded = spare < SPARE or self.cpus <= SPARE
        return taken if crowded else 0.0

    @property
    def disturbed(self) -> str:
        """What makes the result doubtful: ``foreign CPU 1.0 cores``; empty: clean."""
        if not self.lost_cores:
            return ""
        said: list[str] = []
        foreign = self.foreign_cores
        if foreign is not None and foreign > FOREIGN * self.cpus:
            said.append(f"foreign CPU {foreign:.1f} cores")
        if self.stolen_cores > STOLEN * self.cpus:
            said.append(f"stolen CPU {self.stolen_cores:.1f} cores")
        return ", ".join(said)

    @property
    def refused(self) -> str:
        """Why nobody should believe the result; empty: it can be used."""
        if self.disturbed and self.lost_cores > HOPELESS * self.cpus:
            return f"{self.disturbed}: cannot say"
        return ""
