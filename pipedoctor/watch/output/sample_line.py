"""One line for each interval: what is known of the job by now, and the verdict."""

import datetime as dt
from typing import Any

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.bottleneck.observed_figures import choose_line
from pipedoctor.facts import Facts, HotLine, LiveJob, LiveProcess, Observation, Pipeline, Quantiles

SCHEMA = "pipedoctor.sample/1"
VERDICT_SECONDS = 5.0
"""Seconds after which there is a verdict, if the interval ends then or later."""
_ROUNDING = 0.05


def build_sample(facts: Facts) -> dict[str, Any]:
    """The line as contract `pipedoctor.sample/1` writes it."""
    job, pipeline = facts.get(LiveJob), facts.get(Pipeline)
    seen = pipeline.observed if pipeline else None
    now = dt.datetime.now(tz=dt.timezone.utc)
    line: dict[str, Any] = {
        "schema": SCHEMA,
        "time": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "seconds": round(job.seconds, 2) if job else 0.0,
        "pid": job.pid if job else 0,
    }
    if seen is not None:
        line |= _build_pipeline(seen)
        if pipeline is not None and pipeline.trials and pipeline.trials[0].batches:
            line["samples_per_second"] = round(pipeline.trials[0].samples_per_second, 2)
        if job is not None and job.seconds >= VERDICT_SECONDS - _ROUNDING:
            line |= build_verdict(seen)
    if job is not None:
        line |= _build_job(job)
    return line


def build_verdict(observation: Observation) -> dict[str, Any]:
    """The name of the bottleneck, and how sure it is."""
    found = classify_observed(observation)
    return {
        "verdict": f"bottleneck-{found.name}",
        "confidence": "possible" if is_doubtful(observation, found) else "likely",
        "why": found.reason,
        "location": _build_hot_line(choose_line(observation, found)),
    }


def _build_pipeline(observation: Observation) -> dict[str, Any]:
    main, worker = observation.main, observation.worker
    line: dict[str, Any] = {
        "data_wait": {
            "share": round(observation.data_wait, 4),
            "waiting": round(main.waiting, 4),
            "receiving": round(main.receiving, 4),
            "fetching": round(main.fetching, 4),
            "starting": round(main.starting, 4),
        },
        "samples": observation.samples,
        "workers": {
            "number": observation.workers,
            "idle": round(worker.idle, 4),
            "fetching": round(worker.fetching, 4),
            "collating": round(worker.collating, 4),
            "sending": round(worker.sending, 4),
        },
        "fetch": {
            "running": round(observation.fetch.running, 4),
            "run_queue": round(observation.fetch.delayed, 4),
            "waiting": round(observation.fetch.waiting, 4),
        },
        "hot": _build_hot_line(observation.hot),
        "step": _build_hot_line(observation.step),
    }
    if observation.kernel is not None:
        wait = observation.kernel
        names = ("call", "path", "mount", "fstype", "device", "share")
        line["kernel"] = {name: getattr(wait, name) for name in names}
    if observation.rank is not None:
        line["rank"] = observation.rank
    if observation.batch_seconds is not None:
        line["batch_seconds"] = _build_quantiles(observation.batch_seconds)
    return line


def _build_hot_line(hot: HotLine | None) -> dict[str, Any] | None:
    if hot is None:
        return None
    return {
        "path": hot.path,
        "line": hot.line,
        "function": hot.function,
        "share": round(hot.share, 4),
    }


def _build_job(job: LiveJob) -> dict[str, Any]:
    line: dict[str, Any] = {
        "ranks": job.waits,
        "processes": [_build_process(process) for process in job.processes],
        "pressure": job.pressure,
        "sampler_cpu": round(job.sampler_cpu, 5),
        "unknown": job.unknown,
    }
    if job.throttled_share is not None:
        line["throttled_share"] = round(job.throttled_share, 4)
    if job.shm is not None:
        line["shm_bytes"] = round(job.shm.last)
    if job.gpus:
        line["gpus"] = [
            {
                "index": gpu.index,
                "busy": gpu.busy,
                "memory_bytes": gpu.memory,
                "power_watts": gpu.power,
                "clock_hertz": gpu.clock,
                "received_bytes_per_second": gpu.received,
                "sent_bytes_per_second": gpu.sent,
                "throttled": list(gpu.throttled),
            }
            for gpu in job.gpus
        ]
    return line


def _build_process(process: LiveProcess) -> dict[str, Any]:
    found: dict[str, Any] = {
        "pid": process.pid,
        "role": process.role,
        "state": process.state,
    }
    if process.rank is not None:
        found["rank"] = process.rank
    for name in ("cpu", "run_queue", "batches"):
        value = getattr(process, name)
        if value is not None:
            found[name] = round(value, 4)
    if process.descriptors is not None:
        found["descriptors"] = round(process.descriptors.last)
    if process.anonymous is not None:
        found["memory_bytes"] = round(process.anonymous.last)
    if process.batch_seconds is not None:
        found["batch_seconds"] = _build_quantiles(process.batch_seconds)
    return found


def _build_quantiles(spread: Quantiles) -> dict[str, float]:
    """Seconds that batches take."""
    return {name: round(getattr(spread, name), 5) for name in ("p50", "p95", "p99")}
