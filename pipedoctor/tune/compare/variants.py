"""A target loaded once more: with a consumer that only receives, with one thread."""

import contextlib
import os
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace

import msgspec

from pipedoctor.bench.host import read_host
from pipedoctor.bench.interval import compute_spread
from pipedoctor.bench.quiet_machine import (
    MAX_TRIES,
    QuietMeasurement,
    find_worst_disturbance,
    keep_quietest,
)
from pipedoctor.bottleneck.contention import has_busy_threads
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Pipeline, Quality, Setting, Spread, Trial, Window
from pipedoctor.facts.bench import NO_TIME_LEFT
from pipedoctor.facts.bench_loader import BenchLoader, OneThread
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import (
    TargetLostError,
    TargetRefusedError,
    TargetSession,
)
from pipedoctor.tune.search.tuning import (
    Tuning,
    TuningRequest,
    conclude_tuning,
    run_search,
)

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What numpy's libraries read; torch limits its own threads in workers."""
RESTING_REASON = "workers used no additional threads"
RESERVED_SHARE = 0.4
"""Share of the time that is kept for comparing, where there is something to."""
MAX_ROUNDS = 5
WINDOW_SECONDS = 0.6
"""Seconds of one window."""
_CONSUMERS = "pipedoctor.tune.target.consumers:"
_FIELD_NAMES: tuple[str, ...] = ("touch", "transfer", "threads")


class VariantBench:
    """Measures a target once more in variants, as far as there is time."""

    def __init__(self, request: TuningRequest, search: SettingSearch, *, loading: float) -> None:
        self._request, self._search, self._loading = request, search, loading
        self._one_worker = search.make_setting(min(1, search.count_max_workers()))
        self._trials: list[Trial] = []
        self._windows: list[Window] = []
        self._is_disturbed = False
        self._touch: Spread | None = None
        self._transfer: Spread | None = None
        self._threads: OneThread | None = None
        self._unknown = dict.fromkeys(_FIELD_NAMES, NO_TIME_LEFT)

    def run(self, *, accelerator: bool) -> None:
        """Measure what there is time for; what fails is said, not raised."""
        why = explain_no_gain(self._search.build_pipeline(), os.environ)
        if why:
            self._unknown["threads"] = why
        if not accelerator:
            self._unknown["transfer"] = "torch finds no usable GPU"
        if self._request.step:
            self._unknown["touch"] = "the given step is the first to use the batch"
        if not self._request.step or not why:
            self._record_failures(
                lambda: self._measure_receiving(threads=not why), "touch", "threads"
            )
        if accelerator:
            self._record_failures(self._measure_transfer, "transfer")

    def measure_one_thread(self) -> OneThread | None:
        """Only what one thread saves; None where it cannot be measured."""
        self._record_failures(lambda: self._measure_receiving(threads=True, touch=False), "threads")
        return self._threads

    def build_result(self) -> BenchLoader:
        """What is known so far."""
        windows = self._windows
        refused = [window.rejection_reason for window in windows if window.rejection_reason]
        results = (self._touch, self._transfer, self._threads)
        return BenchLoader(
            host=read_host(Machine()),
            target=self._request.target,
            num_workers=self._one_worker.num_workers,
            touch=self._touch,
            transfer=self._transfer,
            threads=self._threads,
            unknown={
                name: self._unknown[name]
                for name, value in zip(_FIELD_NAMES, results, strict=True)
                if value is None
            },
            quality=Quality(
                windows=len(windows),
                repeated=len(self._trials) - len(windows),
                refused=len(refused),
                why_refused=next(iter(refused), ""),
                marked=find_worst_disturbance(windows),
            ),
            seconds=sum(trial.seconds_spent for trial in self._trials),
        )

    def _record_failures(self, measure: Callable[[], None], *names: str) -> None:
        try:
            measure()
        except (TrialFailedError, TargetLostError, TargetRefusedError) as reason:
            for name in names:
                if self._unknown[name] == NO_TIME_LEFT:
                    self._unknown[name] = str(reason)

    def _measure_receiving(self, *, threads: bool, touch: bool = True) -> None:
        """Touch batches; and take turns with a session whose libraries may not."""
        step = self._request.step or f"{_CONSUMERS}touch"
        share = 2 if threads else 1
        with self._open_session(step, {}, share) as plain:
            if plain is None:
                return
            if touch and not self._request.step:
                self._touch = self._measure_steps("touch", plain)
            if not threads:
                return
            with self._open_session(step, dict.fromkeys(THREAD_VARIABLES, "1"), share) as single:
                if single is not None:
                    self._threads = self._measure_threads(plain, single)

    def _measure_transfer(self) -> None:
        with self._open_session(f"{_CONSUMERS}transfer", {}) as bench:
            if bench is not None:
                self._transfer = self._measure_steps("transfer", bench)

    @contextlib.contextmanager
    def _open_session(
        self, step: str, variables: Mapping[str, str], share: int = 1
    ) -> Generator[TrialRunner | None, None, None]:
        """
        The target in a session of its own; None where there is no time for it.

        `share` sessions are loaded at once: each may use its part of the memory.
        """
        until = self._request.deadline
        if time.monotonic() + 1.3 * self._loading + 2 * WINDOW_SECONDS > until:
            yield None
            return
        limits = self._search.limits
        most = (limits.memory or 0) // share
        with contextlib.ExitStack() as stack:
            with set_environment(variables):
                session = stack.enter_context(
                    TargetSession(
                        self._request.target,
                        step=step,
                        max_memory=most,
                        cpus=limits.rank_cpus,
                    )
                )
            self._request.watch("loading the target again")
            session.wait_until_loaded(until)
            yield TrialRunner(session=session, deadline=until, report_progress=self._request.watch)

    def _measure_steps(self, name: str, bench: TrialRunner) -> Spread | None:
        """Seconds that the consumer takes for a batch, of three windows."""
        step_seconds: list[float] = []
        for _ in range(3):
            if not self._has_time(bench):
                break
            taken = self._measure_quietly((bench, self._one_worker, WINDOW_SECONDS / 2))
            if taken.refusal:
                self._unknown[name] = taken.refusal
            else:
                step_seconds += [trial.step_seconds for trial in taken.value]
        return compute_spread(step_seconds)

    def _measure_threads(self, plain: TrialRunner, single: TrialRunner) -> OneThread | None:
        """Windows of the one and the other, in turns, while there is time."""
        pairs: list[tuple[Trial, Trial]] = []
        setting = choose_worker_setting(self._search)
        for _ in range(MAX_ROUNDS):
            if not self._has_time(plain, single):
                break
            both = (plain, setting, WINDOW_SECONDS), (single, setting, WINDOW_SECONDS)
            taken = self._measure_quietly(*both)
            if taken.refusal:
                self._unknown["threads"] = taken.refusal
            else:
                pairs.append((taken.value[0], taken.value[1]))
        return summarize_pairs(pairs)

    def _measure_quietly(
        self, *measurements: tuple[TrialRunner, Setting, float]
    ) -> QuietMeasurement[list[Trial]]:
        """
        A window of each; all of them again while others disturb one.

        Where that was in vain, the next is tried once only: others go on.
        """

        def measure() -> tuple[list[Trial], Window]:
            measured = [bench.measure(of, seconds) for bench, of, seconds in measurements]
            self._trials += measured
            windows = (trial.window for trial in measured)
            return measured, max(windows, key=lambda w: (bool(w.disturbance), w.lost_cores))

        tries = 1 if self._is_disturbed else MAX_TRIES
        taken = keep_quietest(measure, tries=tries, until=self._request.deadline)
        self._is_disturbed = bool(taken.disturbance)
        self._windows += [trial.window for trial in taken.value]
        return taken

    def _has_time(self, *benches: TrialRunner) -> bool:
        """Is there time for one more window of each, as long as those before?"""
        usual = (max(bench.trial_seconds, default=2 * WINDOW_SECONDS) for bench in benches)
        return benches[0].seconds_left > sum(usual) + WINDOW_SECONDS


def choose_worker_setting(search: SettingSearch) -> Setting:
    """The user's setting if it has workers, else as many as were probed."""
    if search.start.num_workers:
        return search.start
    most = max(t.setting.num_workers for t in search.build_pipeline().trials)
    return search.make_setting(most)


def summarize_pairs(pairs: list[tuple[Trial, Trial]]) -> OneThread | None:
    """Rates, their ratio round by round, and the CPU that a batch costs."""
    before = compute_spread([one.samples_per_second for one, _ in pairs])
    after = compute_spread([two.samples_per_second for _, two in pairs])
    ratio = compute_spread([two.samples_per_second / one.samples_per_second for one, two in pairs])
    if before is None or after is None or ratio is None:
        return None
    one, two = pairs[0]
    return OneThread(
        variables=THREAD_VARIABLES,
        before=before,
        after=after,
        ratio=ratio,
        cpu_before=one.costs.process if one.costs else 0.0,
        cpu_after=two.costs.process if two.costs else 0.0,
    )


def explain_no_gain(pipeline: Pipeline, environ: Mapping[str, str]) -> str:
    """Why there is nothing to gain from one thread; empty: there may be."""
    if all(environ.get(name) == "1" for name in THREAD_VARIABLES):
        return f"{' and '.join(THREAD_VARIABLES)} are 1 already"
    if not any(t.costs and t.costs_workers for t in pipeline.trials):
        return "no setting with workers was measured"
    return "" if has_busy_threads(pipeline) else RESTING_REASON


@contextlib.contextmanager
def set_environment(variables: Mapping[str, str]) -> Generator[None, None, None]:
    """Variables for the processes that are started in the body."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def tune_with_threads(request: TuningRequest) -> Tuning:
    """Tune; and measure what one thread saves, where others compute in workers."""

    def reserve(pipeline: Pipeline) -> float:
        return 0.0 if explain_no_gain(pipeline, os.environ) else RESERVED_SHARE * request.budget

    done = run_search(request, lambda search: search.run(reserve=reserve))
    tuning = conclude_tuning(request, done)
    if done.failure or done.interrupted or explain_no_gain(tuning.pipeline, os.environ):
        return tuning
    alone = VariantBench(
        request, done.search, loading=done.loaded_target.seconds
    ).measure_one_thread()
    return replace(tuning, pipeline=msgspec.structs.replace(tuning.pipeline, threads=alone))
