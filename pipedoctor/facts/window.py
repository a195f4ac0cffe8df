"""A stretch of time in which something was measured, and who else was there."""

from pipedoctor.facts.base import Part

MAX_FOREIGN_SHARE = 0.06
"""Share of the CPUs that others may use before a measurement shows it."""
SPARE_CPUS = 1.0
"""Idle CPUs beside which others do no harm."""
MAX_STOLEN_SHARE = 0.05
"""Share of the CPUs that the hypervisor may take."""
MAX_LOST_SHARE = 0.3
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
    foreign_process: str = ""
    """The process of others that took the most: ``python3, pid 4711``."""
    tolerated: bool = False
    """Does it count, however much others used (`--allow-busy`, or only CPU time is compared)?"""
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
        crowded = spare < SPARE_CPUS or self.cpus <= SPARE_CPUS
        return taken if crowded else 0.0

    @property
    def disturbance(self) -> str:
        """What makes the result doubtful: ``other processes used 1 of 2 CPUs``; or empty."""
        if not self.lost_cores:
            return ""
        causes: list[str] = []
        cpus = f"{self.cpus:g} CPU{'' if self.cpus == 1 else 's'}"
        foreign = self.foreign_cores
        if foreign is not None and foreign > MAX_FOREIGN_SHARE * self.cpus:
            who = f" (mostly {self.foreign_process})" if self.foreign_process else ""
            causes.append(f"other processes used {foreign:.1f} of {cpus}{who}")
        if self.stolen_cores > MAX_STOLEN_SHARE * self.cpus:
            causes.append(f"the hypervisor took {self.stolen_cores:.1f} of {cpus}")
        return ", ".join(causes)

    @property
    def rejection_reason(self) -> str:
        """Why the result must not be used; empty: it can be."""
        if self.disturbance and not self.tolerated and self.lost_cores > MAX_LOST_SHARE * self.cpus:
            return f"{self.disturbance}, too much for a reliable measurement"
        return ""
