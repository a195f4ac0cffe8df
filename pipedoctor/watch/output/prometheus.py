"""Metrics of a running job for Prometheus, served by prometheus-client (an extra)."""

import importlib
from typing import Any

from pipedoctor.bottleneck.classify_observed import classify_observed
from pipedoctor.bottleneck.named_bottleneck import BOTTLENECK_NAMES
from pipedoctor.facts import Facts, LiveJob, LiveProcess, Pipeline

MISSING_EXTRA = "needs prometheus-client: pip install 'pipedoctor[prometheus]'"
_JOB_LABELS = ("pid",)
_PROCESS_LABELS = ("pid", "role", "process", "rank")
METRICS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "data_wait_ratio",
        "Share of its time that a rank waits for data",
        ("pid", "rank"),
    ),
    ("workers", "Workers of the loader", _JOB_LABELS),
    ("worker_idle_ratio", "Share of their time that workers have no work", _JOB_LABELS),
    ("samples_per_second", "Samples that the loader delivers", _JOB_LABELS),
    ("bottleneck", "1 for the verdict, 0 for all others", ("pid", "name")),
    ("gpu_busy_ratio", "Share of the time with a kernel on the GPU", ("pid", "gpu")),
    ("gpu_memory_bytes", "Memory in use on the GPU", ("pid", "gpu")),
    ("gpu_power_watts", "Power that the GPU takes", ("pid", "gpu")),
    ("process_cpu_ratio", "CPUs that a process keeps busy", _PROCESS_LABELS),
    ("process_run_queue_ratio", "Share of its time without a CPU", _PROCESS_LABELS),
    ("process_memory_bytes", "Anonymous memory of a process", _PROCESS_LABELS),
    ("process_open_descriptors", "Open descriptors of a process", _PROCESS_LABELS),
    ("process_threads", "Threads of a process", _PROCESS_LABELS),
    ("shm_used_bytes", "Space used in /dev/shm", _JOB_LABELS),
    ("shm_size_bytes", "Size of /dev/shm", _JOB_LABELS),
    ("throttled_ratio", "Share of periods in which the quota stopped it", _JOB_LABELS),
    ("sampler_cpu_ratio", "CPU that watching takes", _JOB_LABELS),
)
"""Name without prefix, help, labels; the unit is the end of the name."""
PREFIX = "pipedoctor_"


class MissingExtraError(Exception):
    """prometheus-client is not installed."""


class MetricsExporter:
    """
    Serves the metrics of one job from a thread.

    Raises MissingExtraError, and OSError where the port cannot be had.
    """

    def __init__(self, port: int, address: str) -> None:
        try:
            client: Any = importlib.import_module("prometheus_client")
        except ImportError as error:
            raise MissingExtraError(MISSING_EXTRA) from error
        self._registry = client.CollectorRegistry()
        self._gauges: dict[str, Any] = {
            name: client.Gauge(PREFIX + name, text, labels, registry=self._registry)
            for name, text, labels in METRICS
        }
        found = client.start_http_server(port, address, registry=self._registry)
        self._server, self._thread = found
        self.address = f"http://{address}:{self._server.server_port}/metrics"

    def update(self, facts: Facts) -> None:
        """Show these facts from now on; what is not in them is shown no more."""
        for gauge in self._gauges.values():
            gauge.clear()
        job, pipeline = facts.get(LiveJob), facts.get(Pipeline)
        if job is None:
            return
        pid = str(job.pid)
        for rank, share in job.waits.items():
            self._set("data_wait_ratio", share, pid, rank)
        self._set_job(job, pid)
        for process in job.processes:
            self._set_process(process, pid)
        if pipeline is not None and pipeline.observed is not None:
            self._set_pipeline(pipeline, pid)

    def _set_pipeline(self, pipeline: Pipeline, pid: str) -> None:
        seen = pipeline.observed
        if seen is None:
            return
        self._set("workers", seen.workers, pid)
        if seen.workers:
            self._set("worker_idle_ratio", seen.worker.idle, pid)
        if pipeline.trials and pipeline.trials[0].batches:
            rate = pipeline.trials[0].samples_per_second
            self._set("samples_per_second", rate, pid)
        verdict = classify_observed(seen).name
        for name in BOTTLENECK_NAMES:
            self._set("bottleneck", float(name == verdict), pid, name)

    def _set_job(self, job: LiveJob, pid: str) -> None:
        if job.shm is not None:
            self._set("shm_used_bytes", job.shm.last, pid)
            self._set("shm_size_bytes", job.shm.limit, pid)
        self._set("throttled_ratio", job.throttled_share, pid)
        self._set("sampler_cpu_ratio", job.sampler_cpu, pid)
        for gpu in job.gpus:
            index = str(gpu.index)
            self._set("gpu_busy_ratio", gpu.busy, pid, index)
            self._set("gpu_memory_bytes", gpu.memory, pid, index)
            self._set("gpu_power_watts", gpu.power, pid, index)

    def _set_process(self, process: LiveProcess, pid: str) -> None:
        rank = "" if process.rank is None else str(process.rank)
        labels = (pid, process.role, str(process.pid), rank)
        self._set("process_cpu_ratio", process.cpu, *labels)
        self._set("process_run_queue_ratio", process.run_queue, *labels)
        for name, trend in (
            ("process_memory_bytes", process.anonymous),
            ("process_open_descriptors", process.descriptors),
            ("process_threads", process.threads),
        ):
            self._set(name, trend.last if trend else None, *labels)

    def _set(self, name: str, value: float | None, *labels: str) -> None:
        """Unknown is no value: there is no line then."""
        if value is not None:
            self._gauges[name].labels(*labels).set(value)

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
