"""The processes of a running job, and how what they hold grows."""

from typing import ClassVar, Literal

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.observation import HotLine, KernelWait, Quantiles

Role = Literal["main", "worker", "helper"]


class Trend(Part, frozen=True, kw_only=True):
    """How a number grew while it was watched."""

    first: float
    last: float
    per_second: float = 0.0
    """Slope of the straight line through what was read."""
    steadiness: float = 0.0
    """How well that line fits: 0 to 1 (the square of the correlation)."""
    readings: int = 1
    limit: float | None = None

    @property
    def seconds_left(self) -> float | None:
        """Until the limit at this pace; None: there is none, or it does not grow."""
        if self.limit is None or self.per_second <= 0:
            return None
        return max(0.0, (self.limit - self.last) / self.per_second)


class LiveProcess(Part, frozen=True, kw_only=True):
    """One process; what could not be read stands in `unknown` with its reason."""

    pid: int
    role: Role
    rank: int | None = None
    main_pid: int = 0
    """The main process that it works for; its own number where it is one."""
    state: str = ""
    """As the kernel says it: ``R`` runs, ``S`` sleeps, ``D`` waits, ``Z`` zombie."""
    ended: bool = False
    """It ended while the main process went on, and nobody took its place."""
    exit_status: int | None = None
    """Of one that has crashed: less than 0, the number of the signal that ended it."""
    seconds: float = 0.0
    """How long it was watched."""
    cpu: float | None = None
    """CPUs that all of its threads kept busy."""
    main_thread_cpu: float | None = None
    run_queue: float | None = None
    """Share of the time in which its main thread was ready and had no CPU."""
    unchanged_seconds: float = 0.0
    """How long its stack has stood at the same line of the same batch."""
    runs: bool = False
    """Does it compute meanwhile?"""
    working: bool = False
    """It is a worker, and makes a batch."""
    batches: float | None = None
    """A second, that it makes."""
    batch_seconds: Quantiles | None = None
    hot: HotLine | None = None
    """Where it stands most of the time that it works."""
    kernel: KernelWait | None = None
    descriptors: Trend | None = None
    threads: Trend | None = None
    anonymous: Trend | None = None
    """Bytes that are no file and no shared memory; a fork begins with its parent's."""
    private: Trend | None = None
    """Bytes that no other process has: pages of its parent that it wrote to as well."""
    affinity: tuple[int, ...] = ()
    unknown: dict[str, str] = {}


class LiveGpu(Part, frozen=True, kw_only=True):
    """One GPU while the job was watched; None: the driver does not say."""

    index: int
    name: str = ""
    busy: float | None = None
    """Mean share of the time with at least one kernel running."""
    memory: int | None = None
    power: float | None = None
    """Watts."""
    clock: int | None = None
    """Hertz, of the multiprocessors."""
    received: float | None = None
    """Bytes a second over PCIe, to the GPU."""
    sent: float | None = None
    throttled: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    """Processes of this job that use it."""
    unknown: dict[str, str] = {}


class LivePoint(Part, frozen=True, kw_only=True):
    """One interval of a watched job; None: not known."""

    seconds: float
    """When it ended, after the watch began."""
    data_wait: float | None = None
    """Share of it in which main processes waited for data."""
    gpu: float | None = None
    """Mean share of the time with a kernel on the GPUs."""
    workers_cpu: float | None = None
    """CPUs that all workers kept busy."""
    read_bytes: float | None = None
    """A second, from disks."""
    shm: float | None = None
    """Bytes in use of /dev/shm."""
    descriptors: float | None = None
    """The most that a process had open."""


class LiveJob(Fact, frozen=True, kw_only=True):
    """A job that was watched from outside for a while."""

    section: ClassVar[str] = "live"

    pid: int
    command: str = ""
    seconds: float
    python: str = ""
    processes: tuple[LiveProcess, ...] = ()
    gpus: tuple[LiveGpu, ...] = ()
    shm: Trend | None = None
    """Bytes in use of /dev/shm."""
    shm_own: Trend | None = None
    """Bytes of it that this job holds."""
    memory_left: float | None = None
    """Bytes that the job may still take: of its control group, or of the machine."""
    throttled_share: float | None = None
    pressure: dict[str, float] = {}
    """``cpu``, ``io``, ``memory`` -> share of the time in which somebody stalled."""
    waits: dict[str, float] = {}
    """
    Share of its time in which the main process of each rank waited for data.

    By rank; by ``PID 123`` where that is unknown.
    """
    timeline: tuple[LivePoint, ...] = ()
    """An interval after the other; of long watches every other one, and so on."""
    sampler_cpu: float = 0.0
    """CPU seconds a second that watching took."""
    unknown: dict[str, str] = {}
    """Signals that could not be read, and why."""

    @property
    def workers(self) -> tuple[LiveProcess, ...]:
        """Processes that make batches."""
        return tuple(p for p in self.processes if p.role == "worker")

    @property
    def main_processes(self) -> tuple[LiveProcess, ...]:
        """Processes that train, one a rank."""
        return tuple(p for p in self.processes if p.role == "main")
