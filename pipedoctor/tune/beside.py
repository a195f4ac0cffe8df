"""A target loaded once more: with a consumer that only receives, with one thread."""

import contextlib
import os
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace

import msgspec

from pipedoctor.bench.host import host
from pipedoctor.bench.interval import spread
from pipedoctor.bench.steady import TRIES, Taken, quietest, worst
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Pipeline, Quality, Setting, Spread, Trial, Window
from pipedoctor.facts.bench_loader import BenchLoader, OneThread
from pipedoctor.tune.probe import Bench, Failed
from pipedoctor.tune.search import Search
from pipedoctor.tune.session import Lost, Refused, Session
from pipedoctor.tune.sharing import crowded
from pipedoctor.tune.tuning import Order, Tuning, attempted, concluded

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What numpy's libraries read; torch limits its own threads in workers."""
RESTING = "no other threads of a worker used the CPUs"
KEPT = 0.4
"""Share of the time that is kept for comparing, where there is something to."""
ROUNDS = 5
WINDOW = 0.6
"""Seconds of one window."""
_CONSUMERS = "pipedoctor.tune.inside.consumers:"
_FIELDS: tuple[str, ...] = ("touch", "transfer", "threads")
_LATE = "no time left in the budget"


class Beside:
    """The measurement as far as it has come; `result` can be asked at any time."""

    def __init__(self, order: Order, search: Search, *, loading: float) -> None:
        self._order, self._search, self._loading = order, search, loading
        self._one = search.of(min(1, search.most()))
        self._trials: list[Trial] = []
        self._windows: list[Window] = []
        self._busy = False
        self._touch: Spread | None = None
        self._transfer: Spread | None = None
        self._threads: OneThread | None = None
        self._unknown = dict.fromkeys(_FIELDS, _LATE)

    def run(self, *, accelerator: bool) -> None:
        """Measure what there is time for; what fails is said, not raised."""
        why = idle(self._search.pipeline(), os.environ)
        if why:
            self._unknown["threads"] = why
        if not accelerator:
            self._unknown["transfer"] = "torch can use no GPU here"
        if self._order.step:
            self._unknown["touch"] = "the step that was given sees the batch first"
        if not self._order.step or not why:
            self._trying(lambda: self._received(threads=not why), "touch", "threads")
        if accelerator:
            self._trying(self._transferred, "transfer")

    def alone(self) -> OneThread | None:
        """Only what one thread saves; None where it cannot be measured."""
        self._trying(lambda: self._received(threads=True, touch=False), "threads")
        return self._threads

    def result(self) -> BenchLoader:
        """What is known so far."""
        windows = self._windows
        refused = [window.refused for window in windows if window.refused]
        known = (self._touch, self._transfer, self._threads)
        return BenchLoader(
            host=host(Machine()),
            target=self._order.target,
            num_workers=self._one.num_workers,
            touch=self._touch,
            transfer=self._transfer,
            threads=self._threads,
            unknown={
                name: self._unknown[name]
                for name, value in zip(_FIELDS, known, strict=True)
                if value is None
            },
            quality=Quality(
                windows=len(windows),
                repeated=len(self._trials) - len(windows),
                refused=len(refused),
                why_refused=next(iter(refused), ""),
                marked=worst(windows),
            ),
            seconds=sum(trial.seconds_spent for trial in self._trials),
        )

    def _trying(self, measure: Callable[[], None], *names: str) -> None:
        try:
            measure()
        except (Failed, Lost, Refused) as reason:
            for name in names:
                if self._unknown[name] == _LATE:
                    self._unknown[name] = str(reason)

    def _received(self, *, threads: bool, touch: bool = True) -> None:
        """Touch batches; and take turns with a session whose libraries may not."""
        step = self._order.step or f"{_CONSUMERS}touch"
        share = 2 if threads else 1
        with self._again(step, {}, share) as plain:
            if plain is None:
                return
            if touch and not self._order.step:
                self._touch = self._steps("touch", plain)
            if not threads:
                return
            with self._again(step, dict.fromkeys(VARIABLES, "1"), share) as single:
                if single is not None:
                    self._threads = self._turns(plain, single)

    def _transferred(self) -> None:
        with self._again(f"{_CONSUMERS}transfer", {}) as bench:
            if bench is not None:
                self._transfer = self._steps("transfer", bench)

    @contextlib.contextmanager
    def _again(
        self, step: str, more: Mapping[str, str], share: int = 1
    ) -> Generator[Bench | None, None, None]:
        """
        The target in a session of its own; None where there is no time for it.

        `share` sessions are loaded at once: each may use its part of the memory.
        """
        until = self._order.until
        if time.monotonic() + 1.3 * self._loading + 2 * WINDOW > until:
            yield None
            return
        limits = self._search.bounds
        most = (limits.memory or 0) // share
        with contextlib.ExitStack() as stack:
            with environment(more):
                session = stack.enter_context(
                    Session(self._order.target, step=step, most=most, cpus=limits.rank)
                )
            self._order.watch("loading it again")
            session.loaded(until)
            yield Bench(session=session, until=until, watch=self._order.watch)

    def _steps(self, name: str, bench: Bench) -> Spread | None:
        """Seconds that the consumer takes for a batch, of three windows."""
        found: list[float] = []
        for _ in range(3):
            if not self._room(bench):
                break
            taken = self._quiet((bench, self._one, WINDOW / 2))
            if taken.refused:
                self._unknown[name] = taken.refused
            else:
                found += [trial.step_seconds for trial in taken.value]
        return spread(found)

    def _turns(self, plain: Bench, single: Bench) -> OneThread | None:
        """Windows of the one and the other, in turns, while there is time."""
        pairs: list[tuple[Trial, Trial]] = []
        setting = crowd(self._search)
        for _ in range(ROUNDS):
            if not self._room(plain, single):
                break
            both = (plain, setting, WINDOW), (single, setting, WINDOW)
            taken = self._quiet(*both)
            if taken.refused:
                self._unknown["threads"] = taken.refused
            else:
                pairs.append((taken.value[0], taken.value[1]))
        return paired(pairs)

    def _quiet(self, *asked: tuple[Bench, Setting, float]) -> Taken[list[Trial]]:
        """
        A window of each; all of them again while others disturb one.

        Where that was in vain, the next is tried once only: others go on.
        """

        def measure() -> tuple[list[Trial], Window]:
            found = [bench.measure(of, seconds) for bench, of, seconds in asked]
            self._trials += found
            windows = (trial.window for trial in found)
            return found, max(windows, key=lambda w: (bool(w.disturbed), w.lost_cores))

        tries = 1 if self._busy else TRIES
        taken = quietest(measure, tries=tries, until=self._order.until)
        self._busy = bool(taken.mark)
        self._windows += [trial.window for trial in taken.value]
        return taken

    def _room(self, *benches: Bench) -> bool:
        """Is there time for one more window of each, as long as those before?"""
        usual = (max(bench.spent, default=2 * WINDOW) for bench in benches)
        return benches[0].left > sum(usual) + WINDOW


def crowd(search: Search) -> Setting:
    """The user's setting if it has workers, else as many as were probed."""
    if search.start.num_workers:
        return search.start
    most = max(t.setting.num_workers for t in search.pipeline().trials)
    return search.of(most)


def paired(pairs: list[tuple[Trial, Trial]]) -> OneThread | None:
    """Rates, their ratio round by round, and the CPU that a batch costs."""
    before = spread([one.samples_per_second for one, _ in pairs])
    after = spread([two.samples_per_second for _, two in pairs])
    ratio = spread(
        [two.samples_per_second / one.samples_per_second for one, two in pairs]
    )
    if before is None or after is None or ratio is None:
        return None
    one, two = pairs[0]
    return OneThread(
        variables=VARIABLES,
        before=before,
        after=after,
        ratio=ratio,
        cpu_before=one.costs.process if one.costs else 0.0,
        cpu_after=two.costs.process if two.costs else 0.0,
    )


def idle(seen: Pipeline, environ: Mapping[str, str]) -> str:
    """Why there is nothing to gain from one thread; empty: there may be."""
    if all(environ.get(name) == "1" for name in VARIABLES):
        return f"{' and '.join(VARIABLES)} are 1 already"
    if not any(t.costs and t.costs_of for t in seen.trials):
        return "no trial with workers"
    return "" if crowded(seen) else RESTING


@contextlib.contextmanager
def environment(more: Mapping[str, str]) -> Generator[None, None, None]:
    """Variables for the processes that are started in the body."""
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def tuned(order: Order) -> Tuning:
    """Tune; and measure what one thread saves, where others compute in workers."""

    def kept(seen: Pipeline) -> float:
        return 0.0 if idle(seen, os.environ) else KEPT * order.budget

    done = attempted(order, lambda search: search.run(kept=kept))
    found = concluded(order, done)
    if done.trouble or done.interrupted or idle(found.seen, os.environ):
        return found
    alone = Beside(order, done.search, loading=done.loaded["seconds"]).alone()
    return replace(found, seen=msgspec.structs.replace(found.seen, threads=alone))
