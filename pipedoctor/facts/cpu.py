"""The processors this job may use, and who says so."""

import math
from typing import ClassVar

from pipedoctor.facts.base import Fact, Part

INSTRUCTION_SETS = ("sse2", "sse4_2", "avx", "avx2", "avx512f")
"""Instruction sets that decide which wheels run."""


class Quota(Part, frozen=True, kw_only=True):
    """A CPU quota of a control group: `cpus` may be a fraction."""

    cpus: float
    source: str
    """The file that says so, the tightest of all parents."""
    periods: int | None = None
    throttled_periods: int | None = None
    throttled_seconds: float | None = None

    @property
    def throttled_share(self) -> float | None:
        """Share of the periods so far in which the group was stopped."""
        if not self.periods or self.throttled_periods is None:
            return None
        return self.throttled_periods / self.periods


class NumaNode(Part, frozen=True, kw_only=True):
    """One memory node and its CPUs."""

    node: int
    cpus: int
    memory: int | None = None


class Cpu(Fact, frozen=True, kw_only=True):
    """Processors: what the machine has, and what this process gets."""

    section: ClassVar[str] = "cpu"

    logical: int
    """CPUs that are online; what `os.cpu_count()` says."""
    physical: int | None = None
    model: str = ""
    affinity: int | None = None
    """CPUs in this process's affinity mask: torch's suggested maximum of workers."""
    cpuset: int | None = None
    """CPUs of the control group's cpuset."""
    isolated: int = 0
    """CPUs that the kernel keeps out of every mask by default (`isolcpus=`)."""
    online_list: str = ""
    """``0-63``: every CPU of the machine, as `taskset` reads it."""
    affinity_list: str = ""
    cpuset_list: str = ""
    pid: int | None = None
    """The running process that all this is about; None: the one we would start."""
    quota: Quota | None = None
    quota_unknown: str = ""
    """Why nobody can say whether there is a quota; empty: `quota` tells."""
    slurm_cpus: int | None = None
    """CPUs per task (or on this node) that Slurm granted."""
    slurm_per_task: bool = False
    """Is `slurm_cpus` what SLURM_CPUS_PER_TASK says?"""
    governor: str = ""
    scaling_driver: str = ""
    frequency: int | None = None
    """Hertz of the first CPU now."""
    max_frequency: int | None = None
    """Hertz that it can reach."""
    numa: tuple[NumaNode, ...] = ()
    nodes_allowed: int | None = None
    """Memory nodes whose CPUs are in the affinity mask."""
    flags: tuple[str, ...] = ()
    """Those of `INSTRUCTION_SETS` that the processor has."""

    @property
    def bounds(self) -> dict[str, float]:
        """Every limit on the CPUs of this job by its name, the machine's own last."""
        named = {
            "cgroup quota": self.quota.cpus if self.quota else None,
            "cpuset": self.cpuset,
            "affinity": self.affinity,
            "Slurm": self.slurm_cpus,
            "machine": self.logical,
        }
        return {name: float(cpus) for name, cpus in named.items() if cpus is not None}

    @property
    def effective(self) -> int:
        """CPUs this job can keep busy: the smallest bound, rounded up."""
        return max(1, math.ceil(min(self.bounds.values())))

    @property
    def visible_cpus(self) -> int:
        """CPUs that Python and torch see: the affinity, which knows of no quota."""
        return self.logical if self.affinity is None else self.affinity

    def divide_by_ranks(self, ranks: int | None) -> int:
        """Divide the CPUs among so many ranks on this machine, at least 1 each."""
        return max(1, self.effective // max(1, ranks or 1))

    @property
    def binding(self) -> str:
        """The bound that decides: ``cgroup quota``, ``affinity`` ... or ``machine``."""
        bounds = self.bounds
        least = min(bounds.values())
        if least == bounds["machine"]:
            return "machine"
        return next(name for name, cpus in bounds.items() if cpus == least)
