"""Containers that are opened again and again, and workers that keep them open."""

from typing import Any

import msgspec

from pipedoctor.check import Counterfactual, Remedy, in_code
from pipedoctor.facts import DataSets, Pipeline

CONTAINER_SUFFIXES = frozenset({".h5", ".hdf5", ".hdf", ".nc", ".zip", ".tar"})


class ContainerReopens(msgspec.Struct, frozen=True, kw_only=True):
    """How often containers are opened, and how many a worker can keep open."""

    containers: int
    samples: int
    workers: int
    keep: int

    @property
    def hit_share(self) -> float:
        """
        Share of samples whose container is already open.

        For a shuffled epoch; an ordered one has more hits unless all are kept open.
        """
        opened = self.keep * self.workers
        return self.keep / self.containers * max(0.0, 1 - opened / self.samples)

    @property
    def counterfactual(self) -> Counterfactual:
        """The effect on an epoch."""
        return Counterfactual(opened=self.hit_share)

    @property
    def evidence(self) -> dict[str, Any]:
        """The values that the estimate is based on."""
        return {
            "containers": self.containers,
            "samples": self.samples,
            "kept_open": self.keep,
            "found_open": round(self.hit_share, 3),
        }


def count_reopens(
    datasets: DataSets | None, pipeline: Pipeline | None, handles: int
) -> ContainerReopens | None:
    """Count how often containers are reopened; None: unknown or hardly ever."""
    samples = [entry.sample for entry in datasets.entries] if datasets else []
    if pipeline is None or not pipeline.samples or not samples:
        return None
    number = 0
    for sample in samples:
        if sample is None or not sample.complete:
            return None
        number += sum(n for kind, n in sample.suffixes.items() if kind in CONTAINER_SUFFIXES)
    if not number:
        return None
    found = ContainerReopens(
        containers=number,
        samples=pipeline.samples,
        workers=max(1, pipeline.start.num_workers),
        keep=min(number, handles),
    )
    return found if pipeline.samples >= 2 * number and found.hit_share > 0 else None


def cache_handles(keep: int, name: str) -> Remedy:
    """One cache of handles in each worker."""
    opener = name or "h5py.File"
    return in_code(
        f"Keep the last {keep} open in every worker (recipe lru-per-worker)",
        "if self._open is None:  # in the worker: handles must not be pickled\n"
        f"    self._open = functools.lru_cache({keep})({opener})\n"
        "file = self._open(path)",
    )
