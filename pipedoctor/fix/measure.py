"""Measure a loader before and after a change of the machine, in turn."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from pipedoctor.bench.interval import spread
from pipedoctor.check import Finding, Gain
from pipedoctor.facts import Trial
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.fix import engine
from pipedoctor.fix.clock import Repaired, fault
from pipedoctor.fix.conditions import commands, like, process
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.launched import tell
from pipedoctor.fix.plan import Plan, Refused
from pipedoctor.tune.price import foretold
from pipedoctor.tune.probe import Bench, Failed
from pipedoctor.tune.proof import FIRST, LEAST, Compared, paired, portion
from pipedoctor.tune.proof import Before as Probed
from pipedoctor.tune.search import Search
from pipedoctor.tune.session import Lost
from pipedoctor.tune.session import Refused as Unusable
from pipedoctor.tune.tuning import Order, Tuning, probed, result

_WINDOW = 0.5
"""Seconds of a window that only has to show that the loader runs."""


@dataclass
class Turned(Bench):
    """A bench that brings the machine into a state before each window."""

    turn: Callable[[], None] = lambda: None

    def measure(self, *args: object, **options: object) -> Trial:
        """Turn first."""
        self.turn()
        return super().measure(*args, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Clock:
    """How `fix` measures a plan; `strict`: what does not help is taken back."""

    order: Order
    strict: bool
    first: Probed | None = None
    """The loader as it is, where it was measured before there was a plan."""

    @contextmanager
    def before(self, plan: Plan, lock: int) -> Generator["Before", None, None]:
        """
        Probe the machine as it is; raises Refused where nothing can be proved.

        A target that cannot be read raises the session's own Refused.
        """
        first = portion(self.order, FIRST)
        with ExitStack() as stack:
            try:
                with like(process(plan)):
                    search, _ = stack.enter_context(probed(first))
                failed = _probe(search)
            except Lost as reason:
                message = (
                    f"nothing was changed: {first.target} cannot be measured: {reason}"
                )
                raise Refused(message) from None
            found = result(first, search, trouble=failed)
            if self.strict and not failed and found.unmeasured:
                message = (
                    f"nothing was changed: no proof is possible: {found.unmeasured}"
                )
                raise Refused(message)
            yield Before(
                clock=self,
                plan=plan,
                lock=lock,
                search=search,
                found=found,
                failed=failed,
            )

    def launched(self, desk: Counter, findings: Sequence[Finding]) -> None:
        """What variables save that only the launcher can set."""
        tell(desk, self.order, findings, strict=self.strict, first=self.first)


def _probe(search: Search) -> str:
    """How the loader fails as things are; empty: it does not. Raises Lost."""
    try:
        search.probe()
    except Failed as reason:
        if reason.late:  # a busy machine is late as well: that is no failure
            raise Lost(reason) from None
        return str(reason)
    return ""


@dataclass(frozen=True, kw_only=True)
class Before:
    """The machine as it was: the loader stays loaded while the machine changes."""

    clock: Clock
    plan: Plan
    lock: int
    search: Search
    found: Tuning
    failed: str

    def fault(self, desk: Counter, cured: Sequence[Finding]) -> str:
        """Measure what was changed, and say it; why it must go; empty: it stays."""
        rest = portion(self.clock.order, 1 - FIRST)
        self.search.bench.until = rest.until
        try:
            with ExitStack() as stack:
                old, new = self._both(stack, rest)
                found = self._compared(old, new, cured)
        except Unusable as reason:
            found = Compared(
                predicted=None, measured=None, why=str(reason), broken=True
            )
        except (Failed, Lost) as reason:
            found = Compared(predicted=None, measured=None, why=str(reason))
        self._turn(changed=True)
        self.clock.order.watch("")
        return fault(desk, found, strict=self.clock.strict)

    def _both(self, stack: ExitStack, rest: Order) -> tuple[Search, Search]:
        """
        The loader before and after.

        What counts for one process stays with what it has started, so there are two;
        what counts for all is turned back and forth.
        """
        pid = process(self.plan)
        if pid is None:
            return self._turned(changed=False), self._turned(changed=True)
        with like(pid):
            after, _ = stack.enter_context(probed(rest))
        return self.search, after

    def _turned(self, *, changed: bool) -> Search:
        bench = self.search.bench
        return replace(
            self.search,
            bench=Turned(
                session=bench.session,
                until=bench.until,
                watch=bench.watch,
                turn=lambda: self._turn(changed=changed),
            ),
        )

    def _turn(self, *, changed: bool) -> None:
        """Bring the machine into one of both states; raises the engine's Failed."""
        if process(self.plan) is not None:
            return
        for step in commands(self.plan):
            wanted = step.after if changed else step.before
            if step.gauge is not None and step.gauge.read() == wanted:
                continue
            engine.run(step.argv if changed else step.undo, self.lock)

    def _compared(self, old: Search, new: Search, cured: Sequence[Finding]) -> Compared:
        if self.failed:
            return repaired(old, new, self.failed)
        return paired(old, new, self._predicted(cured))

    def _predicted(self, cured: Sequence[Finding]) -> Gain | None:
        """What was to be expected with the same arguments of the loader."""
        seen = self.found.seen
        wanted = next((f.counterfactual for f in cured if f.counterfactual), None)
        if wanted is None or not any(trial.costs for trial in seen.trials):
            return None
        return foretold(seen, wanted, seen.start)


def repaired(old: Search, new: Search, failed: str) -> Compared:
    """It failed: does it run now, and does it fail again without the change?"""
    rates = [_runs(new).samples_per_second for _ in range(ENOUGH)]
    rate = spread(rates)
    assert rate is not None  # noqa: S101  (there are windows)
    try:
        _runs(old)
    except Failed as again:
        if not again.late:
            return Repaired(predicted=None, measured=None, failed=failed, rate=rate)
        why = f"it failed before; without the change {again}"
        return Compared(predicted=None, measured=None, why=why)
    why = "it failed before, and runs now with and without the change"
    return Compared(predicted=None, measured=None, why=why)


def _runs(search: Search) -> Trial:
    """One window with the arguments that the loader has; raises Failed or Lost."""
    return search.bench.measure(
        search.start, _WINDOW, limit=LEAST, context=search.base.start_method
    )
