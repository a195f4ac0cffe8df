"""A remedy of the machine by the clock: what is compared, what counts, what goes."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from pipedoctor.check import Counterfactual, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Trial
from pipedoctor.fix.engine import engine
from pipedoctor.fix.machine import measure_change
from pipedoctor.fix.machine.measure_change import (
    ChangeMeasurement,
    SwitchedBench,
)
from pipedoctor.fix.plan.plan import (
    FixRefusedError,
)
from pipedoctor.fix.plan.plan import StepFailedError as Unfit
from pipedoctor.fix.request.request import FixRequest as Asked
from pipedoctor.tune.compare.paired import PairedComparison
from pipedoctor.tune.search.probe import TrialRunner as RealBench
from pipedoctor.tune.search.session import TargetLostError
from pipedoctor.tune.search.session import TargetRefusedError as Unusable
from tests.fix.measure_change.conftest import (
    DIED,
    LATE,
    NOTHING,
    ORDER,
    RUNS,
    SWITCH,
    WIDEN,
    Search,
    before,
    giving,
    told,
)
from tests.fix.workshop import plan
from tests.tune.seen import pipeline, setting

CPUS = Finding(severity=Severity.NOTE, summary="x", counterfactual=Counterfactual(cores=4.0))


def test_what_counts_for_all_is_turned_back_and_forth(
    turned: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RealBench, "measure", giving(RUNS[0]))

    def windows(old: Any, new: Any, _: Any) -> PairedComparison:
        for search in (old, new, old):
            assert isinstance(search.runner, SwitchedBench)
            search.runner.measure(setting(0), 1.0)
        return PairedComparison(predicted=None, measured=None, reason="busy")

    monkeypatch.setattr(measure_change, "measure_pairs", windows)
    why = before().explain_rejection(told(), ())

    assert why == "not proved: busy"
    assert turned == [("rm", "on"), ("touch", "on"), ("rm", "on"), ("touch", "on")]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (DIED, f"not proved: {DIED}"),
        (TargetLostError("it hangs"), "not proved: it hangs"),
        (Unusable("no torch"), "the target can no longer be used: no torch"),
    ],
)
@pytest.mark.usefixtures("turned")
def test_what_happens_meanwhile(
    error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: Any) -> PairedComparison:
        raise error

    monkeypatch.setattr(measure_change, "measure_pairs", raising)

    assert before().explain_rejection(told(), ()) == why


def test_a_machine_that_cannot_be_turned_is_for_the_engine_to_roll_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any) -> None:
        message = "mount failed"
        raise Unfit(message)

    monkeypatch.setattr(engine, "run_command", refused)
    monkeypatch.setattr(measure_change, "measure_pairs", giving(PairedComparison(**NOTHING)))

    with pytest.raises(Unfit, match="mount failed"):
        before().explain_rejection(told(), ())


def noting() -> tuple[list[Any], Callable[..., PairedComparison]]:
    """Something that is called, and with what it was."""
    seen: list[Any] = []

    def called(*args: Any) -> PairedComparison:
        seen.extend(args)
        return PairedComparison(**NOTHING)

    return seen, called


def test_what_counts_for_one_process_is_loaded_a_second_time(
    turned: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_whom: list[int | None] = []

    @contextmanager
    def noted(pid: int | None) -> Generator[None, None, None]:
        as_whom.append(pid)
        yield

    after = Search()
    seen, windows = noting()
    monkeypatch.setattr(measure_change, "adopt_limits", noted)
    monkeypatch.setattr(measure_change, "open_search", giving(nullcontext((after, None))))
    monkeypatch.setattr(measure_change, "measure_pairs", windows)
    then = before(step=WIDEN, strict=False)

    assert not then.explain_rejection(told(), (CPUS,))
    assert (as_whom, turned) == ([7], [])
    old, new, predicted = seen
    assert (old, new) == (then.search, after)
    assert predicted is not None


@pytest.mark.parametrize("cured", [(), (Finding(severity=Severity.NOTE, summary="x"),)])
@pytest.mark.usefixtures("turned")
def test_nothing_is_predicted_of_what_nobody_can_foretell(
    cured: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, windows = noting()
    monkeypatch.setattr(measure_change, "measure_pairs", windows)
    before().explain_rejection(told(), cured)

    assert seen[2] is None


# --- the machine as it is


def probing(
    monkeypatch: pytest.MonkeyPatch, outcome: Trial | Exception, unmeasured: str = ""
) -> None:
    found: Any = SimpleNamespace(pipeline=pipeline(), undecided_reason=unmeasured)
    search = Search(outcome)
    monkeypatch.setattr(measure_change, "open_search", giving(nullcontext((search, None))))
    monkeypatch.setattr(measure_change, "build_tuning", giving(found))


@pytest.mark.parametrize(
    ("outcome", "failed"), [(RUNS[0], ""), (DIED, str(DIED))], ids=["runs", "fails"]
)
def test_how_it_is_before(
    outcome: Trial | Exception, failed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    probing(monkeypatch, outcome, failed)
    with ChangeMeasurement(order=ORDER, strict=True).probe_before(plan(SWITCH), 0) as seen:
        assert seen.failure == failed


@pytest.mark.parametrize(
    ("outcome", "unmeasured", "why"),
    [
        (LATE, "", f"train.py:make cannot be measured: {LATE}"),
        (TargetLostError("it hangs"), "", "train.py:make cannot be measured: it hangs"),
        (
            RUNS[0],
            "other processes used 1.0 of 2 CPUs, too much for a reliable measurement",
            "the gain cannot be proved: other processes used",
        ),
    ],
    ids=["late", "lost", "busy"],
)
def test_where_nothing_can_be_proved_nothing_is_changed(
    outcome: Trial | Exception,
    unmeasured: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probing(monkeypatch, outcome, unmeasured)
    asked = ChangeMeasurement(order=ORDER, strict=True).probe_before(plan(SWITCH), 0)
    with pytest.raises(FixRefusedError, match=f"nothing was changed: {why}"), asked:
        pass


def test_without_proof_a_busy_machine_is_measured_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probing(
        monkeypatch,
        RUNS[0],
        "other processes used 1.0 of 2 CPUs, too much for a reliable measurement",
    )
    with ChangeMeasurement(order=ORDER, strict=False).probe_before(plan(SWITCH), 0) as seen:
        assert not seen.failure


# --- what a pipeline that was measured before cannot prove


class Examined:
    """An examination that finds everything still ill."""

    catalogue = get_catalogue()

    def explain_unresolved(self, code: str, _: int) -> str:
        return f"{code} still speaks"


@pytest.mark.parametrize(
    ("code", "why"), [("PDR701", "PDR701 still speaks"), ("PDR910", ""), ("", "")]
)
def test_what_was_measured_before_the_change_does_not_judge_it(code: str, why: str) -> None:
    examined: Any = Examined()
    whole = msgspec.structs.replace(plan(), check=code)

    assert Asked(examination=examined).make_proof(whole)() == why
