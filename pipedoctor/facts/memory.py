"""Memory: what the machine has, and what the control group lets the job use."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class MemoryLimit(Part, frozen=True, kw_only=True):
    """A memory limit of a control group, in bytes: the tightest of all parents."""

    limit: int
    used: int | None = None
    source: str = ""
    swap: int | None = None
    """Swap this group may use; None: not limited or not known."""
    oom_kills: int | None = None


class Memory(Fact, frozen=True, kw_only=True):
    """Sizes in bytes."""

    section: ClassVar[str] = "memory"

    total: int
    available: int
    swap_total: int = 0
    swap_free: int = 0
    group: MemoryLimit | None = None
    overcommit: int | None = None
    """vm.overcommit_memory: 0 heuristic, 1 always, 2 never."""
    swappiness: int | None = None
    transparent_hugepages: str = ""
    """``always``, ``madvise`` or ``never``."""

    @property
    def limit(self) -> int:
        """What this job can use at most: the machine's memory or its group's limit."""
        return min(self.total, self.group.limit) if self.group else self.total
