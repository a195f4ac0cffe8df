"""
Which of the named bottlenecks a running job has, by what was seen from outside.

The same names, and the same thresholds where both see the same thing, as for a
pipeline that was measured. What a worker does while the consumer is busy costs
nothing: only the time in which the main process waits for data is at stake.
"""

from collections.abc import Iterator

from pipedoctor.bottleneck.classify import MAX_WAIT_SHARE, MIN_HANDOVER_SHARE, MIN_THROTTLED_SHARE
from pipedoctor.bottleneck.fetch_causes import MIN_TAIL_SHARE, MIN_WAITING_SHARE
from pipedoctor.bottleneck.main_causes import BORDER, MOSTLY, explain_time, find_main_causes
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.bottleneck.observed_figures import (
    compute_waiting_share,
    describe_kernel_wait,
    describe_wait,
    is_handed_over_late,
    waits_for_locks,
    weigh_faults,
)
from pipedoctor.facts import Observation
from pipedoctor.units import format_count

HANDOVERS = frozenset(("ipc-objects", "ipc-bytes"))
NOTHING = 0.05
"""Share of their time, below which making batches cannot be why data is late."""
IDLE = 0.3
"""Share of their time in which workers have nothing to do although data is late."""
HELD_UP, HELD_UP_BY_WAITS = 0.1, 0.05
"""The same, from which on slow samples hold others up; the second where most only wait."""
FEW = 8
"""Samples of making batches: with fewer, nobody knows how idle workers are."""
SYSTEM = 0.3
"""Share of the CPU time within the kernel."""
FAULTS = 50_000.0
"""Minor faults a second of CPU: at 2 to 6 us each, a tenth to a third of it."""
KERNEL = 0.5
"""The same, from which on page faults are what most of the computing is."""
PACKING = 0.15
"""CPUs that packing takes in a worker, from which on handing over takes time."""
SPINNING = 0.5
"""CPU of other threads of a worker, against that of the one that fetches."""
LARGE = 256 << 10
"""Bytes by one call, from which on a read is limited by its size."""
ENOUGH = 80
"""Samples: then the share of the time is known to a tenth."""
UNSEEN = "the stack of the main process could not be read"
NOT_BEGUN = "no training was seen: the job still imports, or gets ready"


def classify_observed(observation: Observation) -> Bottleneck:
    """The first cause whose figures are there; `unknown` where none is."""
    if not observation.samples:
        why = f"{UNSEEN}: {observation.unseen}" if observation.unseen else NOT_BEGUN
        return Bottleneck(name="unknown", reason=why, evidence={})
    why = "no stage dominates in what was observed"
    if observation.late_share >= MAX_WAIT_SHARE and not observation.workers:
        why = f"{describe_wait(observation)}, for batches that no loader was seen to make"
    return next(_find_causes(observation), Bottleneck(name="unknown", reason=why, evidence={}))


def is_doubtful(observation: Observation, bottleneck: Bottleneck) -> bool:
    """Are there few samples, is data just about late, or has the job only just begun?"""
    close = abs(observation.late_share - MAX_WAIT_SHARE) < BORDER
    begins = bottleneck.name == "worker-startup" and observation.main.starts <= 1
    crowded = observation.late_share + observation.foreign_share >= MAX_WAIT_SHARE
    crowded = crowded and bottleneck.name in {"consumer", "main-thread"}
    crowded |= bottleneck.name in HANDOVERS and is_handed_over_late(observation)
    few = observation.samples < ENOUGH
    return bottleneck.name == "unknown" or close or begins or crowded or few


def _find_causes(observation: Observation) -> Iterator[Bottleneck]:
    """From those that explain others to those that are left."""
    yield from _check_quota(observation)
    if observation.late_share < MAX_WAIT_SHARE:
        yield explain_time(observation)
        return
    yield from find_main_causes(observation)
    yield from _check_handover(observation)
    yield from _check_stragglers(observation)
    yield from _check_threads(observation)
    yield from _check_faults(observation)
    yield from _check_storage(observation)
    yield from _check_computing(observation)


def _check_quota(observation: Observation) -> Iterator[Bottleneck]:
    share = observation.throttled_share or 0.0
    main = observation.main
    slowed = observation.late_share >= MAX_WAIT_SHARE or main.computing + main.model > MOSTLY
    if share > MIN_THROTTLED_SHARE and slowed:
        yield Bottleneck(
            name="cpu-quota",
            reason=f"the cgroup may use {format_count(observation.cpus, 'CPU')} and was"
            f" throttled in {share:.0%} of its periods",
            evidence={"cpus": observation.cpus, "throttled_share": share},
        )


def _check_handover(observation: Observation) -> Iterator[Bottleneck]:
    main, worker = observation.main, observation.worker
    made = worker.fetching + worker.collating
    shared = (
        worker.collating > MIN_HANDOVER_SHARE * made
        and observation.fetch.system > SYSTEM
        and weigh_faults(observation) > FAULTS
    )
    receiving = (main.receiving - main.receiving_delayed) * (1 - observation.foreign_delay)
    waiting = main.waiting * (1 - observation.fetch.delayed)  # as it is where CPUs are free
    taken = receiving > MIN_HANDOVER_SHARE * (waiting + receiving)
    packing = observation.packing_cpu or observation.other_cpu  # not told apart in Python 3.10
    packs = worker.idle + worker.sending > MOSTLY and (packing > PACKING or made < NOTHING)
    few = made < MOSTLY  # else their interpreter is busy, and hands over when it can
    longer = (
        observation.packing_cpu * observation.workers + main.receiving > made * observation.workers
    )
    heavy = longer and observation.packing_cpu > PACKING
    if not observation.workers or not (shared or heavy or (few and (taken or packs))):
        return
    evidence = {
        "receiving_share": main.receiving,
        "rebuilding_share": observation.object_share,
        "sending_share": worker.sending,
        "collating_share": worker.collating,
        "packing_share": observation.packing_cpu,
    }
    others = "; other programs have the CPUs, which may be why"
    others = others if is_handed_over_late(observation) else ""
    if (taken or not (shared or heavy)) and observation.object_share > MOSTLY:
        why = f"{main.receiving:.0%} to rebuild the tensors one by one{others}"
        why = f"{describe_wait(observation)}, {why}"
        yield Bottleneck(name="ipc-objects", reason=why, evidence=evidence)
        return
    where = "to receive batches from the workers" if taken else "while workers send batches"
    why = f"{describe_wait(observation)}, mostly {where}: the batches are large{others}"
    yield Bottleneck(name="ipc-bytes", reason=why, evidence=evidence)


def _check_stragglers(observation: Observation) -> Iterator[Bottleneck]:
    main, worker = observation.main, observation.worker
    idle = worker.idle if worker.held_up is None else worker.held_up  # by one that works longer
    waits = main.waiting > main.receiving  # for a batch that nobody has made yet
    known = observation.fetch.samples >= FEW
    blocked = observation.workers > 1 and idle > IDLE and waits and known
    slow_items = observation.tail > MIN_TAIL_SHARE
    waited = min(observation.tail, observation.fetch.waiting) > MOSTLY
    held_up = HELD_UP_BY_WAITS if waited else HELD_UP
    uneven = slow_items and observation.workers > 1 and worker.idle > held_up
    if waits_for_locks(observation.fetch) or not (uneven or blocked):
        return  # how long each waits for a lock is chance
    why = (
        f"{describe_wait(observation)};"
        f" a few samples take {observation.tail:.0%} of the workers' time"
    )
    if observation.tail <= MIN_TAIL_SHARE:
        why = (
            f"{describe_wait(observation)} although its workers have nothing to do"
            f" {idle:.0%} of it: one slow batch holds up the others"
        )
    evidence = {"tail_share": observation.tail, "idle_share": worker.idle}
    yield Bottleneck(name="stragglers", reason=why, evidence=evidence)


def _check_threads(observation: Observation) -> Iterator[Bottleneck]:
    if observation.other_threads > SPINNING and observation.fetch.waiting < MIN_WAITING_SHARE:
        yield Bottleneck(
            name="blas-threads",
            reason=f"{describe_wait(observation)}; other threads of a worker use"
            f" {observation.other_threads:.1f} times the CPU of the one that fetches:"
            " a numerical library starts its own threads",
            evidence={"other_threads": observation.other_threads},
        )


def _check_faults(observation: Observation) -> Iterator[Bottleneck]:
    fetch, worker = observation.fetch, observation.worker
    heavy = fetch.system > KERNEL and weigh_faults(observation) > FAULTS
    if heavy and fetch.waiting < MIN_WAITING_SHARE and worker.collating <= worker.fetching:
        yield Bottleneck(
            name="allocator-faults",
            reason=f"{describe_wait(observation)};"
            f" its workers spend {fetch.system:.0%} of their CPU time in the kernel,"
            f" with {observation.faults_per_second:.0f} page faults a second:"
            " memory goes back and forth between the allocator and the kernel",
            evidence={
                "faults_per_second": observation.faults_per_second,
                "share": fetch.system,
            },
        )


def _check_storage(observation: Observation) -> Iterator[Bottleneck]:
    fetch = observation.fetch
    share = compute_waiting_share(fetch)
    if not fetch.samples or share < MIN_WAITING_SHARE:
        return
    evidence = {"waiting_share": share, "locked_share": fetch.locked}
    if observation.bytes_per_call is not None:
        evidence["bytes_per_call"] = observation.bytes_per_call
    locked = waits_for_locks(fetch)
    large = (observation.bytes_per_call or 0.0) >= LARGE
    who = "its workers wait" if observation.workers else "it waits"
    where = describe_kernel_wait(observation.kernel)
    if locked or large:
        limit = "one after the other" if locked else "large reads share its bandwidth"
        yield Bottleneck(
            name="storage-bandwidth",
            reason=f"{describe_wait(observation)}; {who} {share:.0%} of fetching{where}: {limit}",
            evidence=evidence,
        )
        return
    more = f"{'more ' if observation.workers else ''}workers would wait in parallel"
    yield Bottleneck(
        name="storage-latency",
        reason=f"{describe_wait(observation)}; {who} {share:.0%} of fetching{where}: {more}",
        evidence=evidence,
    )


def _check_computing(observation: Observation) -> Iterator[Bottleneck]:
    fetch, worker = observation.fetch, observation.worker
    if not fetch.samples:
        return
    evidence = {"decode_share": fetch.decoding, "run_queue_share": fetch.delayed}
    collates = worker.collating > worker.fetching
    name, what = "transform-cpu", "in transforms"
    if collates:
        what = "putting samples together"
    elif fetch.decoding >= MOSTLY:
        name, what = "decode-cpu", "decoding"
    who = "its workers compute" if observation.workers else "it computes"
    why = f"{describe_wait(observation)}; {who}, most of it {what}"
    if fetch.delayed > fetch.running:
        wait = "wait" if observation.workers else "waits"
        why += f", and {wait} for a CPU {fetch.delayed:.0%} of that time"
    yield Bottleneck(name=name, reason=why, evidence=evidence)
