"""Figures and words of one observation that several causes of a bottleneck share."""

from pipedoctor.bottleneck.fetch_causes import MIN_WAITING_SHARE
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.facts import FetchShares, HotLine, KernelWait, Observation

HUGE_WEIGHT = 64.0
"""Page faults that take as long as clearing a huge page, of 512 pages at once."""
LOCKED = 0.35
"""Share of the waiting that is for a lock."""


def describe_wait(observation: Observation) -> str:
    """How long the main process waits, in words."""
    if observation.rank is None or observation.ranks == 1:
        return f"it waits for data {observation.data_wait:.0%} of the time"
    others = ""
    if observation.others_wait is not None:
        word = "others" if observation.ranks - 1 > 1 else "other"
        others = f" (the {word} {observation.others_wait:.0%})"
    return f"rank {observation.rank} waits for data {observation.data_wait:.0%} of the time{others}"


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
    return observation.step if is_outside_workers(bottleneck) else observation.hot


def is_outside_workers(bottleneck: Bottleneck) -> bool:
    """Does the training process itself, and not what makes batches, take the time?"""
    return bottleneck.name in {"consumer", "main-thread"}


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
