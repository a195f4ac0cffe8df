"""What each remedy would save of an epoch, by the pipeline that was measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from pipedoctor.check import EPOCH, Counterfactual, Finding, Gain, Severity, Verdict
from pipedoctor.facts import Facts, Pipeline, Setting, Source
from pipedoctor.facts.bench import ENOUGH
from pipedoctor.facts.source import LoaderCall, Spot
from pipedoctor.tune.altered import altered
from pipedoctor.tune.plausible import imaginable, plausible, possible
from pipedoctor.tune.predict import Model, Prediction, World, alike
from pipedoctor.tune.startup import ending, late

_PREFETCH = 2
_MOST = 64
_FEW = 256
"""Batches of an epoch in which it counts that queues fill and run empty."""


@dataclass(frozen=True, kw_only=True)
class Epoch:
    """How long an epoch takes, start of the workers included; `error` is relative."""

    seconds: float
    error: float
    measured: bool


def priced(facts: Facts, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts; findings whose remedy can be foretold have its gain."""
    seen = facts.get(Pipeline)
    if seen is None or seen.blank or not _known(seen):
        return list(verdicts)
    code = facts.get(Source) or Source()
    return [
        replace(v, findings=tuple(_priced(f, seen, code) for f in v.findings))
        for v in verdicts
    ]


def _known(seen: Pipeline) -> bool:
    """Was the setting of now measured, and one of which every cost is known?"""
    now = any(alike(trial.setting, seen.start) for trial in seen.trials)
    costs = any(trial.costs is not None for trial in seen.trials)
    return now and costs and plausible(seen)


def _priced(finding: Finding, seen: Pipeline, code: Source) -> Finding:
    wanted = finding.counterfactual
    if wanted is None or not concerns(finding, seen, code):
        return finding
    gain = foretold(seen, wanted)
    if gain is None:
        return finding
    harms = gain.basis == "measured" and gain.high < 0
    mild = harms and finding.severity is Severity.SLOWS
    severity = Severity.NOTE if mild else finding.severity
    return replace(finding, gain=gain, severity=severity)


def concerns(finding: Finding, seen: Pipeline, code: Source) -> bool:
    """Is it about the loader that was measured, and not about another one?"""
    place = finding.location
    if place is None:
        return True
    calls = [c for c in code.loaders if not c.testing]
    here = [c for c in calls if _within(place.path, place.line, c)]
    if here and seen.made_at is not None:
        return any(_within(seen.made_at.path, seen.made_at.line, c) for c in here)
    same = seen.made_at is not None and seen.made_at.path == place.path
    return len(calls) <= 1 or (same and not here)


def _within(path: str, line: int, call: LoaderCall) -> bool:
    at: Spot = call.at
    return at.path == path and at.line <= line <= (at.end_line or at.line)


def foretold(
    seen: Pipeline, wanted: Counterfactual, arrived: Setting | None = None
) -> Gain | None:
    """
    The gain of a remedy; None where it changes nothing that was measured.

    `arrived` is the setting that it has led to, where that is known already.
    """
    if wanted.blas and (known := _one_thread(seen)) is not None:
        return known
    setting = arrived or changed(seen, wanted)
    unknown = (wanted.uint8 and not seen.contents.float_bytes) or (
        wanted.opened and (seen.wall is None or seen.cpu is None)
    )
    if setting is None or unknown:
        return None
    if not (possible(setting) and imaginable(wanted)):
        return None
    now, then = epoch(seen, seen.start), epoch(seen, setting, wanted)
    left = then.seconds / now.seconds
    error = math.hypot(now.error, then.error)
    return Gain(
        value=1 - left,
        low=1 - left * math.exp(error),
        high=1 - left * math.exp(-error),
        unit=EPOCH,
        basis="measured" if now.measured and then.measured else "modelled",
        seconds=None if seen.samples is None else now.seconds - then.seconds,
    )


def _one_thread(seen: Pipeline) -> Gain | None:
    """What one thread for numpy's BLAS saves, where that was measured."""
    found = seen.threads
    if found is None or found.ratio.windows < ENOUGH or not seen.start.num_workers:
        return None
    gain = Gain.faster(found.ratio, EPOCH)
    if seen.samples is None:
        return gain
    return replace(gain, seconds=gain.value * epoch(seen, seen.start).seconds)


def changed(seen: Pipeline, wanted: Counterfactual) -> Setting | None:
    """The setting that the remedy leads to; None: there is none to compare with."""
    start = seen.start
    if wanted.freed:
        return _freed(seen, wanted.freed)
    if wanted.tuned:
        return seen.best
    workers = start.num_workers if wanted.workers is None else wanted.workers
    kept = start.persistent_workers if wanted.persistent is None else wanted.persistent
    ordered = start.in_order if wanted.in_order is None else wanted.in_order
    return replace(
        start,
        num_workers=workers,
        prefetch_factor=(start.prefetch_factor or _PREFETCH) if workers else None,
        persistent_workers=bool(workers and kept),
        in_order=ordered or not workers,
    )


def _freed(seen: Pipeline, limit: str) -> Setting | None:
    """The best setting if this limit did not keep it out; None: it keeps out none."""
    if limit not in seen.limits:
        return None
    model = Model(seen=seen)
    most = min(_MOST, 4 * math.ceil(seen.cpus))
    settings = (
        changed(seen, Counterfactual(workers=number)) for number in range(most + 1)
    )
    guesses = [model.predict(setting) for setting in settings if setting is not None]
    return max(guesses, key=lambda g: g.samples_per_second).setting


def epoch(
    seen: Pipeline, setting: Setting, wanted: Counterfactual | None = None
) -> Epoch:
    """An epoch with this setting, in the world of the counterfactual."""
    wanted = wanted or Counterfactual()
    world = World(cores=wanted.cores, storage=wanted.storage, uint8=wanted.uint8)
    model = Model(seen=seen, world=world)
    factors = [_steady(other, setting) for other in altered(seen, wanted)]
    if not factors:
        return _epoch(model, setting)
    usual = _steady(seen, setting)
    ratios = [math.log(factor / usual) for factor in factors]
    middle = sum(ratios) / len(ratios)
    return _epoch(model, setting, math.exp(middle), max(ratios) - min(ratios))


def _steady(seen: Pipeline, setting: Setting) -> float:
    """Seconds of a batch by the simulation alone."""
    return Model(seen=seen, corrected=False).predict(setting).batch_seconds


def _epoch(
    model: Model, setting: Setting, factor: float = 1.0, apart: float = 0.0
) -> Epoch:
    guess = model.predict(setting)
    error = math.log(guess.high / guess.low) / 2
    return Epoch(
        seconds=_seconds(model, guess, factor),
        error=math.hypot(error, apart / 2),
        measured=guess.measured and factor == 1.0,
    )


def _seconds(model: Model, guess: Prediction, factor: float) -> float:
    """An epoch with its workers' start and end; without an end, one batch."""
    seen, setting = model.seen, guess.setting
    batch, each = setting.batch_size or 1, guess.batch_seconds * factor
    batches = (seen.samples or batch) / batch * seen.copies(setting)
    if seen.samples is None or not setting.num_workers:
        return each * batches
    kept = setting.persistent_workers
    ends = 0.0 if kept else ending(seen, setting.num_workers)
    if batches > _FEW:
        return each * batches + _startup(seen, guess) + ends
    slower = each / model.course(setting).batch_seconds
    made = model.whole(setting, 1).first
    behind = [] if kept else late(seen, setting.num_workers, made * slower)
    run = model.whole(
        setting, max(1, round(batches)), [seconds / slower for seconds in behind]
    )
    start = 0.0 if kept else guess.first_batch_seconds - made * slower
    return max(0.0, start) + run.seconds * slower + ends


def _startup(seen: Pipeline, guess: Prediction) -> float:
    """Seconds at the beginning of every epoch until workers deliver."""
    if not guess.setting.num_workers:
        return 0.0
    if guess.setting.persistent_workers:  # they wait, but their queues are empty
        return max(0.0, _made(seen, guess) - guess.wait_seconds)
    return max(0.0, guess.first_batch_seconds - guess.batch_seconds)


def _made(seen: Pipeline, guess: Prediction) -> float:
    """Seconds in which one worker makes a batch and hands it over."""
    known = [trial for trial in seen.trials if trial.costs and trial.costs_of]
    found = min(known, key=lambda trial: trial.costs_of, default=None)
    if found is None or found.costs is None:
        return 0.0
    costs = found.costs
    batch = seen.scale(guess.setting)
    made = costs.fetch_wall + costs.collate_wall + costs.send_wall + costs.receive_wall
    return batch * made
