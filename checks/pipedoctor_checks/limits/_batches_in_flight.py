"""What a job keeps in /dev/shm, compared with the space available there."""

import math

import msgspec

from pipedoctor.facts import Loader, Shm
from pipedoctor.facts.loader import DEFAULT_PREFETCH
from pipedoctor.units import MiB, format_size


class ShmDemand(msgspec.Struct, frozen=True, kw_only=True):
    """One job at one /dev/shm; `headroom` is the factor that leaves some space."""

    shm: Shm
    job: Loader
    headroom: float

    @property
    def batches(self) -> int:
        """Batches in flight of all ranks and loaders."""
        return self.job.batches_in_flight or 0

    @property
    def least_bytes(self) -> int:
        """Bytes without which it fails."""
        return self.job.bytes_in_flight or 0

    @property
    def recommended_bytes(self) -> int:
        """Bytes that it should have."""
        return int(self.least_bytes * self.headroom)

    @property
    def available_bytes(self) -> float:
        """Bytes available, including what the running job itself uses."""
        if self.shm.unlimited:
            return math.inf
        running = any(told.startswith("pid ") for told in self.job.origin.values())
        return self.shm.size if running else self.shm.usable_bytes

    @property
    def largest_batch(self) -> float:
        """Bytes of the largest batch that these workers can send."""
        return self.available_bytes / self.batches

    @property
    def evidence(self) -> dict[str, int]:
        """The numbers that the verdict is based on, and the largest job that fits."""
        found = {"shm.size": self.shm.size}
        if self.available_bytes < self.shm.size:
            found["shm.available"] = int(self.available_bytes)
        return found

    @property
    def fits(self) -> dict[str, int]:
        """The most workers with these batches, the largest batch with these workers."""
        safe = self.available_bytes / self.headroom
        return {
            "fits.num_workers": self.count_fitting_workers(safe, self.job.batch_bytes or 1),
            "fits.batch_bytes": int(safe / self.batches),
        }

    def count_fitting_workers(self, room: float, batch: int, *, prefetch: int = 0) -> int:
        """Count the workers whose batches of `batch` bytes fit into so many bytes."""
        each = (self.job.ranks or 1) * self.job.loaders * batch
        prefetch = prefetch or self.job.prefetch_factor or DEFAULT_PREFETCH
        return max(0, int(room / each - 2) // prefetch)

    def size_for(self, required_bytes: int) -> int:
        """The size of /dev/shm that has `recommended_bytes` bytes left, in whole MiB."""
        others = max(0, int(self.shm.size - self.available_bytes))
        return -(-(others + required_bytes) // MiB) * MiB

    def describe_shortage(self) -> str:
        """Describe the shortage: the size of /dev/shm, or what others left of it."""
        if self.shm.size < self.recommended_bytes or self.available_bytes == self.shm.size:
            return f"/dev/shm has {format_size(self.shm.size)}"
        left = format_size(int(self.available_bytes))
        return f"/dev/shm has {left} left of {format_size(self.shm.size)}"
