"""`bench loader`: what each stage of one batch costs, without workers and in one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from pipedoctor.bench.host import read_host
from pipedoctor.bench.quiet_machine import MAX_TRIES, find_worst_disturbance
from pipedoctor.bench.result_table import (
    ResultSheet,
    build_closing_notes,
    format_number,
    format_ratio,
)
from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import (
    BenchLoader,
    Costs,
    Fact,
    OneThread,
    Pipeline,
    Quality,
    Shares,
    Trial,
)
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.tune.compare.variants import VariantBench
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.tuning import TuningRequest, run_search
from pipedoctor.units import format_count, format_size

TABLE_HEAD = ("ms per batch", "no workers", "in a worker", "main process")
STAGE_LABELS = {
    "touch": "first touch",
    "transfer": "to the GPU",
    "threads": "one thread",
}


@dataclass(frozen=True, kw_only=True)
class StageMeasurement:
    """What was probed; `failure` says why there is less than there could be."""

    pipeline: Pipeline
    bench_loader: BenchLoader | None = None
    failure: str = ""
    repeated_windows: int = 0
    """Windows that were measured again, because others had the CPUs meanwhile."""
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def no_result_reason(self) -> str:
        """Why there is no number at all; empty: there is one."""
        clean = [trial for trial in self.pipeline.trials if not trial.window.rejection_reason]
        if clean:
            return ""
        refused = [trial.window.rejection_reason for trial in self.pipeline.trials]
        return self.failure or next(iter(refused), "no batch arrived within the time limit")

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What can be written and judged: nothing that others decided."""
        seen = drop_refused_trials(self).pipeline
        return (seen,) if self.bench_loader is None else (seen, self.bench_loader)


def measure_stages(request: TuningRequest) -> StageMeasurement:
    """Probe a target; raises Refused, or Lost before anything is known."""
    done = run_search(request, probe_quietly)
    interrupted = done.interrupted
    variants = VariantBench(request, done.search, loading=done.loaded_target.seconds)
    if not done.failure and not interrupted:
        try:
            variants.run(accelerator=done.loaded_target.accelerator)
        except KeyboardInterrupt:
            interrupted = True
    seen = done.search.build_pipeline()
    return StageMeasurement(
        pipeline=seen,
        bench_loader=None if done.failure else variants.build_result(),
        failure=done.failure,
        repeated_windows=len(done.search.ledger.trials) - len(seen.trials),
        seconds=time.monotonic() - request.begin_time,
        interrupted=interrupted,
    )


def probe_quietly(search: SettingSearch) -> None:
    """
    Probe; then again what others disturbed, in half of the time that is left.

    In all of it as long as no window counts: there is nothing else to measure, then.
    """
    search.probe()
    half = search.runner.seconds_left / 2
    for _ in range(MAX_TRIES - 1):
        for trial in search.ledger.merge_all():
            refused = all(one.window.rejection_reason for one in search.ledger.merge_all())
            least = 0.0 if refused else half
            if (
                trial.disturbance
                and search.runner.seconds_left - search.estimate_trial_seconds() > least
            ):
                seconds = search.choose_window()
                trace = 0.0 if trial.setting.num_workers else seconds / 2
                search.measure(trial.setting, seconds, trace=trace)


def drop_refused_trials(stages: StageMeasurement) -> StageMeasurement:
    """Without the trials that others decided."""
    trials = tuple(t for t in stages.pipeline.trials if not t.window.rejection_reason)
    return replace(stages, pipeline=msgspec.structs.replace(stages.pipeline, trials=trials))


def build_sheet(stages: StageMeasurement) -> ResultSheet:
    """The stages in the order in which a sample goes through them."""
    seen = drop_refused_trials(stages).pipeline
    return ResultSheet(
        title=f"One batch of {seen.target}, stage by stage",
        conclusions=tuple(_summarize(seen, stages.bench_loader)),
        header=TABLE_HEAD,
        rows=tuple(row for row in _build_rows(seen, stages.bench_loader) if any(row[1:])),
        notes=tuple(_build_notes(stages)),
    )


def _summarize(pipeline: Pipeline, bench_loader: BenchLoader | None) -> Iterator[str]:
    if pipeline.trials:
        cause = classify_bottleneck(pipeline)
        yield f"Bottleneck: {cause.name}; {cause.reason}."
    if bench_loader is not None and bench_loader.threads is not None:
        yield _describe_one_thread(bench_loader.threads)
    for trial in pipeline.trials:
        workers = trial.setting.num_workers
        yield (
            f"num_workers={workers}: {format_number(trial.samples_per_second)} samples/s, a"
            f" batch in {format_number(1000 * trial.batch_seconds)} ms, the first after"
            f" {trial.first_batch_seconds:.2f} s."
        )


def _describe_one_thread(one_thread: OneThread) -> str:
    values = " ".join(f"{name}=1" for name in one_thread.variables)
    costs = (format_number(1000 * cpu) for cpu in (one_thread.cpu_before, one_thread.cpu_after))
    text = (
        f"With {values} it is {format_ratio(one_thread.ratio)} as fast, and a batch takes"
        f" {' ms of CPU without and '.join(costs)} ms with it"
    )
    if one_thread.ratio.windows < MIN_WINDOWS:
        text += "; too few windows to be certain: increase --budget"
    elif not one_thread.ratio.is_above(1.0):
        text += ": not significantly faster"
    return f"{text}."


def _build_rows(pipeline: Pipeline, bench_loader: BenchLoader | None) -> Iterator[tuple[str, ...]]:
    alone = _find_costs([t for t in pipeline.trials if not t.setting.num_workers])
    worker = _find_costs([t for t in pipeline.trials if t.setting.num_workers])
    yield (
        "fetch samples",
        _format_milliseconds(alone, "fetch_wall"),
        _format_milliseconds(worker, "fetch_wall"),
        "",
    )
    for name in ("read", "decode", "transform"):
        share = getattr(pipeline.wall, name) if pipeline.wall else None
        if share is not None:
            cells = (_format_share(costs, share) for costs in (alone, worker))
            yield (f"  {name}", *cells, "")
    yield (
        "collate",
        _format_milliseconds(alone, "collate_wall"),
        _format_milliseconds(worker, "collate_wall"),
        "",
    )
    yield ("send", "", _format_milliseconds(worker, "send_wall"), "")
    yield ("receive", "", "", _format_milliseconds(worker, "receive_wall"))
    yield ("CPU in next()", "", "", _format_milliseconds(worker, "next_cpu"))
    if bench_loader is not None:
        for name, spent in (
            ("touch", bench_loader.touch),
            ("transfer", bench_loader.transfer),
        ):
            if spent is not None:
                yield (STAGE_LABELS[name], "", "", format_number(1000 * spent.value))


def _find_costs(trials: list[Trial]) -> Costs | None:
    with_costs = [trial for trial in trials if trial.costs is not None]
    return min(with_costs, key=lambda t: t.setting.num_workers).costs if with_costs else None


def _format_share(costs: Costs | None, share: float) -> str:
    return format_number(1000 * costs.fetch_wall * share) if costs else ""


def _format_milliseconds(costs: Costs | None, name: str) -> str:
    return format_number(1000 * float(getattr(costs, name))) if costs else ""


def _build_notes(stages: StageMeasurement) -> Iterator[str]:
    seen = stages.pipeline
    if stages.failure:
        yield f"Incomplete: {stages.failure}."
    if isinstance(seen.wall, Shares) and drop_refused_trials(stages).pipeline.trials:
        yield "Read, decode and transform are shares of the time to fetch samples, from a trace."
    if _find_costs(
        [t for t in drop_refused_trials(stages).pipeline.trials if t.setting.num_workers]
    ):
        yield (
            "Send: a worker thread pickles the batch; receive: the main process"
            " unpickles it. CPU in next(): all CPU time that it needs to get a batch."
        )
    contents = seen.contents
    if contents.bytes:
        tensors = format_count(contents.objects, "tensor")
        yield f"A batch holds {format_size(contents.bytes)} in {tensors}."
    yield from _explain_missing(stages.bench_loader)
    yield from build_closing_notes(
        read_host(Machine()),
        _summarize_quality(stages),
        stages.seconds,
        interrupted=stages.interrupted,
    )


def _summarize_quality(stages: StageMeasurement) -> Quality:
    """Of all windows, those beside the stages among them."""
    bench_quality = stages.bench_loader.quality if stages.bench_loader else Quality()
    windows = [trial.window for trial in stages.pipeline.trials]
    refused = [window.rejection_reason for window in windows if window.rejection_reason]
    return Quality(
        windows=len(windows) + bench_quality.windows,
        repeated=stages.repeated_windows + bench_quality.repeated,
        refused=len(refused) + bench_quality.refused,
        why_refused=next(iter(refused), bench_quality.why_refused),
        marked=find_worst_disturbance(windows) or bench_quality.marked,
    )


def _explain_missing(bench_loader: BenchLoader | None) -> Iterator[str]:
    """What the rows of receiving mean, and why one of them is not there."""
    if bench_loader is None:
        return
    if bench_loader.touch is not None:
        yield "First touch: the main process reads one byte of every page, once."
    for name, why in bench_loader.unknown.items():
        yield f"Not measured, {STAGE_LABELS[name]}: {why}."
