"""The predicted gain is the one that was predicted before it was measured."""

import json
from dataclasses import replace

import pytest

from pipedoctor.tune.foretold import Foresight
from pipedoctor.tune.html import page
from pipedoctor.tune.json import record
from pipedoctor.tune.text import foretold, render
from tests.tune.seen import setting
from tests.tune.test_search import computing, done, search, surprising, tuning, waiting


def test_a_prediction_is_kept_as_it_was_before_the_first_window() -> None:
    found = search(waiting)
    found.probe()
    before = found.model().predict(setting(8))
    found.measure(setting(8), 1.0)
    found.measure(setting(8), 1.0)

    (kept,) = [one for one in found.foresight.found if one.guess.setting == setting(8)]
    assert kept.guess == before
    assert not kept.guess.measured
    assert kept.gain == before.samples_per_second / kept.start.samples_per_second
    low, high = kept.between
    assert low < kept.gain < high
    assert low < before.low / kept.start.samples_per_second


def test_the_first_window_of_all_had_nothing_to_go_by() -> None:
    found = search(waiting)
    found.run()

    assert found.foresight.of(setting(0)) is None
    assert found.foresight.of(setting(1)) is not None
    assert found.foresight.of(setting(5, 9)) is None


def test_a_window_that_failed_does_not_take_the_first_prediction_away() -> None:
    found = search(waiting)
    found.probe()
    found.foresight.note(found.pipeline(), setting(7))
    first = found.foresight.of(setting(7))
    found.measure(setting(8), 1.0)
    found.measure(setting(7), 1.0)

    assert first is not None
    assert found.foresight.of(setting(7)) is first
    assert len(found.foresight.found) == len(found.ledger.settings()) - 1


def test_arguments_that_change_no_rate_have_the_same_prediction() -> None:
    found = search(waiting)
    found.run()

    kept = setting(8, persistent_workers=True, pin_memory=True)
    assert found.foresight.of(kept) == found.foresight.of(setting(8))


def test_text_and_page_have_both_gains() -> None:
    shown = done()
    said = foretold(shown)

    first = shown.foresight.of(shown.choice.setting)
    assert first is not None
    low, high = first.between
    assert said == (
        f"Gain: predicted {first.gain:.2f} ({low:.2f} to {high:.2f}), measured 8.00."
    )
    assert said in " ".join(render(shown).split())
    assert said in page(shown)


def test_what_is_kept_has_no_gain() -> None:
    found = search(computing, setting(2, 4))
    found.run()
    shown = tuning(found)

    assert shown.choice.setting == setting(2, 4)
    assert foretold(shown) == ""
    assert "Gain:" not in render(shown)
    assert "Gain:" not in page(shown)
    for foresight, basis in ((shown.foresight, "modelled"), (Foresight(), "measured")):
        said = record(replace(shown, foresight=foresight))["predicted"]
        assert said["basis"] == basis
        assert said["low"] < said["samples_per_second"] < said["high"]


def test_the_json_has_both_for_the_choice_and_for_every_window() -> None:
    found = search(surprising)
    found.run()
    shown = tuning(found)
    written = json.loads(json.dumps(record(shown)))
    kept = shown.foresight.of(shown.choice.setting)

    assert kept is not None
    assert written["predicted"]["samples_per_second"] == kept.guess.samples_per_second
    assert written["predicted"]["gain"] == pytest.approx(kept.gain)
    assert written["predicted"]["basis"] == "modelled"
    assert written["predicted"]["shm_bytes"] == kept.guess.shm_bytes
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

    assert record(empty)["predicted"] is None
    assert foretold(empty) == ""
