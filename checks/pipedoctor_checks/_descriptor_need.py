"""How many descriptors a job needs."""

from typing import Any

import msgspec

from pipedoctor.facts import Limits, Loader
from pipedoctor.facts.loader import DEFAULT_PREFETCH


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Descriptors of one training process; `workers` None: nobody knows its job."""

    workers: int | None = None
    least: int = 0
    """With fewer it cannot even fetch its first batches."""
    plain: int = 0
    """What an ordinary loop may need that keeps no batch."""

    @classmethod
    def of(
        cls, limits: Limits, loader: Loader | None, tensors: int, spare: int
    ) -> "Need":
        """Reckon it; workers that run already hold what `open_files` counts."""
        if loader is None or loader.num_workers is None:
            return cls()
        workers = loader.num_workers * loader.loaders
        counted = loader.origin.get("num_workers", "").startswith("pid ")
        if not workers or (counted and limits.open_files is not None):
            return cls(workers=workers)
        least = loader.least_files or 0
        prefetch = loader.prefetch_factor or DEFAULT_PREFETCH
        waiting = tensors * prefetch * workers
        return cls(workers=workers, least=least, plain=least + waiting + spare)

    @property
    def job(self) -> str:
        """Say whose need it is."""
        return "1 worker needs" if self.workers == 1 else f"{self.workers} workers need"


def shown(limits: Limits, need: Need) -> dict[str, Any]:
    """What the verdict on a process's limit rests on."""
    facts = {
        "limits.nofile.soft": limits.nofile.soft,
        "limits.nofile.hard": limits.nofile.hard,
        "limits.open_files": limits.open_files,
        "workers": need.workers,
        "needed": need.least or None,
        "needed.plain": need.plain or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
