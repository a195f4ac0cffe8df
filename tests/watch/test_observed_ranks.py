"""How the ranks of a job are told apart in words."""

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed
from pipedoctor.facts import MainShares
from tests.watch.observations import WAITS, seen


def test_ranks_that_are_slow_together() -> None:
    """Whoever is a little faster waits for the slowest one, and not for data."""
    slow = seen(fetch=WAITS, rank=1, ranks=2, others_wait=0.04)
    both = replace(slow, others_work=0.77)

    assert "both ranks load equally slowly: rank 1 waits" in classify_observed(both).reason
    eight = classify_observed(replace(both, ranks=8)).reason
    assert "all 8 ranks load equally slowly: rank 1 waits" in eight
    alone = classify_observed(replace(slow, others_work=0.75)).reason
    assert alone.startswith("rank 1 waits for data 65% of the time (the other 4%)")
    own = replace(both, workers=0, main=MainShares(fetching=0.7, blocked=0.3), others_work=0.56)
    assert "both ranks load equally slowly" in classify_observed(own).reason


def test_a_rank_whose_number_is_not_known_is_named_by_its_process() -> None:
    slow = seen(fetch=WAITS, pid=4242, ranks=2, others_wait=0.04)

    assert classify_observed(slow).reason.startswith("process 4242 waits for data 65%")
    assert classify_observed(replace(slow, ranks=1)).reason.startswith("it waits for data 65%")


def test_a_rank_that_was_watched_alone_may_wait_for_others() -> None:
    fine = seen(main=MainShares(waiting=0.05, blocked=0.95), rank=0, world=8)

    assert classify_observed(fine).reason == (
        "the pipeline is fine: it waits for data 5% of the time;"
        " 1 of 8 ranks were watched, and may wait for others"
    )
    assert "watched" not in classify_observed(replace(fine, ranks=8)).reason


@pytest.mark.parametrize(("ranks", "words"), [(2, "(the other 4%)"), (8, "(the others 4%)")])
def test_the_other_ranks_are_what_it_is_slow_against(ranks: int, words: str) -> None:
    slow = seen(fetch=WAITS, rank=1, ranks=ranks, others_wait=0.04)

    assert f"rank 1 waits for data 65% of the time {words}" in classify_observed(slow).reason
