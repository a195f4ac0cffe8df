"""Memory: what the machine has, and what the control group lets the job use."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class MemoryLimit(Part, frozen=True, kw_only=True):
    """A memory limit of a control group, in bytes: the tightest of all parents."""

    limit: int
    used: int | None = None
    cache: int | None = None
    """Part of `used` that the kernel gives back on demand: pages of files."""
    source: str = ""
    """The file that says so."""
    swap: int | None = None
    """Swap this group may use; None: not limited or not known."""
    oom_kills: int | None = None
    """Processes that the kernel killed in this group for lack of memory."""


class Memory(Fact, frozen=True, kw_only=True):
    """Sizes in bytes."""

    section: ClassVar[str] = "memory"

    total: int
    available: int
    swap_total: int = 0
    swap_free: int = 0
    group: MemoryLimit | None = None
    group_unknown: str = ""
    """Why nobody can say whether there is a limit; empty: `group` tells."""
    overcommit: int | None = None
    """vm.overcommit_memory: 0 heuristic, 1 always, 2 never."""
    commit_limit: int | None = None
    """What the kernel promises at most where overcommit is 2."""
    committed: int | None = None
    """What it has promised so far."""
    swappiness: int | None = None
    transparent_hugepages: str = ""
    """``always``, ``madvise`` or ``never``."""
    hugepage_defrag: str = ""
    """``always``, ``defer``, ``defer+madvise``, ``madvise`` or ``never``."""
    compaction_stalls: int | None = None
    """How often a process had to wait, since boot, while memory was compacted."""

    @property
    def limit(self) -> int:
        """What this job can use at most: the machine's memory or its group's limit."""
        return min(self.total, self.group.limit) if self.group else self.total

    @property
    def usable_bytes(self) -> int:
        """What is left for this job now: on the machine, and in its group."""
        group = self.group
        if group is None or group.used is None:
            return min(self.available, self.limit)
        used = max(0, group.used - (group.cache or 0))
        return min(self.available, max(0, group.limit - used))

    @property
    def usable_swap(self) -> int:
        """Swap that this job may use: the machine's, or as much as its group may."""
        allowed = self.group.swap if self.group else None
        return self.swap_total if allowed is None else min(allowed, self.swap_total)
