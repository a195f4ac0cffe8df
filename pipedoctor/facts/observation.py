"""What was seen of a running job from outside, as far as its bottleneck goes."""

from pipedoctor.facts.base import Part

RECEIVING_LIMIT = 0.25
"""Share of the time, from which on taking in batches is what data waits for."""
REBUILDING_LIMIT = 0.5
"""The same where tensors are rebuilt: that is late as well where CPUs are scarce."""


BUSY_WAIT_LIMIT, BUSY_LIMIT = 0.22, 0.5
"""All of the wait, from which on data is late where workers make batches for that share."""

_EPSILON = 1e-6


class HotLine(Part, frozen=True, kw_only=True):
    """The line of the user's code that most of the samples stood at."""

    path: str
    line: int
    function: str = ""
    share: float
    """Of the time that is at stake: 0 to 1."""


class KernelWait(Part, frozen=True, kw_only=True):
    """The system call that most of the waiting samples stood in."""

    call: str
    path: str = ""
    """What its descriptor leads to; empty: it has none."""
    mount: str = ""
    fstype: str = ""
    device: str = ""
    share: float
    """Of the samples in which the process waited."""


class Quantiles(Part, frozen=True, kw_only=True):
    """Seconds: the middle, and what 5 and 1 of 100 exceed."""

    p50: float
    p95: float
    p99: float
    number: int
    """How many were seen."""


class MainShares(Part, frozen=True, kw_only=True):
    """Where the time of a main process goes; shares of its whole time."""

    waiting: float = 0.0
    """In the loader, until a worker delivers."""
    receiving: float = 0.0
    """In the loader, while a batch is unpacked."""
    fetching: float = 0.0
    """In the loader, which makes the batch itself: no workers."""
    waiting_delayed: float = 0.0
    """Of `waiting`: ready to take a batch, while others ran on the processors."""
    receiving_delayed: float = 0.0
    """Of `receiving`: ready to run, while others ran on the processors."""
    starting: float = 0.0
    """In the loader, while workers are started or ended."""
    sampling: float = 0.0
    """In the loader, while the sampler chooses items, in this process."""
    converting: float = 0.0
    """Before a queue, while a thread of this process works on the batch that it has taken."""
    starts: int = 0
    """How often that was seen."""
    computing: float = 0.0
    """Outside of the loader, in Python or numerical code that is no model."""
    model: float = 0.0
    """Outside of the loader, in torch's modules, gradients or optimizers."""
    blocked: float = 0.0
    """Outside of the loader, waiting: for a device, a file, other ranks."""
    queued: float = 0.0
    """Of `blocked`, where no loader was seen: for a thread or process of its own."""
    delayed: float = 0.0
    """Ready to run, while others ran on the processors: of all of its time, whatever it did."""
    ran: float | None = None
    """CPUs that its main thread kept busy, whatever it did; exact, unlike samples."""

    @property
    def data_wait(self) -> float:
        """Share of the time within the loader."""
        made = self.fetching + self.sampling + self.converting
        return self.waiting + self.receiving + made + self.starting


class WorkerShares(Part, frozen=True, kw_only=True):
    """Where the time of workers goes; shares of their whole time."""

    idle: float = 0.0
    """Nothing to do: the queue before them is empty, those behind are full."""
    held_up: float | None = None
    """The same of the time in which the main process waits for others of the same loader."""
    fetching: float = 0.0
    collating: float = 0.0
    sending: float = 0.0
    starting: float = 0.0


class FetchShares(Part, frozen=True, kw_only=True):
    """What making a batch consists of; the first three add up to one."""

    running: float = 0.0
    delayed: float = 0.0
    """Ready to run, while others ran on the processors."""
    waiting: float = 0.0
    locked: float = 0.0
    """Of all: waiting for a lock."""
    decoding: float = 0.0
    """Of what runs."""
    system: float = 0.0
    """Of what runs: within the kernel."""
    samples: int = 0


class Observation(Part, frozen=True, kw_only=True):
    """One rank of a running job, the one that waits longest; seen without a hook."""

    seconds: float
    """How long it was watched."""
    samples: int
    """Of the main process's stack; 0: it could not be read."""
    unseen: str = ""
    """Why not."""
    pid: int = 0
    """Of its main process."""
    rank: int | None = None
    """None: no variable of its environment tells."""
    ranks: int = 1
    """That were watched."""
    world: int | None = None
    """Ranks of the job, on all machines."""
    others_wait: float | None = None
    """The median share of their time in which the other ranks waited for data."""
    others_work: float | None = None
    """The median share of their time in which workers of the other ranks made batches."""
    workers: int = 0
    main: MainShares = MainShares()
    worker: WorkerShares = WorkerShares()
    fetch: FetchShares = FetchShares()
    foreign_load: float = 0.0
    """Of the time in which the job was ready to run, and did not: programs of others ran."""
    faults_per_second: float = 0.0
    """Minor page faults of a worker, for each second of CPU."""
    huge_faults_per_second: float = 0.0
    """Of these, at most, those that cleared a huge page."""
    other_threads: float = 0.0
    """CPU of other threads of a worker, against that of the one that fetches."""
    other_cpu: float = 0.0
    """CPUs that these other threads keep busy."""
    packing_cpu: float = 0.0
    """CPUs that the threads of a worker which pack and send batches keep busy."""
    bytes_per_call: float | None = None
    """That calls which wait are to read from a file; None: none was seen."""
    object_share: float = 0.0
    """Of receiving: rebuilding one tensor after the other."""
    tail: float = 0.0
    """Share of the time of making batches that goes into the slowest few."""
    gpu_busy: float | None = None
    throttled_share: float | None = None
    """Share of the quota's periods in which the control group was stopped."""
    cpus: float = 1.0
    hot: HotLine | None = None
    step: HotLine | None = None
    """The line of the user's step, outside of the loader."""
    sampler: HotLine | None = None
    """The line of the sampler's code that most of choosing items stood at."""
    converter: HotLine | None = None
    """The line of the thread that most of converting batches stood at."""
    kernel: KernelWait | None = None
    batch_seconds: Quantiles | None = None
    """How long workers take to make a batch."""

    @property
    def data_wait(self) -> float:
        """The share of its time in which the main process waited for data."""
        return self.main.data_wait

    @property
    def foreign_delay(self) -> float:
        """Of making batches: ready to run, while programs of others ran on the processors."""
        return self.foreign_load * self.fetch.delayed

    @property
    def receiving_alone(self) -> float:
        """How long batches would be taken in on processors of its own: workers hand them over."""
        own = self.main.receiving - self.foreign_load * self.main.receiving_delayed
        return own * (1 - self.foreign_delay)

    @property
    def late_share(self) -> float:
        """
        The part of it in which no batch was there, and none would be on processors of its own.

        Taking in one that is there is short, unless it is in many pieces, or those that
        hand it over compute meanwhile.
        """
        main = self.main
        late = main.data_wait - main.receiving + self._weigh_receiving(self.receiving_alone)
        return late - self._count_foreign_making()

    @property
    def foreign_share(self) -> float:
        """The part of it in which data was late because programs of others ran."""
        now, alone = map(self._weigh_receiving, (self.main.receiving, self.receiving_alone))
        return self._count_foreign_making() + now - alone

    def _weigh_receiving(self, receiving: float) -> float:
        """What of it is late data; 0: so much is usual."""
        worker = self.worker
        least = REBUILDING_LIMIT if self.object_share > REBUILDING_LIMIT else RECEIVING_LIMIT
        if worker.fetching + worker.collating > BUSY_LIMIT:
            least = BUSY_WAIT_LIMIT - self.main.waiting
        return receiving if receiving >= least else 0.0

    def _count_foreign_making(self) -> float:
        """The part of waiting for batches that would not be there alone."""
        main, worker, load = self.main, self.worker, self.foreign_load
        if not self.workers:
            made = main.fetching * (1 - self.foreign_delay)
            rest = max(0.0, load * main.delayed - main.fetching * self.foreign_delay)
            return main.fetching - min(main.fetching, _share(made, 1 - main.fetching - rest))
        queued = max(0.0, main.delayed - main.waiting_delayed - main.receiving_delayed)
        step = 1 - main.waiting - load * queued
        if main.ran is not None:  # few samples tell little of a step that is short
            step = min(step, main.ran + main.blocked + (1 - load) * queued)
        woken = _share(main.waiting - load * main.waiting_delayed, step)
        lost = self.foreign_delay * min(1.0, worker.fetching + worker.collating)
        late = _share(1 - lost - step, step)  # of workers that are never idle
        return main.waiting - min(main.waiting, woken, late)


def _share(waiting: float, step: float) -> float:
    """Of both together, that the first takes: 0 to 1."""
    waiting = max(0.0, waiting)
    return waiting / max(_EPSILON, waiting + step)
