"""How a watched job went on: a point an interval, of which a bounded number is kept."""

from collections import Counter

from pipedoctor.facts import LivePoint
from pipedoctor.watch.job.job_processes import JobProcesses
from pipedoctor.watch.system.job_limits import JobLimits

_MAX_POINTS = 240
_WAITS = ("waiting", "receiving", "sampling", "converting", "fetching", "collating", "starting")


class JobTimeline:
    """Points of one job; of too many, every other one is dropped."""

    def __init__(self) -> None:
        self._points: list[LivePoint] = []
        self._stride, self._skipped = 1, 0
        self._phases: Counter[str] = Counter()
        self._cpu, self._read, self._at = 0.0, 0, 0.0

    @property
    def points(self) -> tuple[LivePoint, ...]:
        """Everything that is kept, the oldest first."""
        return tuple(self._points)

    def add(self, seconds: float, job: JobProcesses, limits: JobLimits, gpu: float | None) -> None:
        """The interval that ends now, so many seconds after the beginning."""
        phases = sum((p.tally.phases for p in job.list_mains()), Counter[str]())
        grown = phases - self._phases
        whole = sum(grown.values())
        spent = max(seconds - self._at, 1e-9)
        workers = [p for p in job.processes.values() if p.member.role == "worker"]
        cpu = sum(p.tally.cpu for p in workers)
        read = sum(_count_read_bytes(h.io) for h in job.resources.values() if h.io)
        held = [h.descriptors.last for h in job.resources.values()]
        descriptors = [number for number in held if number is not None]
        point = LivePoint(
            seconds=round(seconds, 1),
            data_wait=round(sum(grown[p] for p in _WAITS) / whole, 3) if whole else None,
            gpu=gpu,
            workers_cpu=round(max(0.0, cpu - self._cpu) / spent, 3) if workers else None,
            read_bytes=round(max(0, read - self._read) / spent),
            shm=limits.shm.last,
            descriptors=max(descriptors, default=None),
        )
        self._at, self._read = seconds, read
        self._keep(point)

    def rebase(self, job: JobProcesses) -> None:
        """What was counted has lost weight since: growth begins here."""
        self._phases = sum((p.tally.phases for p in job.list_mains()), Counter[str]())
        self._cpu = sum(p.tally.cpu for p in job.processes.values() if p.member.role == "worker")

    def _keep(self, point: LivePoint) -> None:
        self._skipped += 1
        if self._skipped < self._stride:
            return
        self._skipped = 0
        self._points.append(point)
        if len(self._points) > _MAX_POINTS:
            self._points = self._points[::2]
            self._stride *= 2


def _count_read_bytes(readings: tuple[dict[str, int], dict[str, int]]) -> int:
    """From disks, between the first reading of a process and its last one."""
    first, last = (reading.get("read_bytes", 0) for reading in readings)
    return last - first
