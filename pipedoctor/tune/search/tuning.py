"""Tune one target from beginning to end, within its budget."""

import contextlib
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

import msgspec

from pipedoctor.bench.host import read_host
from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.bottleneck.named_bottleneck import Bottleneck
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Contents, Host, Pipeline, Setting, UnreadableError
from pipedoctor.tune import DEFAULT_BUDGET
from pipedoctor.tune.model.first_predictions import FirstPredictions
from pipedoctor.tune.model.predict import Prediction, ThroughputModel
from pipedoctor.tune.search.binding_limits import find_binding_limits
from pipedoctor.tune.search.decide import SettingChoice, choose_setting
from pipedoctor.tune.search.ledger import TrialLedger
from pipedoctor.tune.search.limits import ResourceLimits, read_limits
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner, ignore_progress
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import (
    TargetLostError,
    TargetRefusedError,
    TargetSession,
)
from pipedoctor.tune.target.messages import TargetLoaded

RESERVE_SECONDS = 2.0
"""Seconds that ending everything and writing the answer may take."""
COPIES_NOTE = (
    "get_worker_info(): the stream is not divided among workers, so each worker yields "
    "every sample again; rates count a sample once"
)
UNPINNED_NOTE = (
    "pin_memory=True has no effect: torch finds no GPU, so the figures exclude the cost of pinning"
)
_RESERVE_SHARE = 0.15
"""Of a small budget, that much at most."""


@dataclass(frozen=True, kw_only=True)
class TuningRequest:
    """What the user asked for; sizes in bytes, times in seconds."""

    target: str
    batch_size: int | None = None
    step: str = ""
    """Seconds, or `module:callable`; empty: batches are not used."""
    budget: float = DEFAULT_BUDGET
    max_workers: int | None = None
    memory: int | None = None
    ranks: int = 1
    begin_time: float = field(default_factory=time.monotonic)
    watch: Callable[[str], None] = ignore_progress

    @property
    def deadline(self) -> float:
        """When measuring has to be over."""
        return self.begin_time + self.budget - min(RESERVE_SECONDS, _RESERVE_SHARE * self.budget)


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What came out; `failure` says why there is less than was asked for."""

    request: TuningRequest
    pipeline: Pipeline
    ledger: TrialLedger
    limits: ResourceLimits
    choice: SettingChoice
    bottleneck: Bottleneck
    predictions: tuple[Prediction, ...]
    first_predictions: FirstPredictions = field(default_factory=FirstPredictions)
    """What was predicted of each setting before it was measured."""
    excluding_limits: dict[str, str]
    """Limits that keep settings out, and what else is to be said, by their names."""
    remarks: tuple[str, ...] = ()
    """The same without limits that do not bind."""
    failure: str = ""
    spent_seconds: float = 0.0
    interrupted: bool = False
    made_at: tuple[str, int] | None = None
    """File and line where the user's DataLoader is made; None = there is none."""
    written_setting: Setting | None = None
    """What the code of the user says; None = the start setting."""
    has_own_batches: bool = False
    """A `batch_sampler` of the user decides how large batches are."""

    @property
    def undecided_reason(self) -> str:
        """Why nothing could be said, in one line; empty: something can."""
        return self.failure or self.choice.refusal


@contextlib.contextmanager
def open_search(
    request: TuningRequest,
) -> Generator[tuple[SettingSearch, TargetLoaded], None, None]:
    """A search over a loaded target; raises Refused or Lost where there is none."""
    limits = read_limits(
        max_workers=request.max_workers, memory_size=request.memory, ranks=request.ranks
    )
    most = limits.memory or 0
    request.watch("loading the target")
    target, step = request.target, request.step
    with TargetSession(target, step=step, max_memory=most, cpus=limits.rank_cpus) as session:
        loaded = session.wait_until_loaded(request.deadline)
        start = loaded.setting
        if request.batch_size is not None:
            refuse_batch_size(request.target, "--batch-size", loaded)
            start = msgspec.structs.replace(start, batch_size=request.batch_size)
        base = Pipeline(
            target=request.target,
            samples=loaded.samples,
            start=start,
            contents=Contents(bytes=0, shared_bytes=0, objects=0),
            cpus=limits.cpus,
            cpus_bound=limits.cpus_bound,
            start_method=loaded.start_method,
            pins=loaded.accelerator,
            host=_read_host(),
        )
        bench = TrialRunner(
            session=session,
            deadline=request.deadline,
            report_progress=request.watch,
            loading_seconds=time.monotonic() - request.begin_time,
        )
        yield SettingSearch(bench, limits, start, base, in_order_known=loaded.in_order), loaded


def refuse_batch_size(target: str, option: str, loaded_target: TargetLoaded) -> None:
    """Raise Refused where this option cannot say how large batches are."""
    if loaded_target.own_batches:
        message = f"{target}: {option}: its batch_sampler determines the batch size"
        raise TargetRefusedError(message)


def _read_host() -> Host | None:
    """The machine, so that nobody takes its figures for those of another one."""
    with contextlib.suppress(UnreadableError):
        return read_host(Machine())
    return None


@dataclass(frozen=True, kw_only=True)
class SearchAttempt:
    """What a search came to; `failure` says why it is less than it could be."""

    search: SettingSearch
    loaded_target: TargetLoaded
    failure: str = ""
    interrupted: bool = False


def accept_any(search: SettingSearch, loaded_target: TargetLoaded) -> None:
    """Refuse no target that could be loaded."""


def run_search(
    request: TuningRequest,
    measure: Callable[[SettingSearch], None],
    *,
    validate: Callable[[SettingSearch, TargetLoaded], None] = accept_any,
) -> SearchAttempt:
    """
    Load and measure a target; raises Refused, or Lost before anything is known.

    `before` may raise Refused for what was loaded.
    """
    trouble, interrupted = "", False
    with open_search(request) as (search, loaded):
        validate(search, loaded)
        try:
            measure(search)
        except (TrialFailedError, TargetLostError) as reason:
            trouble = str(reason)
        except KeyboardInterrupt:
            interrupted = True
    return SearchAttempt(
        search=search, loaded_target=loaded, failure=trouble, interrupted=interrupted
    )


def tune(request: TuningRequest) -> Tuning:
    """Find the best setting; raises Refused, or Lost before anything is known."""
    return conclude_tuning(request, run_search(request, SettingSearch.run))


def conclude_tuning(request: TuningRequest, attempt: SearchAttempt) -> Tuning:
    """Build the tuning that a search attempt has come to."""
    loaded, start = attempt.loaded_target, attempt.search.start
    if start.pin_memory and not loaded.accelerator:
        attempt.search.notes["pin_memory"] = UNPINNED_NOTE
    tuning = build_tuning(
        request,
        attempt.search,
        failure=attempt.failure,
        interrupted=attempt.interrupted,
    )
    return replace(
        tuning,
        made_at=loaded.made_at,
        written_setting=loaded.setting,
        has_own_batches=loaded.own_batches,
    )


def _add_notes(search: SettingSearch, setting: Setting) -> None:
    if setting.num_workers == search.limits.max_workers:
        search.excluding_limits["workers"] = search.limits.workers_message
    if search.runner.has_copies:
        search.notes["copies"] = COPIES_NOTE


def build_tuning(
    request: TuningRequest,
    search: SettingSearch,
    *,
    failure: str = "",
    interrupted: bool = False,
) -> Tuning:
    """Everything that can be said of a search now."""
    seen = search.build_pipeline()
    model = ThroughputModel(pipeline=seen)
    has_costs = any(trial.costs for trial in seen.trials)
    guesses = tuple(search.predict_candidates(model)) if has_costs else ()
    tries = {str(t.setting): search.ledger.count_tries(t) for t in seen.trials}
    choice = choose_setting(seen, tries)
    if failure or choice.refusal:  # nothing is decided, so nothing is changed
        choice = replace(choice, setting=seen.start, trial=choice.start_trial)
    if search.limits.unshared_reason:
        search.notes["ranks"] = search.limits.unshared_reason
        choice = replace(choice, confidence="possible")
    _add_notes(search, choice.setting)
    binds = (
        find_binding_limits(search, model, choice.setting) if has_costs else search.excluding_limits
    )
    skipped = {**search.excluding_limits, **search.notes}
    return Tuning(
        request=request,
        pipeline=msgspec.structs.replace(seen, best=choice.setting, limits=skipped),
        ledger=search.ledger,
        limits=search.limits,
        choice=choice,
        bottleneck=classify_bottleneck(seen),
        predictions=guesses,
        first_predictions=search.first_predictions,
        excluding_limits=skipped,
        remarks=(*binds.values(), *search.notes.values()),
        failure=failure,
        spent_seconds=time.monotonic() - request.begin_time,
        interrupted=interrupted,
    )
