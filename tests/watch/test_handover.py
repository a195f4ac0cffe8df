"""Batches that are late although workers have made them."""

from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.facts import FetchShares, MainShares, WorkerShares
from tests.watch.observations import seen


def test_what_idle_workers_have_made_is_on_its_way() -> None:
    """However little the threads that send it compute: others may have the processors."""
    main, idle = MainShares(waiting=0.6, receiving=0.3, blocked=0.1), WorkerShares(idle=1.0)
    sent = seen(main=main, worker=idle, fetch=FetchShares(), packing_cpu=0.04)
    busy = WorkerShares(idle=0.95, fetching=0.05)

    assert classify_observed(sent).name == "ipc-bytes"
    assert classify_observed(replace(sent, object_share=0.6)).name == "ipc-objects"
    assert classify_observed(replace(sent, worker=busy)).name == "unknown"
    assert classify_observed(replace(sent, worker=WorkerShares())).name == "unknown"


def test_a_handover_while_others_have_the_processors_is_only_possible() -> None:
    """Each process that hands a batch on waits for its turn: large batches need not be why."""
    main = MainShares(
        waiting=0.3, receiving=0.5, waiting_delayed=0.1, receiving_delayed=0.11, blocked=0.2
    )
    idle = WorkerShares(idle=1.0)
    late = seen(main=main, worker=idle, fetch=FetchShares(), foreign_load=1.0)
    alone = replace(late, foreign_load=0.9)

    found = classify_observed(late)
    assert found.name == "ipc-bytes"
    assert found.reason.endswith("; other programs have the CPUs, which may be why")
    assert is_doubtful(late, found)
    assert not classify_observed(alone).reason.endswith("why")
    assert not is_doubtful(alone, classify_observed(alone))
