"""What is simulated: a loader, its consumer, the machine; and what comes out."""

from collections.abc import Sequence
from dataclasses import dataclass

CPU, STORAGE, TIME = range(3)
"""What a phase needs: a processor, the storage, or only time to pass."""

Phase = tuple[int, float]
"""What it needs, and seconds of it where nobody else is there."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """
    A loader, its consumer and the machine under them.

    `tasks` are batches as (waiting, computing) seconds; each worker takes runs of them.
    `consume` are the phases of the main process for each batch.
    `storage` is how many requests make progress at once; `weight` how many
    processors a computing worker keeps busy.
    """

    tasks: Sequence[tuple[float, float]]
    workers: int
    prefetch: int
    in_order: bool = True
    receive: float = 0.0
    """CPU seconds of the main process to unpickle a batch."""
    shake: tuple[float, float] = (0.0, 0.0)
    """
    Seconds in which an idle, and a computing, worker hands its descriptors over.

    The thread that does so competes with the computing one for Python's lock; once
    the worker has nothing left to do, it is quick.
    """
    pin: float | None = None
    """
    CPU seconds to copy a batch into page-locked memory; None: nobody does.

    A thread of the main process receives all batches then, and pins them.
    """
    consume: tuple[Phase, ...] = ()
    cores: float = 1.0
    storage: float = float("inf")
    weight: float = 1.0
    crowding: float = 0.0
    """How much slower computing gets when all processors are busy: 0.1 = 10 %."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """How it went, per batch."""

    batch_seconds: float
    wait_seconds: float
    early: float = 0.0
    """Batches that hold descriptors before their turn, in the mean."""
    most_early: int = 0
    """The same at the worst moment."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """An epoch from idle workers on: seconds to its first batch, and to its end."""

    first: float
    seconds: float
