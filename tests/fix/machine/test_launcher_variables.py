"""Variables that only a launcher can set: which they are, and what they save."""

import contextlib
import os
from collections.abc import Generator
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import (
    EPOCH,
    Counterfactual,
    Finding,
    Gain,
    Remedy,
    Severity,
    environment,
    in_code,
    select_remedies,
)
from pipedoctor.facts.site import Launcher
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.machine import launcher_variables
from pipedoctor.fix.machine.apply import apply_fixes
from pipedoctor.fix.machine.launcher_variables import find_variables, report_variable_gain
from pipedoctor.fix.machine.measure_change import ChangeMeasurement
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.fix.request.named_checks import ManualRemedyError
from pipedoctor.fix.request.request import PlannedFixes
from pipedoctor.tune.compare.paired import PairedComparison
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.tuning import TuningRequest

ORDER = TuningRequest(target="train.py:make", budget=10.0)
ALONE = environment("One thread", OPENBLAS_NUM_THREADS=1, NAME="two words")
VALUES = {"OPENBLAS_NUM_THREADS": "1", "NAME": "two words"}


def finding(*remedies: Remedy, change: Counterfactual | None = None) -> Finding:
    return Finding(
        severity=Severity.SLOWS,
        summary="slow",
        remedies=remedies,
        counterfactual=change,
    )


@pytest.mark.parametrize("launcher", [*Launcher][:4], ids=lambda h: h.value)
def test_the_variables_of_a_remedy_in_every_place(launcher: Launcher) -> None:
    remedies = select_remedies(launcher, in_code("In code", "A=1"), *ALONE)
    assert find_variables([finding(*remedies)]) == (VALUES if remedies[1:] else {})


def test_nothing_is_set_by_other_remedies() -> None:
    assert find_variables([]) == {}
    assert find_variables([finding(in_code("In code", "export A=1"))]) == {}


def gain(low: float, value: float, high: float) -> Gain:
    return Gain(value=value, low=low, high=high, unit=EPOCH, basis="measured")


HELPS = PairedComparison(predicted=gain(0.1, 0.4, 0.6), measured=gain(0.4, 0.5, 0.6), pairs=5)
NOT = PairedComparison(predicted=None, measured=gain(-0.1, 0.0, 0.1), pairs=5)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """With what it was compared; gives what stands under ``gives``."""
    noted: dict[str, Any] = {"gives": HELPS}

    class Before:
        def compare(self, wanted: Counterfactual) -> PairedComparison:
            noted["variables"] = {name: os.environ.get(name) for name in VALUES}
            noted["wanted"] = wanted
            if isinstance(noted["gives"], Exception):
                raise noted["gives"]
            found: PairedComparison = noted["gives"]
            return found

    @contextlib.contextmanager
    def proving(order: TuningRequest) -> Generator[Before, None, None]:
        noted["order"] = order
        noted["before"] = os.environ.get("OPENBLAS_NUM_THREADS")
        yield Before()

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(launcher_variables, "probe_baseline", proving)
    return noted


def desk(*, dry_run: bool = False) -> tuple[Console, list[str]]:
    lines: list[str] = []

    def echo(text: str, **_: Any) -> None:
        lines.append(text)

    return Console(echo, lambda _: True, dry_run=dry_run), lines


def said(
    *remedies: Remedy, change: Counterfactual | None = None, strict: bool = False
) -> list[str]:
    counter, lines = desk()
    report_variable_gain(counter, ORDER, [finding(*remedies, change=change)], strict=strict)
    return lines


def test_the_loader_is_started_with_them(seen: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    change = Counterfactual(one_thread=True)
    lines = said(*ALONE, change=change)

    assert lines == snapshot
    assert (seen["before"], seen["variables"]) == (None, VALUES)
    assert (seen["wanted"], seen["order"]) == (change, ORDER)
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@pytest.mark.usefixtures("seen")
def test_nothing_is_foretold_of_what_nobody_can_model() -> None:
    assert not any(line.startswith("predicted") for line in said(*ALONE))


def test_what_does_not_help_is_said(seen: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    seen["gives"] = NOT
    assert said(*ALONE, strict=True)[-1] == snapshot
    seen["gives"] = TrialFailedError("with num_workers=2: it fails")
    assert said(*ALONE)[-1] == snapshot


def test_without_variables_nothing_is_run(seen: dict[str, Any]) -> None:
    assert said(in_code("In code", "x")) == []
    assert "order" not in seen


class Asked:
    """An order whose only illness is for the human to cure."""

    def __init__(self, why: FixRefusedError) -> None:
        self.why = why

    def make_plans(self) -> PlannedFixes:
        return PlannedFixes(refused=(self.why,))


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize(
    ("why", "clock", "dry_run", "measured"),
    [
        pytest.param(ManualRemedyError("no", [finding(*ALONE)]), True, False, True, id="yes"),
        pytest.param(ManualRemedyError("no", [finding(*ALONE)]), True, True, False, id="dry run"),
        pytest.param(ManualRemedyError("no", [finding(*ALONE)]), False, False, False, id="plain"),
        pytest.param(FixRefusedError("no"), True, False, False, id="for another reason"),
    ],
)
def test_what_is_refused_is_measured_where_that_is_asked_for(
    why: FixRefusedError,
    clock: bool,
    dry_run: bool,
    measured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr(Console, "recover_interrupted", nothing)
    counter, lines = desk(dry_run=dry_run)
    order: Any = Asked(why)

    code = apply_fixes(
        counter, order, ChangeMeasurement(order=ORDER, strict=True) if clock else None
    )

    assert code == 1
    assert any(line.startswith("measured: Saves 50%") for line in lines) is measured
    assert "refused: no" in lines


def test_what_is_measured_already_is_not_measured_twice(seen: dict[str, Any]) -> None:
    class Known:
        def compare(self, _: Counterfactual) -> PairedComparison:
            return HELPS

    first: Any = Known()
    counter, lines = desk()
    ChangeMeasurement(order=ORDER, strict=True, measured=first).report_launcher_gain(
        counter, [finding(*ALONE)]
    )

    assert lines[-1].startswith("measured: Saves 50% of epoch time (40% to 60%, ")
    assert "order" not in seen
