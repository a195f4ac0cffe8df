"""Which of the measured settings is chosen, and how sure that is."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Trial, Window
from pipedoctor.tune.search.decide import choose_setting, find_cheapest
from pipedoctor.tune.search.ledger import TrialLedger
from tests.tune.seen import costs, pipeline, setting, trial, window

LOUD = window(foreign=1.0)


def often(*trials: Trial) -> dict[str, int]:
    return {str(t.setting): 3 for t in trials}


def test_the_fastest_is_chosen() -> None:
    trials = (trial(0, 0.02), trial(2, 0.01))
    choice = choose_setting(pipeline(*trials), often(*trials))
    assert choice.setting == setting(2)
    assert choice.confidence == "certain"
    assert choice.gain == pytest.approx(2)
    once = choose_setting(pipeline(*trials), {})
    assert once.confidence == "likely"


def test_of_equals_the_one_with_fewer_workers() -> None:
    trials = (trial(0, 0.02), trial(2, 0.0101), trial(4, 0.01005), trial(8, 0.0102))
    found = find_cheapest(trials)
    assert found is not None
    assert found.setting.num_workers == 2


def test_order_is_given_up_for_a_real_gain_only() -> None:
    loose = setting(2, in_order=False)
    small = find_cheapest((trial(2, 0.0100), trial(2, 0.0097, setting=loose)))
    large = find_cheapest((trial(2, 0.0100), trial(2, 0.0080, setting=loose)))
    assert small is not None
    assert large is not None
    assert small.setting.in_order
    assert not large.setting.in_order
    assert find_cheapest(()) is None


def test_a_gain_within_the_noise_changes_nothing() -> None:
    trials = (trial(0, 0.0101), trial(2, 0.01))
    choice = choose_setting(pipeline(*trials), often(*trials))
    assert choice.setting == setting(0)
    assert choice.refusal == ""
    assert choice.confidence == "likely"


def test_a_start_that_is_clearly_best_is_certain() -> None:
    trials = (trial(0, 0.01), trial(2, 0.02))
    choice = choose_setting(pipeline(*trials), often(*trials))
    assert (choice.setting, choice.confidence) == (setting(0), "certain")


def test_what_was_not_measured_is_not_recommended(snapshot: SnapshotAssertion) -> None:
    choice = choose_setting(pipeline(trial(2, 0.01)), {})
    assert choice.setting == setting(0)
    assert choice.refusal == snapshot


def loud(workers: int, seconds: float, worker_seconds: float) -> Trial:
    made = costs(fetch_wall=worker_seconds, fetch_cpu=0.02, fetch_process=0.02)
    return trial(workers, seconds, costs=made, window=LOUD)


def test_a_gain_that_others_may_have_feigned_is_refused(snapshot: SnapshotAssertion) -> None:
    trials = (loud(0, 0.02, 0.02), loud(1, 0.015, 0.02))
    choice = choose_setting(pipeline(*trials), often(*trials))
    assert choice.setting == setting(0)
    assert choice.refusal == snapshot
    assert choice.confidence == "possible"


def test_a_gain_that_the_processor_times_confirm_is_believed() -> None:
    trials = (loud(0, 0.03, 0.02), loud(1, 0.03, 0.02), loud(2, 0.02, 0.02))
    choice = choose_setting(pipeline(*trials), often(*trials))
    assert choice.setting == setting(2)
    assert choice.refusal == ""
    assert choice.confidence == "possible"


def test_one_setting_that_others_slowed_down_says_nothing(snapshot: SnapshotAssertion) -> None:
    alone = loud(0, 0.1, 0.02)
    choice = choose_setting(pipeline(alone), often(alone))
    assert choice.setting == setting(0)
    assert choice.refusal == snapshot
    assert not choose_setting(pipeline(trial(0, 0.1)), {}).refusal


def test_short_epochs_keep_their_workers() -> None:
    trials = (trial(0, 0.02), trial(2, 0.01))
    choice = choose_setting(pipeline(*trials, samples=640), often(*trials))
    assert choice.setting.persistent_workers
    long = choose_setting(pipeline(*trials, samples=10**6), often(*trials))
    assert not long.setting.persistent_workers


def test_repeats_count_together_and_disturbed_ones_not() -> None:
    ledger = TrialLedger()
    for seconds, seen in ((0.01, window()), (0.012, window()), (0.05, LOUD)):
        ledger.add(trial(2, seconds, window=seen))
    (found,) = ledger.merge_all()
    assert found.batch_seconds == pytest.approx(0.011)
    assert found.samples_per_second == pytest.approx(16 / 0.011)
    assert found.batches == 100
    assert found.spread == pytest.approx(0.0909, rel=0.01)


def test_of_disturbed_windows_the_best_counts() -> None:
    ledger = TrialLedger()
    worse = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.5)
    ledger.add(trial(2, 0.05, window=worse, spread=None))
    ledger.add(trial(2, 0.02, window=LOUD, spread=None))
    (found,) = ledger.merge_all()
    assert found.batch_seconds == pytest.approx(0.02)
    assert found.spread == pytest.approx(0.03)


def test_one_window_has_the_error_that_others_had() -> None:
    ledger = TrialLedger()
    for workers, seconds in ((0, 0.03), (0, 0.03), (2, 0.01), (2, 0.012), (8, 0.011)):
        ledger.add(trial(workers, seconds))
    alone, _, single = ledger.merge_all()
    assert single.spread == pytest.approx(0.129, rel=0.01)
    assert alone.spread == pytest.approx(0.01 / 2**0.5)


@pytest.mark.parametrize(("spread", "chosen"), [(0.05, 8), (0.15, 2), (0.9, 2)])
def test_a_lucky_window_has_to_be_better_than_its_error(spread: float, chosen: int) -> None:
    usual = trial(2, 0.010, spread=0.01)
    lucky = trial(8, 0.009, spread=spread)
    found = find_cheapest([trial(0, 0.02), usual, lucky])
    assert found is not None
    assert found.setting.num_workers == chosen


def test_more_workers_than_cpus_need_a_clean_window() -> None:
    few, many = trial(2, 0.010, window=LOUD), trial(10, 0.004, window=LOUD)
    start = trial(0, 0.02, window=LOUD)
    loud = choose_setting(pipeline(start, few, many), often(start, few, many))
    clean = choose_setting(
        pipeline(start, few, trial(10, 0.004)), often(start, few, trial(10, 0.004))
    )

    assert loud.setting.num_workers <= 2, "2 CPUs, and others had one of them"
    assert clean.setting.num_workers == 10


def test_a_start_with_more_workers_than_cpus_may_stay() -> None:
    start, less = trial(10, 0.01, window=LOUD), trial(2, 0.02, window=LOUD)

    choice = choose_setting(pipeline(start, less, start=start.setting), often(start, less))

    assert choice.setting.num_workers == 10
