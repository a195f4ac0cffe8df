"""What a pipeline needs of a node, measured the same way on every one of them."""

from typing import ClassVar

from pipedoctor.facts.base import Fact


class NodeProbe(Fact, frozen=True, kw_only=True):
    """
    The result of `check --fleet-dir --probe`; None: `unknown` has the reason.

    What the storage of --data gives is in `datasets.entries[].cold_read`.
    """

    section: ClassVar[str] = "node_probe"

    decode_seconds: float | None = None
    """Seconds of one core for one decode of the built-in picture, at best."""
    decoder: str = ""
    """What decoded it: ``pillow 12.0.0``, or ``zlib`` where there is no decoder."""
    page_faults_per_second: float | None = None
    """Fresh pages of anonymous memory that one thread touches."""
    memory_bytes_per_second: float | None = None
    """What one thread copies within memory."""
    transfer_bytes_per_second: float | None = None
    """From pinned memory to the GPU."""
    seconds: float = 0.0
    unknown: dict[str, str] = {}
    """Why a field above is missing: ``decode_seconds`` -> ``no answer``."""
