"""Which of the measured settings is chosen, and how sure that is."""

import pytest

from pipedoctor.facts import Trial, Window
from pipedoctor.tune.decide import cheapest, decide
from pipedoctor.tune.ledger import Ledger
from tests.tune.seen import costs, pipeline, setting, trial, window

LOUD = window(foreign=1.0)


def often(*trials: Trial) -> dict[str, int]:
    return {str(t.setting): 3 for t in trials}


def test_the_fastest_is_chosen() -> None:
    trials = (trial(0, 0.02), trial(2, 0.01))
    choice = decide(pipeline(*trials), often(*trials))
    assert choice.setting == setting(2)
    assert choice.confidence == "certain"
    assert choice.gain == pytest.approx(2)
    once = decide(pipeline(*trials), {})
    assert once.confidence == "likely"


def test_of_equals_the_one_with_fewer_workers() -> None:
    trials = (trial(0, 0.02), trial(2, 0.0101), trial(4, 0.01005), trial(8, 0.0102))
    found = cheapest(trials)
    assert found is not None
    assert found.setting.num_workers == 2


def test_order_is_given_up_for_a_real_gain_only() -> None:
    loose = setting(2, in_order=False)
    small = cheapest((trial(2, 0.0100), trial(2, 0.0097, setting=loose)))
    large = cheapest((trial(2, 0.0100), trial(2, 0.0080, setting=loose)))
    assert small is not None
    assert large is not None
    assert small.setting.in_order
    assert not large.setting.in_order
    assert cheapest(()) is None


def test_a_gain_within_the_noise_changes_nothing() -> None:
    trials = (trial(0, 0.0101), trial(2, 0.01))
    choice = decide(pipeline(*trials), often(*trials))
    assert choice.setting == setting(0)
    assert choice.refused == ""
    assert choice.confidence == "likely"


def test_a_start_that_is_clearly_best_is_certain() -> None:
    trials = (trial(0, 0.01), trial(2, 0.02))
    choice = decide(pipeline(*trials), often(*trials))
    assert (choice.setting, choice.confidence) == (setting(0), "certain")


def test_what_was_not_measured_is_not_recommended() -> None:
    choice = decide(pipeline(trial(2, 0.01)), {})
    assert choice.setting == setting(0)
    assert choice.refused == "the start setting could not be measured"


def loud(workers: int, seconds: float, worker_seconds: float) -> Trial:
    made = costs(fetch_wall=worker_seconds, fetch_cpu=0.02, fetch_process=0.02)
    return trial(workers, seconds, costs=made, window=LOUD)


def test_a_gain_that_others_may_have_feigned_is_refused() -> None:
    trials = (loud(0, 0.02, 0.02), loud(1, 0.015, 0.02))
    choice = decide(pipeline(*trials), often(*trials))
    assert choice.setting == setting(0)
    assert choice.refused == "foreign CPU 1.0 cores: cannot say"
    assert choice.confidence == "possible"


def test_a_gain_that_the_processor_times_confirm_is_believed() -> None:
    trials = (loud(0, 0.03, 0.02), loud(1, 0.03, 0.02), loud(2, 0.02, 0.02))
    choice = decide(pipeline(*trials), often(*trials))
    assert choice.setting == setting(2)
    assert choice.refused == ""
    assert choice.confidence == "possible"


def test_one_setting_that_others_slowed_down_says_nothing() -> None:
    alone = loud(0, 0.1, 0.02)
    choice = decide(pipeline(alone), often(alone))
    assert choice.setting == setting(0)
    assert choice.refused == "foreign CPU 1.0 cores: cannot say"
    assert not decide(pipeline(trial(0, 0.1)), {}).refused


def test_short_epochs_keep_their_workers() -> None:
    trials = (trial(0, 0.02), trial(2, 0.01))
    choice = decide(pipeline(*trials, samples=640), often(*trials))
    assert choice.setting.persistent_workers
    long = decide(pipeline(*trials, samples=10**6), often(*trials))
    assert not long.setting.persistent_workers


def test_repeats_count_together_and_disturbed_ones_not() -> None:
    ledger = Ledger()
    for seconds, seen in ((0.01, window()), (0.012, window()), (0.05, LOUD)):
        ledger.add(trial(2, seconds, window=seen))
    (found,) = ledger.merged()
    assert found.batch_seconds == pytest.approx(0.011)
    assert found.samples_per_second == pytest.approx(16 / 0.011)
    assert found.batches == 100
    assert found.spread == pytest.approx(0.0909, rel=0.01)
    assert ledger.best_of(setting(2)) == found
    assert ledger.best_of(setting(3)) is None


def test_of_disturbed_windows_the_best_counts() -> None:
    ledger = Ledger()
    worse = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.5)
    ledger.add(trial(2, 0.05, window=worse, spread=None))
    ledger.add(trial(2, 0.02, window=LOUD, spread=None))
    (found,) = ledger.merged()
    assert found.batch_seconds == pytest.approx(0.02)
    assert found.spread == pytest.approx(0.03)


def test_one_window_has_the_error_that_others_had() -> None:
    ledger = Ledger()
    for workers, seconds in ((0, 0.03), (0, 0.03), (2, 0.01), (2, 0.012), (8, 0.011)):
        ledger.add(trial(workers, seconds))
    alone, _, single = ledger.merged()
    assert single.spread == pytest.approx(0.129, rel=0.01)
    assert alone.spread == pytest.approx(0.01 / 2**0.5)


@pytest.mark.parametrize(("spread", "chosen"), [(0.05, 8), (0.15, 2), (0.9, 2)])
def test_a_lucky_window_has_to_be_better_than_its_error(
    spread: float, chosen: int
) -> None:
    usual = trial(2, 0.010, spread=0.01)
    lucky = trial(8, 0.009, spread=spread)
    found = cheapest([trial(0, 0.02), usual, lucky])
    assert found is not None
    assert found.setting.num_workers == chosen
