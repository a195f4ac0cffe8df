"""Figures and words of one observation that several causes of a bottleneck share."""

from pipedoctor.bottleneck.fetch_causes import MIN_WAITING_SHARE
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.facts import FetchShares, HotLine, KernelWait, Observation

HUGE_WEIGHT = 64.0
"""Page faults that take as long as clearing a huge page, of 512 pages at once."""
AS_BUSY = 0.8
"""Of the time in which the workers of a late rank work: others that work so much are as slow."""
CROWDED = 0.25
"""Share of the wait, from which on other programs may be why batches are handed over slowly."""
LOCKED = 0.35
"""Share of the waiting that is for a lock."""


def describe_wait(observation: Observation) -> str:
    """How long the main process waits, in words."""
    waits = f"waits for data {observation.data_wait:.0%} of the time"
    if observation.ranks == 1:
        return f"it {waits}"
    name = f"process {observation.pid}" if observation.rank is None else f"rank {observation.rank}"
    if observation.others_wait is None:
        return f"{name} {waits}"
    several = observation.ranks > 2  # noqa: PLR2004
    others = f"the {'others' if several else 'other'} {observation.others_wait:.0%}"
    if is_slow_everywhere(observation):
        ranks = f"all {observation.ranks} ranks" if several else "both ranks"
        return f"{ranks} load equally slowly: {name} {waits} ({others})"
    return f"{name} {waits} ({others})"


def compute_work_share(observation: Observation) -> float:
    """Share of their time in which those make batches who do."""
    made = observation.worker if observation.workers else observation.main
    return made.fetching + (observation.worker.collating if observation.workers else 0.0)


def is_slow_everywhere(observation: Observation) -> bool:
    """
    Do the other ranks make batches for as long as the one that waits longest?

    Whoever is a little faster waits for the others when gradients are exchanged, not for data.
    """
    work, others = compute_work_share(observation), observation.others_work
    return others is not None and work > 0 and others >= AS_BUSY * work


def is_handed_over_late(observation: Observation) -> bool:
    """Is much of the wait for batches time in which the process was ready, and others ran?"""
    main = observation.main
    delayed = main.waiting_delayed + main.receiving_delayed
    return observation.foreign_load * delayed > CROWDED * observation.data_wait


def describe_kernel_wait(wait: KernelWait | None) -> str:
    """`` in pread64 of /data/x (nfs4 on server:/export)``; empty: nobody knows."""
    if wait is None:
        return ""
    words = f" in {wait.call}"
    if wait.path:
        words += f" of {wait.path}"
    if wait.fstype:
        words += f" ({wait.fstype} on {wait.device})"
    return words


def choose_line(observation: Observation, bottleneck: Bottleneck) -> HotLine | None:
    """The line of code at fault: of making batches, else of the main process."""
    if "sampling_share" in bottleneck.evidence:
        return observation.sampler
    if "converting_share" in bottleneck.evidence:
        return observation.converter
    outside = is_outside_workers(bottleneck) or is_without_loader(bottleneck)
    return observation.step if outside else observation.hot


def is_outside_workers(bottleneck: Bottleneck) -> bool:
    """Does the training process itself, and not what makes batches, take the time?"""
    return bottleneck.name in {"consumer", "main-thread"}


def is_without_loader(bottleneck: Bottleneck) -> bool:
    """Was no loader seen, and may a queue of the training process bring its batches?"""
    return "queued_share" in bottleneck.evidence


def weigh_faults(observation: Observation) -> float:
    """Page faults a second of CPU, as many as small ones would take as long."""
    return observation.faults_per_second + (HUGE_WEIGHT - 1) * observation.huge_faults_per_second


def compute_waiting_share(fetch: FetchShares) -> float:
    """Of making batches, but for the time without a CPU."""
    return fetch.waiting / max(fetch.waiting + fetch.running, 1e-9)


def waits_for_locks(fetch: FetchShares) -> bool:
    """Is making batches mostly waiting, and much of that for locks?"""
    locked = fetch.locked > LOCKED * fetch.waiting
    return locked and compute_waiting_share(fetch) >= MIN_WAITING_SHARE
