"""What holds a pipeline up: one of a few names, with the reason and its figures."""

import msgspec

BOTTLENECK_NAMES = (
    "storage-latency",
    "storage-bandwidth",
    "decode-cpu",
    "transform-cpu",
    "blas-threads",
    "ipc-objects",
    "ipc-bytes",
    "stragglers",
    "main-thread",
    "cpu-quota",
    "allocator-faults",
    "worker-startup",
    "consumer",
    "unknown",
)


class Bottleneck(msgspec.Struct, frozen=True, kw_only=True):
    """A name of `BOTTLENECK_NAMES`, why in one sentence, and the figures behind it."""

    name: str
    reason: str
    evidence: dict[str, float]
