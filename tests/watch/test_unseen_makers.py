"""Jobs whose batches come from elsewhere than a loader of torch."""

from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.bottleneck.observed_figures import choose_line
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, FetchShares, HotLine, MainShares
from tests.watch.observations import seen
from tests.watch.test_classify_observed import pipeline


def test_a_queue_that_no_loader_fills() -> None:
    """Of another framework, or of threads of the user's own."""
    own = seen(main=MainShares(waiting=0.9, blocked=0.1), workers=0, fetch=FetchShares())
    found = classify_observed(own)

    assert found.name == "unknown"
    assert found.reason == (
        "it waits for data 90% of the time, for batches that no loader was seen to make"
    )
    assert is_doubtful(own, found)


def test_a_thread_or_process_of_its_own_where_no_loader_was_seen() -> None:
    """It may make the batches, or do something else: nobody knows that data is in time."""
    step = HotLine(path="feed.py", line=4, share=1.0)
    waits = MainShares(queued=0.15, blocked=0.9, computing=0.1)
    own = seen(main=waits, workers=0, fetch=FetchShares(), step=step)
    found = classify_observed(own)

    assert found.name == "unknown"
    assert found.reason == (
        "no loader was seen; the training process waits 15% of the time for a thread or process"
        " of its own, which may make its batches"
    )
    assert choose_line(own, found) == step
    (finding,) = get_catalogue().by_name["bottleneck-unknown"].run(Facts(pipeline(own))).findings
    assert (finding.summary, finding.remedies) == (found.reason, ())
    assert classify_observed(replace(own, workers=1)).name == "consumer"
    assert classify_observed(replace(own, main=replace(waits, queued=0.14))).name == "consumer"
