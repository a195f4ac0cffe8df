"""Changes of a machine, and searches over figures before and after them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.facts import Trial
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import engine
from pipedoctor.fix.machine.measure_change import (
    ChangeComparison,
    ChangeMeasurement,
)
from pipedoctor.fix.plan.plan import (
    CommandStep,
)
from pipedoctor.tune.search.limits import read_limits
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.search import SettingSearch as RealSearch
from pipedoctor.tune.search.tuning import TuningRequest
from tests.fix.workshop import plan
from tests.tune.seen import pipeline, setting, trial

DIED = TrialFailedError("with num_workers=0: Bus error")
LATE = TrialFailedError("with num_workers=0: no answer within 3 s", is_timeout=True)
WIDEN = CommandStep(argv=("taskset", "-apc", "0-1", "7"), undo=("taskset", "-apc", "0", "7"))
SWITCH = CommandStep(argv=("touch", "on"), undo=("rm", "on"))


def giving(value: Any) -> Callable[..., Any]:
    """Gives this, whatever it is called with."""

    def given(*_: Any, **__: Any) -> Any:
        return value

    return given


# --- it failed before


class Bench:
    """Gives these one after the other; what is an error is raised."""

    def __init__(self, *given: Trial | Exception) -> None:
        self.given, self.deadline = list(given), 0.0
        self.session, self.report_progress = None, print

    def measure(self, *_: Any, **__: Any) -> Trial:
        found = self.given.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


class Search:
    """A search over such a bench."""

    def __init__(self, *given: Trial | Exception) -> None:
        self.runner, self.start = Bench(*given), setting(0)
        self.base_pipeline = pipeline(start_method="fork")

    def probe(self) -> None:
        self.runner.measure()


RUNS = [trial(0, 0.02)] * 3


# --- before and after


ORDER = TuningRequest(target="train.py:make", budget=10.0)


def told() -> Console:
    """Somebody to whom all is said."""
    return Console(giving(None), giving(True))


@pytest.fixture
def turned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that were run."""
    ran: list[tuple[str, ...]] = []

    def run(argv: tuple[str, ...], _: int) -> None:
        ran.append(argv)

    monkeypatch.setattr(engine, "run_command", run)
    return ran


def before(
    failed: str = "", *, step: CommandStep = SWITCH, strict: bool = True
) -> ChangeComparison:
    seen = pipeline(trial(0, 0.02), trial(1, 0.02), trial(2, 0.01))
    found: Any = SimpleNamespace(pipeline=seen, undecided_reason="")
    bench: Any = Bench()
    search = RealSearch(bench, read_limits(), setting(0), pipeline())
    return ChangeComparison(
        measurement=ChangeMeasurement(order=ORDER, strict=strict),
        plan=plan(step),
        lock=0,
        search=search,
        tuning=found,
        failure=failed,
    )


NOTHING: dict[str, Any] = {"predicted": None, "measured": None}
