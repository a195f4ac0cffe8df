"""Containers that are opened again and again, and workers that keep them open."""

from typing import Any

import msgspec

from pipedoctor.check import Counterfactual
from pipedoctor.facts import DataSets, Pipeline
from pipedoctor.remedy import Remedy, in_code

CONTAINERS = frozenset({".h5", ".hdf5", ".hdf", ".nc", ".zip", ".tar"})


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """How often containers are opened, and how many a worker can keep open."""

    containers: int
    samples: int
    workers: int
    keep: int

    @property
    def hits(self) -> float:
        """
        Share of samples whose container is open already.

        Of a shuffled epoch; one in order has more hits where not all are kept.
        """
        opened = self.keep * self.workers
        return self.keep / self.containers * max(0.0, 1 - opened / self.samples)

    @property
    def spared(self) -> Counterfactual:
        """What that changes of an epoch."""
        return Counterfactual(opened=self.hits)

    @property
    def evidence(self) -> dict[str, Any]:
        """What it was reckoned from."""
        return {
            "containers": self.containers,
            "samples": self.samples,
            "kept_open": self.keep,
            "found_open": round(self.hits, 3),
        }


def repeats(
    datasets: DataSets | None, seen: Pipeline | None, handles: int
) -> Repeats | None:
    """None: nobody knows both numbers, or hardly any container is opened twice."""
    samples = [entry.sample for entry in datasets.entries] if datasets else []
    if seen is None or not seen.samples or not samples:
        return None
    number = 0
    for sample in samples:
        if sample is None or not sample.complete:
            return None
        number += sum(n for kind, n in sample.suffixes.items() if kind in CONTAINERS)
    if not number:
        return None
    found = Repeats(
        containers=number,
        samples=seen.samples,
        workers=max(1, seen.start.num_workers),
        keep=min(number, handles),
    )
    return found if seen.samples >= 2 * number and found.hits > 0 else None


def kept_open(keep: int, name: str) -> Remedy:
    """One cache of handles in each worker."""
    opener = name or "h5py.File"
    return in_code(
        f"Keep the last {keep} open in every worker (recipe lru-per-worker)",
        "if self._open is None:  # in the worker: handles must not be pickled\n"
        f"    self._open = functools.lru_cache({keep})({opener})\n"
        "file = self._open(path)",
    )
