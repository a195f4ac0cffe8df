"""Jobs whose batches come from elsewhere than a loader of torch."""

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.facts import FetchShares, MainShares
from tests.watch.observations import seen


def test_a_queue_that_no_loader_fills() -> None:
    """Of another framework, or of threads of the user's own."""
    own = seen(main=MainShares(waiting=0.9, blocked=0.1), workers=0, fetch=FetchShares())
    found = classify_observed(own)

    assert found.name == "unknown"
    assert found.reason == (
        "it waits for data 90% of the time, for batches that no loader was seen to make"
    )
    assert is_doubtful(own, found)
