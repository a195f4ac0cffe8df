"""What a job keeps in /dev/shm, against the room that it finds there."""

import math

import msgspec

from pipedoctor.facts import Loader, Shm
from pipedoctor.facts.loader import DEFAULT_PREFETCH
from pipedoctor.units import MiB, human


class InFlight(msgspec.Struct, frozen=True, kw_only=True):
    """One job at one /dev/shm; `headroom` is the factor that leaves some room."""

    shm: Shm
    job: Loader
    headroom: float

    @property
    def batches(self) -> int:
        """Batches in flight of all ranks and loaders."""
        return self.job.batches_in_flight or 0

    @property
    def need(self) -> int:
        """Bytes without which it fails."""
        return self.job.bytes_in_flight or 0

    @property
    def needed(self) -> int:
        """Bytes that it should have."""
        return int(self.need * self.headroom)

    @property
    def room(self) -> float:
        """What it finds; what a running job itself has there is not held against it."""
        if self.shm.unlimited:
            return math.inf
        running = any(told.startswith("pid ") for told in self.job.origin.values())
        return self.shm.size if running else self.shm.room

    @property
    def largest_batch(self) -> float:
        """Bytes of the largest batch that these workers can send."""
        return self.room / self.batches

    @property
    def evidence(self) -> dict[str, int]:
        """The numbers that the judgement rests on, and the largest job that fits."""
        found = {"shm.size": self.shm.size}
        if self.room < self.shm.size:
            found["shm.available"] = int(self.room)
        return found

    @property
    def fits(self) -> dict[str, int]:
        """The most workers with these batches, the largest batch with these workers."""
        safe = self.room / self.headroom
        each = (self.job.ranks or 1) * self.job.loaders * (self.job.batch_bytes or 1)
        prefetch = self.job.prefetch_factor or DEFAULT_PREFETCH
        workers = max(0, int(safe / each - 2) // prefetch)
        return {
            "fits.num_workers": workers,
            "fits.batch_bytes": int(safe / self.batches),
        }

    def size_for(self, needed: int) -> int:
        """The size of /dev/shm that has `needed` bytes left, in whole MiB."""
        others = max(0, int(self.shm.size - self.room))
        return -(-(others + needed) // MiB) * MiB

    def has(self) -> str:
        """Name what is short: the whole of it, or what others left."""
        if self.shm.size < self.needed or self.room == self.shm.size:
            return f"/dev/shm has {human(self.shm.size)}"
        return f"/dev/shm has {human(int(self.room))} left of {human(self.shm.size)}"
