"""What programs of others on the same processors cost a job."""

from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.samples.tally import SampleTally

_CROWDED = 0.85
"""Of the job's processors that are busy, from which on nobody finds a free one."""


def sum_busy_cpus(session: WatchSession) -> float:
    """CPUs that all processes of the job, and the programs that they start, keep busy."""
    tallies = [p.tally for p in session.processes.values() if p.tally.seconds]
    return sum((t.cpu + t.children) / t.seconds for t in tallies)


def estimate_foreign_load(session: WatchSession, made: SampleTally) -> float:
    """
    Of the time in which processes of the job were ready: how much of it others ran.

    `made`: what those have shown that make batches. Where a quota binds, or processors are
    free, nobody else is to blame.
    """
    limits = session.limits
    busy = limits.busy_cpus
    if busy is None or limits.has_quota or busy < _CROWDED * limits.cpus:
        return 0.0
    foreign = max(0.0, busy - sum_busy_cpus(session))
    own = made.cpu / made.seconds if made.seconds else 0.0
    return min(1.0, foreign / max(busy - own, 1e-6))
