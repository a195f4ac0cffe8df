"""One cause for each set of shares, and the note that all is well."""

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.bottleneck.named_bottleneck import BOTTLENECK_NAMES
from pipedoctor.check import Gain, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import (
    Contents,
    Facts,
    HotLine,
    MainShares,
    Observation,
    Pipeline,
    Setting,
    WorkerShares,
)
from pipedoctor.watch.output.sample_line import build_verdict
from pipedoctor.watch.output.text_line import format_headline
from tests.watch.observations import BUSY, COMPUTES, READS, WAITS, seen

HANDED = WorkerShares(idle=0.8, fetching=0.1, collating=0.05, sending=0.05)
SEEN = {
    "storage-latency": seen(fetch=WAITS, kernel=READS),
    "storage-bandwidth": seen(fetch=replace(WAITS, locked=0.5)),
    "decode-cpu": seen(fetch=replace(COMPUTES, decoding=0.5)),
    "transform-cpu": seen(fetch=replace(COMPUTES, decoding=0.49)),
    "blas-threads": seen(other_threads=0.51),
    "ipc-objects": seen(
        main=MainShares(waiting=0.1, receiving=0.7), worker=HANDED, object_share=0.9
    ),
    "ipc-bytes": seen(main=MainShares(waiting=0.1, receiving=0.5), worker=HANDED),
    "stragglers": seen(tail=0.31, worker=replace(BUSY, idle=0.11)),
    "main-thread": seen(main=MainShares(waiting=0.05, computing=0.9)),
    "cpu-quota": seen(throttled_share=0.21, cpus=0.5),
    "allocator-faults": seen(fetch=replace(COMPUTES, system=0.51), faults_per_second=60_000.0),
    "worker-startup": seen(main=MainShares(starting=0.5, waiting=0.2, starts=3)),
    "consumer": seen(main=MainShares(waiting=0.05, blocked=0.95)),
    "unknown": seen(samples=0, unseen="denied"),
}


def pipeline(one: Observation) -> Pipeline:
    return Pipeline(
        target="PID 1",
        start=Setting(num_workers=2),
        contents=Contents(bytes=0, shared_bytes=0, objects=1),
        cpus=2.0,
        observed=one,
    )


def test_every_name_has_its_shares() -> None:
    assert set(SEEN) == set(BOTTLENECK_NAMES)


@pytest.mark.parametrize("name", BOTTLENECK_NAMES)
def test_one_cause(name: str) -> None:
    assert classify_observed(SEEN[name]).name == name


@pytest.mark.parametrize("name", BOTTLENECK_NAMES)
def test_exactly_one_check_speaks(name: str) -> None:
    facts = Facts(pipeline(SEEN[name]))
    found = {
        other: get_catalogue().by_name[f"bottleneck-{other}"].run(facts).findings
        for other in BOTTLENECK_NAMES
    }

    assert [other for other, findings in found.items() if findings] == [name]
    (finding,) = found[name]
    mild = name in {"consumer", "unknown"}
    assert finding.severity is (Severity.NOTE if mild else Severity.SLOWS)
    assert 0 <= finding.evidence["data_wait.share"] <= 1
    if name not in {"consumer", "main-thread"}:
        assert finding.location is not None
        assert (finding.location.path, finding.location.line) == ("train.py", 9)
        assert finding.evidence["hot.share"] == 0.9


def test_the_sentence_names_the_file_and_its_mount() -> None:
    assert classify_observed(SEEN["storage-latency"]).reason == (
        "it waits for data 65% of the time; its workers wait 92% of fetching in pread64"
        " of /d/x (nfs4 on s:/e): more workers would wait in parallel"
    )


FINE = {
    "busy workers before a full queue": seen(main=MainShares(blocked=1.0)),
    "just in time": seen(main=MainShares(waiting=0.149, blocked=0.851)),
    "batches are taken in quickly": seen(
        main=MainShares(waiting=0.1, receiving=0.24, model=0.66), worker=HANDED
    ),
    "many pieces are taken in": seen(
        main=MainShares(waiting=0.1, receiving=0.49, model=0.41), object_share=0.9, worker=HANDED
    ),
    "busy workers hand over now and then": seen(
        main=MainShares(waiting=0.1, receiving=0.11, model=0.79)
    ),
    "trains on the CPU": seen(main=MainShares(model=0.95)),
    "the GPU is busy": seen(main=MainShares(computing=0.9), gpu_busy=0.7),
    "a quota that stops nobody who counts": seen(main=MainShares(blocked=1.0), throttled_share=0.9),
}


@pytest.mark.parametrize("name", FINE)
def test_never_blamed_on_the_pipeline(name: str) -> None:
    assert classify_observed(FINE[name]).name == "consumer"


def test_a_job_that_gets_ready_is_not_unreadable() -> None:
    """Its stack was read, and there was no training in it."""
    assert classify_observed(seen(samples=0)).reason.startswith("no training was seen")
    denied = classify_observed(SEEN["unknown"]).reason
    assert denied == "the stack of the main process could not be read: denied"


def test_an_idle_gpu_is_said_and_not_blamed() -> None:
    idle = seen(main=MainShares(blocked=1.0), gpu_busy=0.3)

    assert classify_observed(idle).reason.endswith(
        "the GPU is busy 30% of it although batches are ready"
    )


def test_large_reads_share_what_the_storage_gives() -> None:
    large = seen(fetch=WAITS, bytes_per_call=float(256 << 10))
    small = seen(fetch=WAITS, bytes_per_call=float((256 << 10) - 1))

    assert classify_observed(large).name == "storage-bandwidth"
    assert classify_observed(small).name == "storage-latency"


def test_the_rank_is_named() -> None:
    third = seen(fetch=WAITS, rank=3, ranks=8)
    facts = Facts(pipeline(third))
    (finding,) = get_catalogue().by_name["bottleneck-storage-latency"].run(facts).findings

    assert finding.summary.startswith("rank 3 waits for data 65% of the time")
    assert finding.evidence["rank"] == 3


def test_workers_that_have_made_their_share_wait_for_nobody() -> None:
    """While the main process takes a step; only what they lack while it waits counts."""
    makes = WorkerShares(idle=0.4, fetching=0.6)
    waits = seen(main=MainShares(waiting=0.4, blocked=0.6), worker=makes)

    assert classify_observed(waits).name == "stragglers"
    shared = replace(waits, worker=replace(makes, held_up=0.3))
    assert classify_observed(shared).name == "transform-cpu"
    held_up = replace(waits, worker=replace(makes, idle=0.2, held_up=0.31))
    assert classify_observed(held_up).name == "stragglers"
    assert "nothing to do 31% of it" in classify_observed(held_up).reason
    together = replace(shared, tail=0.8, worker=replace(makes, held_up=0.0))
    assert classify_observed(together).name == "stragglers"  # all of them open a file at once


def test_workers_that_compute_hand_over_late() -> None:
    """Their interpreter answers for a tensor when it has time."""
    busy = seen(main=MainShares(waiting=0.1, receiving=0.13, blocked=0.77))

    assert classify_observed(busy).name == "transform-cpu"


def test_a_sampler_that_chooses_in_the_training_process() -> None:
    main = MainShares(sampling=0.4, waiting=0.2, receiving=0.2, blocked=0.2)
    line = HotLine(path="train.py", line=30, function="Weighted.__iter__", share=1.0)
    slow = seen(main=main, worker=HANDED, sampler=line)
    facts = Facts(pipeline(slow))
    (finding,) = get_catalogue().by_name["bottleneck-main-thread"].run(facts).findings

    assert "40% until the sampler has chosen" in finding.summary
    assert finding.location is not None
    assert finding.location.line == 30
    other = seen(main=replace(main, sampling=0.2, waiting=0.4), worker=HANDED)
    assert classify_observed(other).name != "main-thread"


def test_a_thread_of_the_training_process_that_converts_batches() -> None:
    main = MainShares(converting=0.5, waiting=0.2, blocked=0.3)
    line = HotLine(path="train.py", line=44, function="Converter.fill", share=1.0)
    slow = seen(main=main, worker=HANDED, converter=line)
    (finding,) = (
        get_catalogue().by_name["bottleneck-main-thread"].run(Facts(pipeline(slow))).findings
    )

    assert slow.data_wait == pytest.approx(0.7)
    assert "50% until a thread of the training process has converted" in finding.summary
    assert finding.location is not None
    assert finding.location.line == 44
    assert "train.py:44" in format_headline(build_verdict(slow))


def test_the_headline_says_what_a_remedy_saves() -> None:
    verdict = build_verdict(seen(fetch=WAITS))
    gain = Gain(value=0.31, low=0.2, high=0.4, unit="fraction of epoch time", basis="modelled")
    plain = format_headline(verdict)
    head, _, why = plain.partition(": ")

    assert head == "bottleneck-storage-latency at train.py:9 in get"
    assert format_headline(verdict, gain) == f"{head} (saves 31% of epoch time, modelled): {why}"
    assert format_headline(verdict, replace(gain, value=0.004)) == plain


def test_workers_that_wait_for_one_lock_are_no_stragglers() -> None:
    """How long each of them waits for it is chance."""
    locked = seen(fetch=replace(WAITS, locked=0.8), tail=0.5, worker=replace(BUSY, idle=0.3))
    (finding,) = (
        get_catalogue().by_name["bottleneck-storage-bandwidth"].run(Facts(pipeline(locked)))
    ).findings

    assert finding.remedies[0].title.startswith("Let no two workers wait for one lock")
    assert finding.counterfactual is None


def test_a_training_process_without_a_cpu_takes_nothing_in() -> None:
    """What it does when it has one again is not what data waits for."""
    main = MainShares(waiting=0.2, receiving=0.4, receiving_delayed=0.1, blocked=0.4)
    late = seen(main=main, worker=WorkerShares(fetching=0.48), object_share=1.0, workers=1)
    starved = replace(late, main=replace(main, receiving_delayed=0.3))

    assert classify_observed(late).name == "ipc-objects"
    assert classify_observed(starved).name == "transform-cpu"


def test_busy_threads_of_workers_that_hardly_compute_send_nothing_large() -> None:
    """The share of a thread that hardly runs, of one that hardly runs, says nothing."""
    waits = seen(worker=HANDED, fetch=WAITS, other_threads=2.0, other_cpu=0.02)
    packs = seen(worker=HANDED, fetch=WAITS, other_threads=2.0, other_cpu=0.4)

    assert classify_observed(waits).name != "ipc-bytes"
    assert classify_observed(packs).name == "ipc-bytes"


def test_idle_workers_hold_nobody_up_while_a_batch_is_taken_in() -> None:
    makes = WorkerShares(idle=0.4, fetching=0.6)
    takes = seen(main=MainShares(waiting=0.1, receiving=0.4, blocked=0.5), worker=makes)
    waits = seen(main=MainShares(waiting=0.4, receiving=0.1, blocked=0.5), worker=makes)

    assert classify_observed(takes).name == "transform-cpu"
    assert classify_observed(waits).name == "stragglers"
    few = replace(waits, fetch=replace(COMPUTES, samples=7))
    assert classify_observed(few).name == "transform-cpu"


def test_packing_that_takes_longer_than_making_is_handing_over() -> None:
    """The thread that packs is no thread of a numerical library."""
    makes = WorkerShares(idle=0.3, fetching=0.7)
    main = MainShares(waiting=0.65, receiving=0.05, blocked=0.3)
    slow = seen(workers=1, main=main, worker=makes, packing_cpu=0.7, object_share=1.0)
    quick = replace(slow, packing_cpu=0.2)

    assert classify_observed(slow).name == "ipc-bytes"
    assert classify_observed(quick).name == "transform-cpu"


def test_a_fault_that_clears_a_huge_page_counts_as_many() -> None:
    kernel = replace(COMPUTES, system=0.9)
    large = seen(fetch=kernel, faults_per_second=6000.0, huge_faults_per_second=5900.0)
    small = replace(large, huge_faults_per_second=60.0)

    assert classify_observed(large).name == "allocator-faults"
    assert classify_observed(small).name == "transform-cpu"


@pytest.mark.parametrize(("workers", "idle"), [(1, 0.2), (2, 0.09)])
def test_slow_samples_that_hold_nobody_up_are_only_part_of_the_mean(
    workers: int, idle: float
) -> None:
    """Such as those in which Python collects garbage."""
    uneven = seen(tail=0.6, workers=workers, worker=replace(BUSY, idle=idle))

    assert classify_observed(uneven).name == "transform-cpu"


def test_slow_waits_hold_others_up_sooner() -> None:
    """A sample that waits is no collection of garbage."""
    slow = seen(fetch=WAITS, tail=0.51, worker=replace(BUSY, idle=0.06))

    assert classify_observed(slow).name == "stragglers"
    assert classify_observed(replace(slow, tail=0.5)).name == "storage-latency"
    steady = replace(slow, worker=replace(BUSY, idle=0.05))
    assert classify_observed(steady).name == "storage-latency"


def test_few_samples_and_close_shares_are_doubtful() -> None:
    sure = (seen(), seen(main=MainShares(starting=0.6, starts=2)))
    once = MainShares(starting=0.6, starts=1)  # the job has only just begun
    few = (seen(samples=79), seen(main=MainShares(waiting=0.19)), seen(main=once))

    assert not any(is_doubtful(one, classify_observed(one)) for one in sure)
    assert all(is_doubtful(one, classify_observed(one)) for one in few)
