"""Of many ranks, few looks show each: chance alone blames none."""

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed
from pipedoctor.facts import MainShares, Observation, WorkerShares
from pipedoctor.watch.job.job_processes import JobProcesses
from pipedoctor.watch.observation.rank_comparison import compare_with_others, pool_similar_ranks


def rank(number: int, waiting: float, samples: int = 11) -> Observation:
    main = MainShares(waiting=waiting, blocked=1 - waiting, starts=number)
    return Observation(seconds=7.0, samples=samples, rank=number, ranks=8, main=main)


def test_a_rank_that_seems_slow_by_chance_has_the_share_of_all() -> None:
    ranks = [rank(0, 2 / 11), rank(1, 1 / 11), *(rank(n, 0.0) for n in range(2, 8))]
    assert classify_observed(ranks[0]).name != "consumer"
    found = pool_similar_ranks(ranks)

    assert [one.rank for one in found] == list(range(8))
    assert found[0].data_wait == pytest.approx(3 / 88)
    assert found[0].samples == 88
    assert found[3].main.starts == 3
    assert {classify_observed(one).name for one in found} == {"consumer"}


def test_a_figure_that_a_rank_lacks_is_not_known_of_all() -> None:
    one, other = rank(0, 0.1, 40), rank(1, 0.1, 40)
    known = [replace(r, main=replace(r.main, ran=0.3)) for r in (one, other)]

    assert pool_similar_ranks([known[0], other])[0].main.ran is None
    assert pool_similar_ranks(known)[0].main.ran == pytest.approx(0.3)


def test_a_rank_that_is_slow_keeps_its_own_share() -> None:
    slow, *others = pool_similar_ranks([rank(0, 6 / 11), *(rank(n, 1 / 11) for n in range(1, 8))])

    assert slow.data_wait == pytest.approx(6 / 11)
    assert slow.samples == 11
    assert max(one.data_wait for one in others) < 0.16


def test_two_ranks_that_surely_differ() -> None:
    fast, slow = pool_similar_ranks([rank(0, 0.05, 40), rank(1, 0.85, 40)])
    assert fast.data_wait == pytest.approx(0.05)
    assert slow.data_wait == pytest.approx(0.85)

    fast, slow = pool_similar_ranks([rank(0, 0.05, 40), rank(1, 0.15, 40)])
    assert fast.data_wait == slow.data_wait == pytest.approx(0.1)


def test_a_rank_has_what_the_others_show() -> None:
    works = WorkerShares(fetching=0.6, collating=0.2, idle=0.2)
    others = [replace(rank(n, wait), workers=2, worker=works) for n, wait in ((1, 0.1), (2, 0.3))]
    one = compare_with_others(rank(0, 0.9), others)

    assert one.others_wait == pytest.approx(0.2)
    assert one.others_work == pytest.approx(0.8)


def test_a_rank_without_samples_says_nothing() -> None:
    unseen, seen = pool_similar_ranks([rank(0, 0.0, 0), rank(1, 0.5)])

    assert unseen.samples == 0
    assert seen.data_wait == 0.5


def test_what_started_the_ranks_is_none_of_them() -> None:
    """A launcher was the only process at first, and is no main process any more."""
    launcher, *ranks = (
        SimpleNamespace(member=SimpleNamespace(role="main", rank=number)) for number in (None, 0, 1)
    )
    ended: Any = SimpleNamespace(processes={}, ended_mains=dict(enumerate([launcher, *ranks])))
    alone: Any = SimpleNamespace(processes={}, ended_mains={0: launcher})

    assert JobProcesses.list_mains(ended) == ranks
    assert JobProcesses.list_mains(alone) == [launcher]
