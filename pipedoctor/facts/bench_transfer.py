"""How fast batches get to the GPU, and whether that hides behind computing."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.bench import Host, Quality, Spread


class Copy(Part, frozen=True, kw_only=True):
    """One way to bring a batch to the device."""

    name: str
    """``pageable``, ``pinned``, ``pin_memory() each time`` ..."""
    rate: Spread
    """Bytes per second."""
    returns: Spread
    """Seconds until the call gives the CPU back, which is less if it does not wait."""


class Step(Part, frozen=True, kw_only=True):
    """A copy and some computing after each other or at once."""

    name: str
    seconds: Spread
    """Per batch."""
    hidden: float | None = None
    """Share of the copy that costs no time beside the computing."""


class BenchTransfer(Fact, frozen=True, kw_only=True):
    """The result of `pipedoctor bench transfer`."""

    section: ClassVar[str] = "bench_transfer"

    host: Host
    device: str
    torch: str
    batch_bytes: int
    copies: tuple[Copy, ...] = ()
    compute_seconds: float | None = None
    """Of the computing alone, per batch; about as long as the pinned copy."""
    steps: tuple[Step, ...] = ()
    quality: Quality = Quality()
    seconds: float = 0.0
    interrupted: bool = False
