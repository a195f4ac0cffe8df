"""Can this pipeline have been measured? A report of somebody else may say anything."""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import astuple

from pipedoctor.check import Counterfactual
from pipedoctor.facts import Pipeline, Setting, Trial

_LONGEST = 1e6
"""Seconds; also CPUs, and how many times as fast something may be imagined."""
_MOST = 1e12
"""Samples in a second, page faults, bytes and tensors."""
_QUEUED = 1 << 15
"""Batches in the queues of a simulation, which takes as long as they are many."""


def plausible(seen: Pipeline) -> bool:
    """Numbers with which a simulation comes to an end, and to a result."""
    contents = seen.contents
    settings = (seen.start, *(trial.setting for trial in seen.trials))
    sizes = (*astuple(contents), seen.samples or 0)
    return (
        0 < seen.cpus <= _LONGEST
        and all(map(possible, settings))
        and all(map(_measured, seen.trials))
        and all(0 <= seconds <= _LONGEST for seconds in _seconds(seen))
        and all(0 <= size <= _MOST for size in sizes)
        and contents.float_bytes <= contents.bytes
    )


def possible(setting: Setting) -> bool:
    """A setting that torch takes, and that is simulated in a moment."""
    prefetch, batch = setting.prefetch_factor, setting.batch_size
    return (
        setting.num_workers >= 0
        and (prefetch is None or prefetch > 0)
        and (batch is None or 0 < batch <= _MOST)
        and setting.num_workers * ((prefetch or 0) + 1) <= _QUEUED
    )


def imaginable(wanted: Counterfactual) -> bool:
    """A world in which something still runs."""
    faster = (wanted.cores or 1.0, wanted.storage, wanted.decode)
    return 0 <= wanted.opened <= 1 and all(0 < times <= _LONGEST for times in faster)


def _measured(trial: Trial) -> bool:
    return (
        0 < trial.batch_seconds <= _LONGEST
        and 0 < trial.samples_per_second <= _MOST
        and 0 <= (trial.spread or 0.0) <= 1
        and (trial.costs is None or all(0 <= c <= _MOST for c in astuple(trial.costs)))
    )


def _seconds(seen: Pipeline) -> Iterator[float]:
    rows: Iterable[tuple[float, ...]] = (
        (
            t.first_batch_seconds,
            t.started_seconds,
            t.ending_seconds or 0.0,
            t.wait_seconds,
            t.step_seconds,
            t.step_cpu,
        )
        for t in seen.trials
    )
    yield from (seen.fault_seconds, seen.startup_seconds or 0.0)
    yield seen.ending_seconds or 0.0
    yield from chain.from_iterable((*rows, *seen.items))
