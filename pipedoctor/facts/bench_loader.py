"""What a batch costs after the workers have made it, and what threads cost them."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.bench import Host, Quality, Spread


class OneThread(Part, frozen=True, kw_only=True):
    """The same loader with and without threads of numerical libraries, in turns."""

    variables: tuple[str, ...]
    """Set to 1 for the one, left as they are for the other."""
    before: Spread
    """Samples per second as it is."""
    after: Spread
    """Samples per second with one thread."""
    ratio: Spread
    """The second by the first, round by round."""
    cpu_before: float
    """CPU seconds of a worker's process for a batch."""
    cpu_after: float


class BenchLoader(Fact, frozen=True, kw_only=True):
    """
    What `pipedoctor bench loader` measures beside the stages themselves.

    What has no number has its reason in `unknown`, by the name of the field.
    """

    section: ClassVar[str] = "bench_loader"

    host: Host
    target: str
    num_workers: int
    """With which it was measured."""
    touch: Spread | None = None
    """Seconds until the main process has seen every page of a batch once."""
    transfer: Spread | None = None
    """Seconds to bring a batch to the GPU, the first touch included."""
    threads: OneThread | None = None
    unknown: dict[str, str] = {}
    quality: Quality = Quality()
    seconds: float = 0.0
