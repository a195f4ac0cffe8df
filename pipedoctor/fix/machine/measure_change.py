"""Measure a loader before and after a change of the machine, in turn."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from pipedoctor.bench.interval import compute_spread
from pipedoctor.check import Finding, Gain
from pipedoctor.facts import Trial
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.console.measured_gain import RepairComparison, explain_rejection
from pipedoctor.fix.engine import engine
from pipedoctor.fix.machine.change_scope import (
    adopt_limits,
    find_target_process,
    list_reversible_commands,
)
from pipedoctor.fix.machine.launcher_variables import report_variable_gain
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError
from pipedoctor.tune.compare.paired import (
    BEFORE_SHARE,
    MIN_START_SECONDS,
    BaselineProbe,
    PairedComparison,
    measure_pairs,
    take_budget_share,
)
from pipedoctor.tune.compare.remedy_gain import predict_gain
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
from pipedoctor.tune.search.tuning import (
    Tuning,
    TuningRequest,
    build_tuning,
    open_search,
)

_WINDOW_SECONDS = 0.5
"""Seconds of a window that only has to show that the loader runs."""


@dataclass
class SwitchedBench(TrialRunner):
    """A bench that brings the machine into a state before each window."""

    switch: Callable[[], None] = lambda: None

    def measure(self, *args: object, **options: object) -> Trial:
        """Switch the machine, then measure the window."""
        self.switch()
        return super().measure(*args, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class ChangeMeasurement:
    """How `fix` measures a plan; `strict`: what does not help is taken back."""

    order: TuningRequest
    strict: bool
    measured: BaselineProbe | None = None
    """The loader as it is, where it was measured before there was a plan."""

    @contextmanager
    def probe_before(self, plan: FixPlan, lock: int) -> Generator["ChangeComparison", None, None]:
        """
        Probe the machine as it is; raises Refused where nothing can be proved.

        A target that cannot be read raises the session's own Refused.
        """
        first = take_budget_share(self.order, BEFORE_SHARE)
        with ExitStack() as stack:
            try:
                with adopt_limits(find_target_process(plan)):
                    search, _ = stack.enter_context(open_search(first))
                failed = _probe_failure(search)
            except TargetLostError as reason:
                message = f"nothing was changed: {first.target} cannot be measured: {reason}"
                raise FixRefusedError(message) from None
            found = build_tuning(first, search, failure=failed)
            if self.strict and not failed and found.undecided_reason:
                message = (
                    f"nothing was changed: the gain cannot be proved: {found.undecided_reason}"
                )
                raise FixRefusedError(message)
            yield ChangeComparison(
                measurement=self,
                plan=plan,
                lock=lock,
                search=search,
                tuning=found,
                failure=failed,
            )

    def report_launcher_gain(self, console: Console, findings: Sequence[Finding]) -> None:
        """Measure and print what variables save that only the launcher can set."""
        report_variable_gain(console, self.order, findings, strict=self.strict, probe=self.measured)


def _probe_failure(search: SettingSearch) -> str:
    """How the loader fails as things are; empty: it does not. Raises Lost."""
    try:
        search.probe()
    except TrialFailedError as reason:
        if reason.is_timeout:  # a busy machine is late as well: that is no failure
            raise TargetLostError(reason) from None
        return str(reason)
    return ""


@dataclass(frozen=True, kw_only=True)
class ChangeComparison:
    """The machine as it was: the loader stays loaded while the machine changes."""

    measurement: ChangeMeasurement
    plan: FixPlan
    lock: int
    search: SettingSearch
    tuning: Tuning
    failure: str

    def explain_rejection(self, console: Console, findings: Sequence[Finding]) -> str:
        """
        Measure what was changed and print it.

        Returns why it must be taken back, or nothing.
        """
        rest = take_budget_share(self.measurement.order, 1 - BEFORE_SHARE)
        self.search.runner.deadline = rest.deadline
        try:
            with ExitStack() as stack:
                old, new = self._open_searches(stack, rest)
                found = self._compare(old, new, findings)
        except TargetRefusedError as reason:
            found = PairedComparison(
                predicted=None, measured=None, reason=str(reason), is_unusable=True
            )
        except (TrialFailedError, TargetLostError) as reason:
            found = PairedComparison(predicted=None, measured=None, reason=str(reason))
        self._switch_machine(changed=True)
        self.measurement.order.watch("")
        return explain_rejection(console, found, strict=self.measurement.strict)

    def _open_searches(
        self, stack: ExitStack, rest: TuningRequest
    ) -> tuple[SettingSearch, SettingSearch]:
        """
        The loader before and after.

        What counts for one process stays with what it has started, so there are two;
        what counts for all is turned back and forth.
        """
        pid = find_target_process(self.plan)
        if pid is None:
            return self._switched_search(changed=False), self._switched_search(changed=True)
        with adopt_limits(pid):
            after, _ = stack.enter_context(open_search(rest))
        return self.search, after

    def _switched_search(self, *, changed: bool) -> SettingSearch:
        bench = self.search.runner
        return replace(
            self.search,
            runner=SwitchedBench(
                session=bench.session,
                deadline=bench.deadline,
                report_progress=bench.report_progress,
                switch=lambda: self._switch_machine(changed=changed),
            ),
        )

    def _switch_machine(self, *, changed: bool) -> None:
        """Bring the machine into one of both states; raises the engine's Failed."""
        if find_target_process(self.plan) is not None:
            return
        for step in list_reversible_commands(self.plan):
            wanted = step.after if changed else step.before
            if step.gauge is not None and step.gauge.read() == wanted:
                continue
            engine.run_command(step.argv if changed else step.undo, self.lock)

    def _compare(
        self, old: SettingSearch, new: SettingSearch, findings: Sequence[Finding]
    ) -> PairedComparison:
        if self.failure:
            return compare_repair(old, new, self.failure)
        return measure_pairs(old, new, self._predict_gain(findings))

    def _predict_gain(self, findings: Sequence[Finding]) -> Gain | None:
        """What was to be expected with the same arguments of the loader."""
        seen = self.tuning.pipeline
        wanted = next((f.counterfactual for f in findings if f.counterfactual), None)
        if wanted is None or not any(trial.costs for trial in seen.trials):
            return None
        return predict_gain(seen, wanted, seen.start)


def compare_repair(old: SettingSearch, new: SettingSearch, failure: str) -> PairedComparison:
    """It failed: does it run now, and does it fail again without the change?"""
    rates = [_measure_window(new).samples_per_second for _ in range(MIN_WINDOWS)]
    rate = compute_spread(rates)
    assert rate is not None  # noqa: S101  (there are windows)
    try:
        _measure_window(old)
    except TrialFailedError as again:
        if not again.is_timeout:
            return RepairComparison(predicted=None, measured=None, failed=failure, rate=rate)
        why = f"it failed before; measured again without the change: {again}"
        return PairedComparison(predicted=None, measured=None, reason=why)
    why = "it failed before, and runs now with and without the change"
    return PairedComparison(predicted=None, measured=None, reason=why)


def _measure_window(search: SettingSearch) -> Trial:
    """One window with the arguments that the loader has; raises Failed or Lost."""
    return search.runner.measure(
        search.start,
        _WINDOW_SECONDS,
        limit=MIN_START_SECONDS,
        context=search.base_pipeline.start_method,
    )
