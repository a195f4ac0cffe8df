"""Variables that only a launcher can set: which they are, and what they save."""

import contextlib
import os
from collections.abc import Generator
from typing import Any

import pytest

from pipedoctor.check import EPOCH, Counterfactual, Finding, Gain, Severity
from pipedoctor.facts.site import Habitat
from pipedoctor.fix import launched
from pipedoctor.fix.apply import apply
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.launched import tell, variables
from pipedoctor.fix.measure import Clock
from pipedoctor.fix.named import ByHand
from pipedoctor.fix.order import Outlook
from pipedoctor.fix.plan import Refused
from pipedoctor.remedy import Remedy, environment, fitting, in_code
from pipedoctor.tune.probe import Failed
from pipedoctor.tune.proof import Compared
from pipedoctor.tune.tuning import Order

ORDER = Order(target="train.py:make", budget=10.0)
ALONE = environment("One thread", OPENBLAS_NUM_THREADS=1, NAME="two words")
VALUES = {"OPENBLAS_NUM_THREADS": "1", "NAME": "two words"}


def finding(*remedies: Remedy, change: Counterfactual | None = None) -> Finding:
    return Finding(
        severity=Severity.SLOWS,
        summary="slow",
        remedies=remedies,
        counterfactual=change,
    )


@pytest.mark.parametrize("habitat", [*Habitat][:4], ids=lambda h: h.value)
def test_the_variables_of_a_remedy_in_every_place(habitat: Habitat) -> None:
    remedies = fitting(habitat, in_code("In code", "A=1"), *ALONE)
    assert variables([finding(*remedies)]) == (VALUES if remedies[1:] else {})


def test_nothing_is_set_by_other_remedies() -> None:
    assert variables([]) == {}
    assert variables([finding(in_code("In code", "export A=1"))]) == {}


def gain(low: float, value: float, high: float) -> Gain:
    return Gain(value=value, low=low, high=high, unit=EPOCH, basis="measured")


HELPS = Compared(predicted=gain(0.1, 0.4, 0.6), measured=gain(0.4, 0.5, 0.6), pairs=5)
NOT = Compared(predicted=None, measured=gain(-0.1, 0.0, 0.1), pairs=5)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """With what it was compared; gives what stands under ``gives``."""
    noted: dict[str, Any] = {"gives": HELPS}

    class Before:
        def compare(self, wanted: Counterfactual) -> Compared:
            noted["variables"] = {name: os.environ.get(name) for name in VALUES}
            noted["wanted"] = wanted
            if isinstance(noted["gives"], Exception):
                raise noted["gives"]
            found: Compared = noted["gives"]
            return found

    @contextlib.contextmanager
    def proving(order: Order) -> Generator[Before, None, None]:
        noted["order"] = order
        noted["before"] = os.environ.get("OPENBLAS_NUM_THREADS")
        yield Before()

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(launched, "proving", proving)
    return noted


def desk(*, dry_run: bool = False) -> tuple[Counter, list[str]]:
    lines: list[str] = []

    def echo(text: str, **_: Any) -> None:
        lines.append(text)

    return Counter(echo, lambda _: True, dry_run=dry_run), lines


def said(
    *remedies: Remedy, change: Counterfactual | None = None, strict: bool = False
) -> list[str]:
    counter, lines = desk()
    tell(counter, ORDER, [finding(*remedies, change=change)], strict=strict)
    return lines


def test_the_loader_is_started_with_them(seen: dict[str, Any]) -> None:
    change = Counterfactual(one_thread=True)
    lines = said(*ALONE, change=change)

    assert lines == [
        "with OPENBLAS_NUM_THREADS=1 NAME=two words:",
        "predicted: Saves 40% of epoch time (10% to 60%, measured)",
        "measured: Saves 50% of epoch time (40% to 60%, measured), 5 pairs",
    ]
    assert (seen["before"], seen["variables"]) == (None, VALUES)
    assert (seen["wanted"], seen["order"]) == (change, ORDER)
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@pytest.mark.usefixtures("seen")
def test_nothing_is_foretold_of_what_nobody_can_model() -> None:
    assert not any(line.startswith("predicted") for line in said(*ALONE))


def test_what_does_not_help_is_said(seen: dict[str, Any]) -> None:
    seen["gives"] = NOT
    assert said(*ALONE, strict=True)[-1] == (
        "it does not help: 0% of epoch time (-10% to 10%)"
    )
    seen["gives"] = Failed("with num_workers=2: it fails")
    assert said(*ALONE)[-1] == "measured: cannot say: with num_workers=2: it fails"


def test_without_variables_nothing_is_run(seen: dict[str, Any]) -> None:
    assert said(in_code("In code", "x")) == []
    assert "order" not in seen


class Asked:
    """An order whose only illness is for the human to cure."""

    def __init__(self, why: Refused) -> None:
        self.why = why

    def outlook(self) -> Outlook:
        return Outlook(refused=(self.why,))


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize(
    ("why", "clock", "dry_run", "measured"),
    [
        pytest.param(ByHand("no", [finding(*ALONE)]), True, False, True, id="yes"),
        pytest.param(ByHand("no", [finding(*ALONE)]), True, True, False, id="dry run"),
        pytest.param(ByHand("no", [finding(*ALONE)]), False, False, False, id="plain"),
        pytest.param(Refused("no"), True, False, False, id="for another reason"),
    ],
)
def test_what_is_refused_is_measured_where_that_is_asked_for(
    why: Refused,
    clock: bool,
    dry_run: bool,
    measured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(*_: Any) -> list[Any]:
        return []

    monkeypatch.setattr(Counter, "recover", nothing)
    counter, lines = desk(dry_run=dry_run)
    order: Any = Asked(why)

    code = apply(counter, order, Clock(order=ORDER, strict=True) if clock else None)

    assert code == 1
    assert any(line.startswith("measured: Saves 50%") for line in lines) is measured
    assert "refused: no" in lines


def test_what_is_measured_already_is_not_measured_twice(seen: dict[str, Any]) -> None:
    class Known:
        def compare(self, _: Counterfactual) -> Compared:
            return HELPS

    first: Any = Known()
    counter, lines = desk()
    Clock(order=ORDER, strict=True, first=first).launched(counter, [finding(*ALONE)])

    assert lines[-1].startswith("measured: Saves 50% of epoch time (40% to 60%, ")
    assert "order" not in seen
