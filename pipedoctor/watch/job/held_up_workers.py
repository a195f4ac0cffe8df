"""Has a worker nothing to do while its loader is late? Then another one holds it up."""

from collections.abc import Sequence

from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.process.work_samples import WORKING_PHASES
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.stacks.stack_phases import ProcessPhase

_MIN_SAMPLES = 20


def count_held_up(
    worker: WatchedProcess, main: WatchedProcess | None, workers: Sequence[WatchedProcess]
) -> None:
    """
    Count one look at a worker, if the main process waits, and its loader is what works.

    With nothing to do while the main process takes a step, workers have made their share;
    those of a loader in which nobody works wait for its turn.
    """
    if main is None or main.phase is not ProcessPhase.WAITING:
        return
    busy = [w for w in workers if w.phase in WORKING_PHASES]  # as each was seen last
    if busy and max(busy, key=lambda w: w.sampled_at).loader == worker.loader:
        worker.tally.fetch["late"] += 1
        worker.tally.fetch["held up"] += worker.phase is ProcessPhase.IDLE


def compute_held_up_share(tally: SampleTally) -> float | None:
    """Of the looks at workers that were counted so; None: they are too few."""
    late = tally.fetch["late"]
    return tally.fetch["held up"] / late if late >= _MIN_SAMPLES else None
