"""Can this pipeline have been measured? A report of somebody else may say anything."""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import astuple

from pipedoctor.check import Counterfactual
from pipedoctor.facts import Pipeline, Setting, Trial

_MAX_SECONDS = 1e6
"""Seconds; also CPUs, and how many times as fast something may be imagined."""
_MAX_COUNT = 1e12
"""Samples in a second, page faults, bytes and tensors."""
_MAX_QUEUED = 1 << 15
"""Batches in the queues of a simulation, which takes as long as they are many."""


def is_valid_pipeline(pipeline: Pipeline) -> bool:
    """Are the numbers such that a simulation ends, with a result?"""
    contents = pipeline.contents
    settings = (pipeline.start, *(trial.setting for trial in pipeline.trials))
    sizes = (*astuple(contents), pipeline.samples or 0)
    return (
        0 < pipeline.cpus <= _MAX_SECONDS
        and all(map(is_valid_setting, settings))
        and all(map(_is_valid_trial, pipeline.trials))
        and all(0 <= seconds <= _MAX_SECONDS for seconds in _list_durations(pipeline))
        and all(0 <= size <= _MAX_COUNT for size in sizes)
        and contents.float_bytes <= contents.bytes
    )


def is_valid_setting(setting: Setting) -> bool:
    """Does torch take this setting, and can it be simulated in a moment?"""
    prefetch, batch = setting.prefetch_factor, setting.batch_size
    return (
        setting.num_workers >= 0
        and (prefetch is None or prefetch > 0)
        and (batch is None or 0 < batch <= _MAX_COUNT)
        and setting.num_workers * ((prefetch or 0) + 1) <= _MAX_QUEUED
    )


def is_valid_counterfactual(counterfactual: Counterfactual) -> bool:
    """Does something still run under this counterfactual?"""
    faster = (
        counterfactual.cores or 1.0,
        counterfactual.storage,
        counterfactual.decode,
    )
    return 0 <= counterfactual.opened <= 1 and all(0 < times <= _MAX_SECONDS for times in faster)


def _is_valid_trial(trial: Trial) -> bool:
    return (
        0 < trial.batch_seconds <= _MAX_SECONDS
        and 0 < trial.samples_per_second <= _MAX_COUNT
        and 0 <= (trial.spread or 0.0) <= 1
        and (trial.costs is None or all(0 <= c <= _MAX_COUNT for c in astuple(trial.costs)))
    )


def _list_durations(pipeline: Pipeline) -> Iterator[float]:
    rows: Iterable[tuple[float, ...]] = (
        (
            t.first_batch_seconds,
            t.started_seconds,
            t.ending_seconds or 0.0,
            t.wait_seconds,
            t.step_seconds,
            t.step_cpu,
        )
        for t in pipeline.trials
    )
    yield from (pipeline.fault_seconds, pipeline.startup_seconds or 0.0)
    yield pipeline.ending_seconds or 0.0
    yield from chain.from_iterable((*rows, *pipeline.items))
