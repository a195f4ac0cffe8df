"""The predicted gain is the one that was predicted before it was measured."""

import json
from dataclasses import replace

import pytest

from pipedoctor.tune.model.first_predictions import FirstPredictions
from pipedoctor.tune.output.html import render_page
from pipedoctor.tune.output.json import build_record
from pipedoctor.tune.output.text import describe_gain, render
from tests.tune.scripted_search import (
    computing,
    done,
    search,
    surprising,
    tuning,
    waiting,
)
from tests.tune.seen import setting


def test_a_prediction_is_kept_as_it_was_before_the_first_window() -> None:
    found = search(waiting)
    found.probe()
    before = found.build_model().predict(setting(8))
    found.measure(setting(8), 1.0)
    found.measure(setting(8), 1.0)

    (kept,) = [
        one for one in found.first_predictions.predictions if one.prediction.setting == setting(8)
    ]
    assert kept.prediction == before
    assert not kept.prediction.measured
    assert kept.gain == before.samples_per_second / kept.start_prediction.samples_per_second
    low, high = kept.gain_interval
    assert low < kept.gain < high
    assert low < before.low / kept.start_prediction.samples_per_second


def test_the_first_window_of_all_had_nothing_to_go_by() -> None:
    found = search(waiting)
    found.run()

    assert found.first_predictions.find(setting(0)) is None
    assert found.first_predictions.find(setting(1)) is not None
    assert found.first_predictions.find(setting(5, 9)) is None


def test_a_window_that_failed_does_not_take_the_first_prediction_away() -> None:
    found = search(waiting)
    found.probe()
    found.first_predictions.record(found.build_pipeline(), setting(7))
    first = found.first_predictions.find(setting(7))
    found.measure(setting(8), 1.0)
    found.measure(setting(7), 1.0)

    assert first is not None
    assert found.first_predictions.find(setting(7)) is first
    assert len(found.first_predictions.predictions) == len(found.ledger.list_settings()) - 1


def test_arguments_that_change_no_rate_have_the_same_prediction() -> None:
    found = search(waiting)
    found.run()

    kept = setting(8, persistent_workers=True, pin_memory=True)
    assert found.first_predictions.find(kept) == found.first_predictions.find(setting(8))


def test_text_and_page_have_both_gains() -> None:
    shown = done()
    said = describe_gain(shown)

    first = shown.first_predictions.find(shown.choice.setting)
    assert first is not None
    low, high = first.gain_interval
    assert said == (f"Gain: predicted {first.gain:.2f} ({low:.2f} to {high:.2f}), measured 8.00.")
    assert said in " ".join(render(shown).split())
    assert said in render_page(shown)


def test_what_is_kept_has_no_gain() -> None:
    found = search(computing, setting(2, 4))
    found.run()
    shown = tuning(found)

    assert shown.choice.setting == setting(2, 4)
    assert describe_gain(shown) == ""
    assert "Gain:" not in render(shown)
    assert "Gain:" not in render_page(shown)
    for foresight, basis in (
        (shown.first_predictions, "modelled"),
        (FirstPredictions(), "measured"),
    ):
        said = build_record(replace(shown, first_predictions=foresight))["predicted"]
        assert said["basis"] == basis
        assert said["low"] < said["samples_per_second"] < said["high"]


def test_the_json_has_both_for_the_choice_and_for_every_window() -> None:
    found = search(surprising)
    found.run()
    shown = tuning(found)
    written = json.loads(json.dumps(build_record(shown)))
    kept = shown.first_predictions.find(shown.choice.setting)

    assert kept is not None
    assert written["predicted"]["samples_per_second"] == kept.prediction.samples_per_second
    assert written["predicted"]["gain"] == pytest.approx(kept.gain)
    assert written["predicted"]["basis"] == "modelled"
    assert written["predicted"]["shm_bytes"] == kept.prediction.shm_bytes
    low, high = written["predicted"]["between"]["wait_seconds"]
    assert low <= written["predicted"]["wait_seconds"] <= high
    assert written["predicted"]["gain_low"] < written["predicted"]["gain"]
    assert written["gain"] == shown.choice.gain
    assert written["gain"] != written["predicted"]["gain"]
    alone, *others = written["trials"]
    assert alone["predicted"] is None
    assert all(one["predicted"]["low"] < one["predicted"]["high"] for one in others[:1])


def test_nothing_was_predicted_where_nothing_was_measured() -> None:
    empty = tuning(search(waiting))

    assert build_record(empty)["predicted"] is None
    assert describe_gain(empty) == ""
