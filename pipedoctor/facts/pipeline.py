"""A data pipeline that was probed: what each step costs, what each setting gives."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.bench import Host
from pipedoctor.facts.bench_loader import OneThread
from pipedoctor.facts.observation import Observation
from pipedoctor.facts.source import Spot
from pipedoctor.facts.window import Window


class Setting(Part, frozen=True, kw_only=True):
    """The arguments of a DataLoader that decide its speed."""

    num_workers: int
    prefetch_factor: int | None = None
    in_order: bool = True
    pin_memory: bool = False
    persistent_workers: bool = False
    batch_size: int | None = None

    @property
    def queued_batches(self) -> int:
        """Batches that wait in full queues."""
        return self.num_workers * (self.prefetch_factor or 0)

    def compute_shm_bytes(self, shared_batch: int) -> int:
        """Shared memory at the peak: all that wait, and two in use."""
        return (self.queued_batches + 2) * shared_batch if self.num_workers else 0

    def count_descriptors(self, objects: int) -> int:
        """
        File descriptors that the main process holds beside those it has anyway.

        Four for each worker, three for the loader, and one for each tensor of the
        batch in use.
        """
        return 4 * self.num_workers + 3 + objects if self.num_workers else 0

    def count_peak_descriptors(self, objects: int, early: int = 0) -> int:
        """
        The same at the peak: batches that come early are held until their turn.

        One of each worker and one more were seen on torch 2.13 (8 workers, 112 tensors
        a batch), and another that is in use; `early` are those that a model expects.
        """
        held = max(early, self.num_workers + 1 if self.in_order else 1)
        return self.count_descriptors(objects) + held * objects if self.num_workers else 0


class Contents(Part, frozen=True, kw_only=True):
    """What is in one batch."""

    bytes: int
    shared_bytes: int
    """In whole pages, as /dev/shm holds them."""
    objects: int
    """Tensors with a storage of their own: each is handed over by itself."""
    float_bytes: int = 0
    copy_seconds: float = 0.0
    """CPU time to copy it within memory, as pinning does."""


class Growth(Part, frozen=True, kw_only=True):
    """How the memory of a worker grows, in bytes for each batch that it makes."""

    new: float
    """What it did not free: a cache, a list that gets longer."""
    copied: float
    """Pages of its parent that it wrote to; counting references is writing."""
    shared: int
    """Bytes of its parent that it may yet write to."""
    made: float
    """Batches that each worker had made when its memory was read."""


class Costs(Part, frozen=True, kw_only=True):
    """Seconds per batch, but for the counts of faults."""

    fetch_wall: float
    fetch_cpu: float
    fetch_process: float
    """CPU of all threads of the process while it fetched."""
    fetch_system: float = 0.0
    fetch_faults: float = 0.0
    fetch_delay: float = 0.0
    """Ready to run, while others ran on the processors."""
    collector: float = 0.0
    """CPU of Python's garbage collector while it fetched, but for young objects."""
    collate_wall: float = 0.0
    collate_cpu: float = 0.0
    collate_faults: float = 0.0
    send_wall: float = 0.0
    send_cpu: float = 0.0
    process: float = 0.0
    """CPU of the whole process that fetches, its threads included."""
    receive_wall: float = 0.0
    receive_cpu: float = 0.0
    next_cpu: float = 0.0
    """CPU of the main thread within `next`."""

    @property
    def cpu_per_batch(self) -> float:
        """CPU of one thread for a batch, fetched and collated."""
        return self.fetch_cpu + self.collate_cpu

    @property
    def gc_share(self) -> float:
        """Share of the CPU time of fetching that the garbage collector takes."""
        return min(1.0, self.collector / max(self.fetch_cpu, 1e-9))

    @property
    def fetch_wait(self) -> float:
        """Seconds of fetching in which nothing was computed."""
        return max(0.0, self.fetch_wall - self.fetch_cpu - self.fetch_delay)

    @property
    def fetch_wait_share(self) -> float:
        """Of the time that fetching would take if all processors were its own."""
        return self.fetch_wait / max(self.fetch_wait + self.fetch_cpu, 1e-9)


class Trial(Part, frozen=True, kw_only=True):
    """One setting, measured for a while."""

    setting: Setting
    samples_per_second: float
    batch_seconds: float
    spread: float | None = None
    """Relative standard error within the window."""
    batches: int = 0
    first_batch_seconds: float = 0.0
    started_seconds: float = 0.0
    """Until the main process had started all workers, one after the other."""
    ending_seconds: float | None = None
    """From the last batch of an epoch until the workers had ended; None: not seen."""
    wait_seconds: float = 0.0
    """Per batch: what the consumer waited for data."""
    step_seconds: float = 0.0
    step_cpu: float = 0.0
    """Per batch, also while the thread waits for a GPU: CUDA keeps it busy."""
    kernel_seconds: float | None = None
    """For how long kernels run on the GPU for a batch; None: not measured, or no GPU."""
    costs: Costs | None = None
    shm_bytes: int = 0
    memory_bytes: int = 0
    """Private memory of all workers."""
    growth: Growth | None = None
    """Of each worker; None: not seen."""
    descriptors: int = 0
    seconds_spent: float = 0.0
    window: Window

    @property
    def costs_workers(self) -> int:
        """How many workers had these costs."""
        return self.setting.num_workers

    @property
    def disturbance(self) -> str:
        """What makes it doubtful; empty: nothing."""
        return self.window.disturbance


class Shares(Part, frozen=True, kw_only=True):
    """Where the time of fetching goes; the first three add up to one."""

    read: float
    decode: float
    transform: float
    opened: float = 0.0
    """Share of all in which containers were opened: HDF5, zip, tar."""


class Pipeline(Fact, frozen=True, kw_only=True):
    """One target, its costs and every setting that was tried."""

    section: ClassVar[str] = "pipeline"

    target: str
    samples: int | None = None
    """Samples of an epoch; None = nobody can know."""
    start: Setting
    """What the user has now; the defaults of a bare DataLoader for a dataset."""
    contents: Contents
    items: tuple[tuple[float, float], ...] = ()
    """Wall and CPU seconds of single items in a worker."""
    wall: Shares | None = None
    cpu: Shares | None = None
    fault_seconds: float = 0.0
    cpus: float
    """CPUs that the job can keep busy; a fraction under a quota."""
    cpus_bound: str = "machine"
    """Who says so: ``cgroup quota``, ``affinity`` ..."""
    start_method: str = "fork"
    startup_seconds: float | None = None
    """First batch of an epoch with the start method of the job; not persistent."""
    ending_seconds: float | None = None
    """The end of their workers, as of a trial."""
    startup_workers: int | None = None
    """With so many workers."""
    trials: tuple[Trial, ...] = ()
    best: Setting | None = None
    limits: dict[str, str] = {}
    """Limits that keep out settings, in words."""
    pins: bool = False
    """There is a GPU, so that pin_memory does something."""
    undivided: bool = False
    """Every worker gives the whole stream: rates count a sample once."""
    threads: OneThread | None = None
    """What one thread for numpy's BLAS was measured to save; None: nothing was."""
    made_at: Spot | None = None
    """Where the DataLoader is made; None: the target gave a dataset."""
    host: Host | None = None
    """The machine that was measured; None: an older record does not say."""
    observed: Observation | None = None
    """A running job was watched, and nothing was run; None: it was measured."""
    elsewhere: str = ""
    """In words, where it was measured, if not on the machine that is judged."""

    @property
    def unusable_reason(self) -> str:
        """Costs and rates of another machine say nothing of this one."""
        return self.elsewhere

    def count_copies(self, setting: Setting) -> int:
        """How often each sample comes in an epoch."""
        return max(1, setting.num_workers) if self.undivided else 1

    def compute_batch_scale(self, setting: Setting) -> float:
        """How many times as large its batches are as those that were probed."""
        return (setting.batch_size or 1) / (self.start.batch_size or 1)

    @property
    def current_trial(self) -> Trial | None:
        """The trial of the setting that the user has now."""
        same = (t for t in self.trials if t.setting == self.start)
        return next(same, None)
