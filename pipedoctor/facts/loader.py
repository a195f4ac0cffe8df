"""The job's DataLoaders, as far as they are known."""

from typing import ClassVar

from pipedoctor.facts.base import Fact

DEFAULT_PREFETCH = 2


class Loader(Fact, frozen=True, kw_only=True):
    """
    The DataLoader arguments that decide how much is in flight; None = not known.

    `origin` says per field where the value comes from: ``--workers``,
    ``train.py:12`` or ``pid 4711``.
    """

    section: ClassVar[str] = "loader"

    num_workers: int | None = None
    prefetch_factor: int | None = None
    batch_bytes: int | None = None
    ranks: int | None = None
    loaders: int = 1
    origin: dict[str, str] = {}

    @property
    def missing_options(self) -> str:
        """The options that would tell what is not known and matters most, with their values."""
        missing = {"--workers N": self.num_workers, "--batch-bytes SIZE": self.batch_bytes}
        return " ".join(option for option, value in missing.items() if value is None)

    @property
    def is_running(self) -> bool:
        """Does the job run already, so that what it uses is not free any more?"""
        return any(origin.startswith("pid ") for origin in self.origin.values())

    @property
    def workers_on_node(self) -> int | None:
        """Worker processes of all ranks and loaders; None when not known."""
        if self.num_workers is None:
            return None
        return self.num_workers * (self.ranks or 1) * self.loaders

    @property
    def batches_in_flight(self) -> int | None:
        """
        Batches that /dev/shm must hold at once.

        All that wait, and two in use, for each loader and rank; bisected on real
        DataLoaders (docs/decisions.md). No workers: no shared memory.
        """
        if self.num_workers is None:
            return None
        if not self.num_workers:
            return 0
        waiting = self.num_workers * (self.prefetch_factor or DEFAULT_PREFETCH)
        return (waiting + 2) * (self.ranks or 1) * self.loaders

    @property
    def bytes_in_flight(self) -> int | None:
        """Bytes that /dev/shm must hold at once; None when not known."""
        batches = self.batches_in_flight
        if batches is None or (batches and self.batch_bytes is None):
            return None
        return batches * (self.batch_bytes or 0)

    @property
    def min_descriptors(self) -> int | None:
        """
        Descriptors without which a training process cannot fetch its first batches.

        Bisected on real DataLoaders (docs/decisions.md); None when not known.
        """
        if self.num_workers is None:
            return None
        workers = self.num_workers * self.loaders
        return 4 * workers + 12 if workers else 0
