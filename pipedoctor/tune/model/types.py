"""What is simulated: a loader, its consumer, the machine; and what comes out."""

from collections.abc import Sequence

import msgspec

CPU, STORAGE, TIME = range(3)
"""What a phase needs: a processor, the storage, or only time to pass."""

Phase = tuple[int, float]
"""What it needs, and seconds of it where nobody else is there."""


class SimulationInput(msgspec.Struct, frozen=True, kw_only=True):
    """
    A loader, its consumer and the machine under them.

    `tasks` are batches as (waiting, computing) seconds; each worker takes runs of them.
    `consumer_phases` are the phases of the main process for each batch.
    `parallel_reads` is how many requests make progress at once; `worker_cores` how many
    processors a computing worker keeps busy.
    """

    tasks: Sequence[tuple[float, float]]
    workers: int
    prefetch: int
    in_order: bool = True
    receive_seconds: float = 0.0
    """CPU seconds of the main process to unpickle a batch."""
    handover_seconds: tuple[float, float] = (0.0, 0.0)
    """
    Seconds in which an idle, and a computing, worker hands its descriptors over.

    The thread that does so competes with the computing one for Python's lock; once
    the worker has nothing left to do, it is quick.
    """
    pin_seconds: float | None = None
    """
    CPU seconds to copy a batch into page-locked memory; None: nobody does.

    A thread of the main process receives all batches then, and pins them.
    """
    consumer_phases: tuple[Phase, ...] = ()
    cores: float = 1.0
    parallel_reads: float = float("inf")
    worker_cores: float = 1.0
    cpu_contention: float = 0.0
    """How much slower computing gets when all processors are busy: 0.1 = 10 %."""


class SteadyState(msgspec.Struct, frozen=True, kw_only=True):
    """Means per batch of a simulated steady state."""

    batch_seconds: float
    wait_seconds: float
    early_batches: float = 0.0
    """Batches that hold descriptors before their turn, in the mean."""
    max_early_batches: int = 0
    """The same at the worst moment."""


class EpochRun(msgspec.Struct, frozen=True, kw_only=True):
    """An epoch from idle workers on: seconds to its first batch, and to its end."""

    first_batch_seconds: float
    seconds: float
