"""Settings that fail, give nothing or cannot be decided: left out, and said."""

from typing import Any, cast

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.output.json import build_record
from pipedoctor.tune.output.text import render
from pipedoctor.tune.search.probe import (
    TargetLostError,
    TrialFailedError,
    format_setting,
)
from pipedoctor.tune.search.session import TargetRefusedError
from tests.tune.scripted_search import (
    Scripted,
    search,
    tuning,
    waiting,
)
from tests.tune.seen import pipeline, setting


def test_a_setting_that_fails_is_left_out() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 4:
            message = "too many"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law)
    found.run()
    assert tuning(found).choice.setting.num_workers == 4
    assert found.failures


def test_one_worker_that_fails_ends_it(snapshot: SnapshotAssertion) -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers:
            message = "with num_workers=1: it broke"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law)
    with pytest.raises(TrialFailedError):
        found.run()
    shown = tuning(found, failure="with num_workers=1: it broke")
    assert shown.choice.setting == setting(0)
    assert shown.undecided_reason == snapshot
    assert "inconclusive: with num_workers=1: it broke" in render(shown)


def test_where_nothing_is_decided_nothing_is_changed() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 4:
            message = "its process was killed"
            raise TargetLostError(message)
        return structs.replace(waiting(of), first_batch_seconds=9.0)

    found = search(law, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=1600)
    with pytest.raises(TargetLostError):
        found.run()
    shown = tuning(found, failure="its process was killed")
    assert shown.choice.setting == setting(2)
    assert shown.choice.gain == 1
    assert "Keep the current setting: measured 242 samples/s" in render(shown)
    assert tuning(found).choice.setting.persistent_workers


def test_all_that_was_waited_for_in_vain_is_said(snapshot: SnapshotAssertion) -> None:
    def law(of: Setting) -> Trial:
        message = f"with {format_setting(of)}: no answer within 4 s"
        raise TrialFailedError(message, is_timeout=True)

    found = search(law, setting(2))
    with pytest.raises(TrialFailedError) as raised:
        found.run()
    assert raised.value.is_timeout
    assert str(raised.value) == snapshot


def test_samples_that_only_workers_can_give() -> None:
    def law(of: Setting) -> Trial:
        if not of.num_workers:
            message = "with num_workers=0: no worker"
            raise TrialFailedError(message)
        return waiting(of)

    found = search(law, setting(1))
    found.run()
    shown = tuning(found)
    assert shown.choice.setting.num_workers == 8
    assert not any(p.setting.num_workers == 0 for p in shown.predictions)
    assert build_record(shown)["stages"]["read"] > 0


def test_a_start_method_that_cannot_start_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = search(waiting)
    found.base_pipeline = pipeline(start=setting(0), start_method="spawn")
    bench = cast("Scripted", found.runner)
    plain = bench.measure

    def measure(of: Setting, seconds: float, **more: Any) -> Trial:
        if more.get("context"):
            message = "cannot pickle it"
            raise TrialFailedError(message)
        return plain(of, seconds, **more)

    monkeypatch.setattr(bench, "measure", measure)
    found.run()
    shown = tuning(found)
    assert shown.choice.setting == setting(0)
    assert "workers do not start (spawn): cannot pickle it" in str(build_record(shown))


def test_a_loader_without_a_batch_is_refused_by_its_name() -> None:
    def law(of: Setting) -> Trial:
        why = "the loader yields no batch: it is empty"
        message = f"with {format_setting(of)}: {why}"
        raise TrialFailedError(message, empty_reason=why)

    found = search(law, setting(2))
    with pytest.raises(TargetRefusedError, match=r"^data\.py:make: the loader yields no batch"):
        found.run()
    assert {one.num_workers for one in cast("Scripted", found.runner).asked} == {0, 2}


def test_workers_that_give_no_batch_are_left_out() -> None:
    def law(of: Setting) -> Trial:
        if of.num_workers > 2:
            message = "each has less than a batch"
            raise TrialFailedError(message, empty_reason=message)
        return waiting(of)

    found = search(law)
    found.run()
    assert tuning(found).choice.setting.num_workers == 2
