"""How many descriptors a job needs."""

from typing import Any

from pipedoctor.facts import Limits, Loader
from pipedoctor.facts.loader import DEFAULT_PREFETCH
from pipedoctor_checks.limits._job_need import JobNeed


class DescriptorNeed(JobNeed, frozen=True, kw_only=True):
    """Descriptors of one training process; `workers` None: its job is unknown."""

    plain: int = 0
    """What an ordinary loop that keeps no batches may need."""

    @classmethod
    def estimate(
        cls, limits: Limits, loader: Loader | None, tensors: int, spare: int
    ) -> "DescriptorNeed":
        """Estimate it; running workers already hold what `open_files` counts."""
        if loader is None or loader.num_workers is None:
            return cls()
        workers = loader.num_workers * loader.loaders
        counted = loader.origin.get("num_workers", "").startswith("pid ")
        if not workers or (counted and limits.open_files is not None):
            return cls(workers=workers)
        least = loader.min_descriptors or 0
        prefetch = loader.prefetch_factor or DEFAULT_PREFETCH
        waiting = tensors * prefetch * workers
        return cls(workers=workers, least=least, plain=least + waiting + spare)


def collect_evidence(limits: Limits, need: DescriptorNeed) -> dict[str, Any]:
    """The values that the verdict on a process's limit is based on."""
    facts = {
        "limits.nofile.soft": limits.nofile.soft,
        "limits.nofile.hard": limits.nofile.hard,
        "limits.open_files": limits.open_files,
        "workers": need.workers,
        "needed": need.least or None,
        "needed.plain": need.plain or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
