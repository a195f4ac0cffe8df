"""
Events of seeds: where a dataset or a worker seeds a generator.

Each example is complete but for the usual imports.
"""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.details import EventDetails


class GeneratorSeed(EventDetails, frozen=True, kw_only=True):
    """
    Code for items seeds a global generator.

        class Rows(Dataset):
            def __getitem__(self, index):
                np.random.seed(0)
                return np.random.uniform()
    """

    kind: ClassVar[str] = "seed"

    constant: bool
    """The seed is written there."""


class GlobalSeed(EventDetails, frozen=True, kw_only=True):
    """
    A dataset seeds a global generator, and does not restore it.

        class Rows(Dataset):
            def __init__(self):
                random.seed(1234)
                self.order = random.sample(range(9), 9)

            def __getitem__(self, index):
                return self.order[index]
    """

    kind: ClassVar[str] = "global-seed"

    constant: bool
    """The seed is always the same."""
    method: str
    """The method that seeds: ``__init__``."""
    argument: str = ""
    """The seed, as it is written."""


class WorkerSeed(EventDetails, frozen=True, kw_only=True):
    """
    A worker seeds a generator.

        def seed_worker(worker_id):
            np.random.seed(worker_id)

        loader = DataLoader(load_rows(), num_workers=2, worker_init_fn=seed_worker)
    """

    kind: ClassVar[str] = "worker-seed"

    fresh: bool
    """The seed depends on what torch draws for each epoch."""
    by_worker: bool
    """The seed depends on the number of the worker."""
    demo: bool | UnsetType = UNSET
    """The function is part of a demonstration under the main guard."""
    by_time: bool
    """The seed depends on the clock or on the system's random numbers."""
    torch: str | UnsetType = UNSET
