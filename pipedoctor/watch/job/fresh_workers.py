"""Does a main process wait for workers that have only just been started?"""

from collections.abc import Sequence

from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.process.work_samples import WORKING_PHASES
from pipedoctor.watch.stacks.stack_phases import ProcessPhase


def waits_for_fresh_workers(workers: Sequence[WatchedProcess], *, again: bool) -> bool:
    """
    Some have just been started, and the others have nothing to do.

    `again`: workers before them have ended. Then making the first batch is a part of it:
    files are opened and tables read that those had at hand.
    """
    fresh = [w for w in workers if _is_fresh(w, len(workers), again=again)]
    return bool(fresh) and all(w in fresh or w.phase is ProcessPhase.IDLE for w in workers)


def _is_fresh(worker: WatchedProcess, many: int, *, again: bool) -> bool:
    if worker.phase is ProcessPhase.STARTING:
        return True
    batch = worker.batch
    first = batch is not None and batch < many and not worker.has_delivered
    return again and first and worker.phase in WORKING_PHASES
