"""What a remedy would save: of which findings, by how much, and on what basis."""

import pytest

from pipedoctor.check import EPOCH, Counterfactual
from pipedoctor.facts import (
    Contents,
    Pipeline,
    Shares,
)
from pipedoctor.tune.compare.counterfactual import apply_counterfactual
from pipedoctor.tune.compare.remedy_gain import estimate_epoch, predict_gain
from tests.tune.compare.priced_pipelines import FREE, computes, waits
from tests.tune.seen import costs, pipeline, setting, trial

FLOATS = Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1, float_bytes=50 << 20)


# --- how much


def test_a_setting_that_was_measured() -> None:
    gain = predict_gain(waits(), Counterfactual(tuned=True))

    assert gain is not None
    assert gain.basis == "measured"
    assert gain.unit == EPOCH
    each = 4 * 0.026  # four workers begin at once: 25 rounds of their batches
    then = 25 * each + (0.1 + 0.02 * 4 - each)
    assert gain.value == pytest.approx(1 - then / 10.2, abs=0.001)
    assert gain.seconds == pytest.approx(10.2 - then, abs=0.01)
    assert gain.low < gain.value < gain.high < 1


def objects(number: int) -> Pipeline:
    """The main process takes 80 ms to receive what a worker makes in 1 ms."""
    found = costs(
        fetch_wall=0.001,
        fetch_cpu=0.001,
        fetch_process=0.001,
        send_wall=0.016,
        send_cpu=0.016,
        process=0.017,
        receive_wall=0.08,
        receive_cpu=0.04,
        next_cpu=0.04,
    )
    few = Contents(bytes=9000, shared_bytes=number * 4096, objects=number)
    trials = (trial(n, 0.08, costs=found, window=FREE) for n in (1, 2))
    return pipeline(*trials, start=setting(2), samples=1600, contents=few)


def test_fewer_tensors_are_handed_over_sooner() -> None:
    packed = Counterfactual(packed=True)
    gain = predict_gain(objects(200), packed)
    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value > 0.9
    half = predict_gain(objects(8), packed)
    assert half is not None
    assert half.value == pytest.approx(0.5, abs=0.1)
    assert apply_counterfactual(objects(4), packed) == []
    assert apply_counterfactual(objects(5), packed) != []


def test_a_setting_that_was_not_measured_is_modelled() -> None:
    gain = predict_gain(waits(), Counterfactual(workers=2))

    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.5, abs=0.05)
    sure = predict_gain(waits(), Counterfactual(workers=4))
    assert sure is not None
    assert gain.high - gain.low > sure.high - sure.low


def test_workers_are_kept_from_epoch_to_epoch() -> None:
    seen = waits(start=setting(4), startup_seconds=2.026)
    gain = predict_gain(seen, Counterfactual(persistent=True))

    assert gain is not None
    each = 4 * 0.026  # their queues are empty: a worker makes a batch in that time
    assert gain.seconds == pytest.approx(2.026 - each, rel=2e-3)
    assert gain.value == pytest.approx((2.026 - each) / (2.026 + 24 * each), rel=2e-3)


def test_starting_does_not_count_where_an_epoch_never_ends() -> None:
    gain = predict_gain(waits(start=setting(4), samples=None), Counterfactual(persistent=True))

    assert gain is not None
    assert gain.value == 0
    assert gain.seconds is None


def test_faster_storage() -> None:
    gain = predict_gain(waits(), Counterfactual(storage=2.0))

    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.05 / 0.102, abs=0.02)


def test_more_cpus_help_workers_that_share_them() -> None:
    seen = pipeline(
        trial(1, 0.04),
        trial(4, 0.04),
        start=setting(4),
        cpus=0.5,
        cpus_bound="cgroup quota",
        samples=None,
    )
    gain = predict_gain(seen, Counterfactual(cores=2.0))

    assert gain is not None
    assert gain.value == pytest.approx(0.75, abs=0.05)


def test_bytes_instead_of_floats_need_floats() -> None:
    made = (trial(0, 0.03, costs=costs(fetch_wall=0.01, fetch_cpu=0.01, collate_cpu=0.02)),)
    gain = predict_gain(pipeline(*made, contents=FLOATS), Counterfactual(uint8=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.015 / 0.03, abs=0.02)
    assert predict_gain(pipeline(*made), Counterfactual(uint8=True)) is None


def test_a_remedy_that_does_not_help_has_no_gain() -> None:
    gain = predict_gain(computes(start=setting(2)), Counterfactual(workers=0))

    assert gain is not None
    assert gain.value < 0


def test_a_limit_that_keeps_a_better_setting_out() -> None:
    bound = waits(limits={"/dev/shm": "/dev/shm: needs 9 MiB, 8 MiB available"})
    gain = predict_gain(bound, Counterfactual(freed="/dev/shm"))

    assert gain is not None
    assert gain.value > 0.6
    assert predict_gain(waits(), Counterfactual(freed="/dev/shm")) is None
    assert predict_gain(waits(best=None), Counterfactual(tuned=True)) is None


# --- other costs


def test_no_change_leaves_the_costs() -> None:
    assert apply_counterfactual(computes(), Counterfactual(workers=3)) == []
    assert apply_counterfactual(computes(fault_seconds=0.0), Counterfactual(faultless=True)) == []
    assert apply_counterfactual(computes(cpu=None), Counterfactual(decode=2.0)) == []


def test_page_faults_go() -> None:
    seen = pipeline(trial(0, 0.02, costs=costs(fetch_faults=20_000.0)), fault_seconds=5e-7)
    gain = predict_gain(seen, Counterfactual(faultless=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.5, abs=0.02)
    assert gain.basis == "modelled"


def test_the_garbage_collector_is_spared() -> None:
    collects = costs(fetch_wall=0.04, fetch_cpu=0.04, fetch_process=0.04, collector=0.03)
    seen = pipeline(trial(0, 0.04, costs=collects))
    gain = predict_gain(seen, Counterfactual(uncollected=True))

    assert gain is not None
    assert gain.value == pytest.approx(0.75, abs=0.02)
    assert apply_counterfactual(computes(), Counterfactual(uncollected=True)) == []


def test_decoding_twice_as_fast_saves_half_of_its_share() -> None:
    seen = pipeline(trial(0, 0.02), cpu=Shares(read=0.1, decode=0.6, transform=0.3))
    gain = predict_gain(seen, Counterfactual(decode=2.0))

    assert gain is not None
    assert gain.value == pytest.approx(0.3, abs=0.02)


def opening(wall: float = 0.4, cpu: float = 0.2) -> Pipeline:
    """Containers are opened for each item, which waits for half of that."""
    of = {"read": 0.3, "decode": 0.3, "transform": 0.4}
    found = costs(fetch_wall=0.04, fetch_cpu=0.02)
    return pipeline(
        trial(0, 0.04, costs=found),
        wall=Shares(**of, opened=wall),
        cpu=Shares(**of, opened=cpu),
    )


def test_containers_that_stay_open_are_not_waited_for() -> None:
    (after,) = apply_counterfactual(opening(), Counterfactual(opened=0.5))
    gain = predict_gain(opening(), Counterfactual(opened=0.5))

    spared = after.trials[0].costs
    assert spared is not None
    assert spared.fetch_wall == pytest.approx(0.04 * (1 - 0.5 * 0.4))
    assert spared.fetch_cpu == pytest.approx(0.02 * (1 - 0.5 * 0.2))
    assert gain is not None
    assert gain.basis == "modelled"
    assert gain.value == pytest.approx(0.2, abs=0.02)


def test_what_is_worth_nothing_and_what_nobody_knows() -> None:
    shut = opening(wall=0.0, cpu=0.0)
    gain = predict_gain(shut, Counterfactual(opened=1.0))

    assert gain is not None
    assert gain.value == pytest.approx(0)
    assert predict_gain(computes(wall=None), Counterfactual(opened=1.0)) is None
    assert predict_gain(computes(cpu=None), Counterfactual(opened=1.0)) is None
    assert predict_gain(opening(), Counterfactual(opened=1.1)) is None


def test_a_trial_without_costs_stays() -> None:
    seen = pipeline(trial(0, 0.02), trial(1, 0.02, costs=None))
    (after,) = apply_counterfactual(
        pipeline(*seen.trials, cpu=Shares(read=0, decode=1, transform=0)),
        Counterfactual(decode=2.0),
    )

    assert after.trials[1] == seen.trials[1]


def test_an_epoch_without_samples_is_one_batch() -> None:
    known = estimate_epoch(computes(samples=None), setting(0))

    assert known.seconds == pytest.approx(0.02)
    assert known.measured
