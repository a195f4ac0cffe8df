"""A remedy of the machine by the clock: what is compared, what counts, what goes."""

import os
import resource
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from pipedoctor.bench.interval import compute_spread
from pipedoctor.check import Counterfactual, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Trial
from pipedoctor.fix import engine, measure_change, measured_gain
from pipedoctor.fix.change_scope import (
    adopt_limits,
    find_target_process,
    refuse_unmeasurable,
)
from pipedoctor.fix.console import Console
from pipedoctor.fix.measure_change import (
    ChangeComparison,
    ChangeMeasurement,
    SwitchedBench,
    compare_repair,
)
from pipedoctor.fix.plan import (
    CommandStep,
    FixRefusedError,
    RemoveStep,
    WriteStep,
)
from pipedoctor.fix.plan import StepFailedError as Unfit
from pipedoctor.fix.request import FixRequest as Asked
from pipedoctor.tune.compare.paired import PairedComparison
from pipedoctor.tune.search.limits import read_limits
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.probe import TrialRunner as RealBench
from pipedoctor.tune.search.search import SettingSearch as RealSearch
from pipedoctor.tune.search.session import TargetLostError
from pipedoctor.tune.search.session import TargetRefusedError as Unusable
from pipedoctor.tune.search.tuning import TuningRequest
from tests.fix.workshop import plan
from tests.tune.seen import pipeline, setting, trial

DIED = TrialFailedError("with num_workers=0: Bus error")
LATE = TrialFailedError("with num_workers=0: no answer within 3 s", is_timeout=True)
WIDEN = CommandStep(argv=("taskset", "-apc", "0-1", "7"), undo=("taskset", "-apc", "0", "7"))
RAISE = CommandStep(argv=("prlimit", "--pid", "9", "--nofile=9"), undo=("prlimit",))
SWITCH = CommandStep(argv=("touch", "on"), undo=("rm", "on"))
FILE = WriteStep(path="/etc/x", content=b"", found=None)
CPUS = Finding(severity=Severity.NOTE, summary="x", counterfactual=Counterfactual(cores=4.0))


# --- what can be compared


@pytest.mark.parametrize(
    ("step", "pid"),
    [
        pytest.param(WIDEN, 7, id="affinity"),
        pytest.param(RAISE, 9, id="limit"),
        pytest.param(SWITCH, None, id="for all"),
        pytest.param(FILE, None, id="a file"),
        pytest.param(CommandStep(argv=RAISE.argv), None, id="cannot be turned back"),
    ],
)
def test_for_which_process_a_change_counts(step: Any, pid: int | None) -> None:
    assert find_target_process(plan(step)) == pid


@pytest.mark.parametrize("step", [WIDEN, RAISE, SWITCH])
def test_what_can_be_turned_back_can_be_measured(step: CommandStep) -> None:
    refuse_unmeasurable(plan(FILE, step))


@pytest.mark.parametrize(
    ("steps", "irreversible", "why"),
    [
        ((FILE,), "", "--measure cannot see it: something applies to logins"),
        (
            (RemoveStep(paths=("/x",)), SWITCH),
            "1 file removed cannot be brought back",
            "--measure cannot compare: 1 file removed cannot be brought back",
        ),
    ],
)
def test_what_no_loader_from_here_would_notice_is_refused(
    steps: Any, irreversible: str, why: str
) -> None:
    with pytest.raises(FixRefusedError, match=why):
        refuse_unmeasurable(plan(*steps, irreversible=irreversible))


# --- limited as somebody else


@pytest.fixture
def other() -> Iterator[int]:
    cpu = str(min(os.sched_getaffinity(0)))
    argv = ["taskset", "-c", cpu, "prlimit", "--nofile=99:199", "sleep", "60"]
    with subprocess.Popen(argv) as running:
        while Path(f"/proc/{running.pid}/comm").read_text() != "sleep\n":
            pass
        yield running.pid
        running.kill()


def test_what_is_started_meanwhile_is_limited_so(other: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE), os.sched_getaffinity(0)
    with adopt_limits(other):
        seen = subprocess.run(
            ["sh", "-c", "ulimit -n; nproc"], capture_output=True, text=True, check=True
        )

    assert seen.stdout.split() == ["99", "1"]
    assert before == (
        resource.getrlimit(resource.RLIMIT_NOFILE),
        os.sched_getaffinity(0),
    )


def test_it_is_given_back_whatever_happens(other: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with pytest.raises(ValueError, match="mine"), adopt_limits(other):
        int("mine")

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_a_process_that_is_gone_is_refused() -> None:
    with (
        pytest.raises(FixRefusedError, match="cannot start a loader with the limits of"),
        adopt_limits(1 << 22),
    ):
        pass


def test_nobody_changes_nothing() -> None:
    before = os.sched_getaffinity(0)
    with adopt_limits(None):
        assert os.sched_getaffinity(0) == before


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


def repair(old: Exception | Trial, *new: Trial | Exception) -> PairedComparison:
    before: Any = Search(old)
    after: Any = Search(*new)
    return compare_repair(before, after, "Bus error")


def test_it_runs_now_and_fails_again_without() -> None:
    found = repair(DIED, *RUNS)

    assert found.is_improvement
    assert measured_gain.describe_comparison(found) == [
        "before: it failed: Bus error",
        f"measured: it runs, {RUNS[0].samples_per_second:.4g} samples/s",
    ]


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (RUNS[0], "it failed before, and runs now with and without the change"),
        (LATE, f"it failed before; without the change {LATE}"),
    ],
)
def test_what_does_not_fail_again_is_not_repaired(old: Exception | Trial, why: str) -> None:
    found = repair(old, *RUNS)

    assert (found.is_improvement, found.reason) == (False, why)


def test_what_still_fails_is_raised() -> None:
    with pytest.raises(TrialFailedError, match="Bus error"):
        repair(DIED, RUNS[0], DIED)


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


NOTHING: dict[str, Any] = {"predicted": None, "measured": None}


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


@pytest.mark.usefixtures("turned")
def test_a_loader_that_failed_is_repaired_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rate = compute_spread([1.0])
    assert rate is not None
    found = measured_gain.RepairComparison(**NOTHING, failed="Bus error", rate=rate)
    monkeypatch.setattr(measure_change, "compare_repair", giving(found))

    assert not before("Bus error").explain_rejection(told(), ())


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
