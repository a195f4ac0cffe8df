"""A tuning as JSON: schema `pipedoctor.tuning/1`."""

from typing import Any

from pipedoctor.facts import Facts, Setting, Trial
from pipedoctor.tune.foretold import Foretold
from pipedoctor.tune.predict import Prediction, alike
from pipedoctor.tune.tuning import Tuning

SCHEMA = "pipedoctor.tuning/1"
_Z = 1.65


def record(tuning: Tuning) -> dict[str, Any]:
    """Plain data of everything that was found."""
    choice, seen = tuning.choice, tuning.seen
    return {
        "schema": SCHEMA,
        "target": tuning.order.target,
        "recommended": setting(choice.setting),
        "current": setting(seen.start),
        "confidence": choice.confidence,
        "bottleneck": tuning.bottleneck.name,
        "why": tuning.bottleneck.why,
        "evidence": tuning.bottleneck.evidence,
        "predicted": _known(tuning),
        "measured": measured(choice.trial),
        "measured_current": measured(choice.start),
        "gain": choice.gain,
        "trials": [trial(t, tuning) for t in tuning.ledger.trials],
        "predictions": [prediction(p) for p in tuning.predictions],
        "stages": stages(tuning),
        "spent_seconds": tuning.spent,
        "limits": {
            **tuning.bounds.told(),
            "binding": list(tuning.skipped.values()),
            "decisive": list(tuning.said),
        },
        "trouble": tuning.unmeasured or None,
        "interrupted": tuning.interrupted,
        "facts": Facts(seen).to_record(),
    }


def setting(of: Setting) -> dict[str, Any]:
    """The arguments, as DataLoader takes them."""
    return {
        name: getattr(of, name)
        for name in (
            "num_workers",
            "prefetch_factor",
            "in_order",
            "pin_memory",
            "persistent_workers",
            "batch_size",
        )
    }


def rates(guess: Prediction | None) -> dict[str, Any] | None:
    """A prediction with its interval."""
    if guess is None:
        return None
    return {
        "samples_per_second": guess.samples_per_second,
        "low": guess.low,
        "high": guess.high,
        "wait_seconds": guess.wait_seconds,
        "first_batch_seconds": guess.first_batch_seconds,
        "shm_bytes": guess.shm_bytes,
        "memory_bytes": guess.memory_bytes,
        "memory_epoch_bytes": guess.memory_epoch_bytes,
        "descriptors": guess.descriptors,
        "most_descriptors": guess.most_descriptors,
        "between": {"wait_seconds": guess.wait_between, **guess.between},
        "basis": "measured" if guess.measured else "modelled",
    }


def predicted(found: Foretold | None) -> dict[str, Any] | None:
    """What was predicted before the first window, and the gain that this was."""
    if found is None:
        return None
    low, high = found.between
    return {
        "samples_per_second": found.guess.samples_per_second,
        "low": found.guess.low,
        "high": found.guess.high,
        "wait_seconds": found.guess.wait_seconds,
        "gain": found.gain,
        "gain_low": low,
        "gain_high": high,
    }


def _known(tuning: Tuning) -> dict[str, Any] | None:
    """
    What the recommended setting was predicted to give, before it was measured.

    Sizes are those that are known now; where there was nothing to go by, so is all
    the rest, and its basis is *measured*.
    """
    wanted = tuning.choice.setting
    now = next((p for p in tuning.predictions if alike(p.setting, wanted)), None)
    before = tuning.foresight.of(wanted)
    if before is None:
        return rates(now)
    sizes = rates(now) or {}
    between = sizes.get("between", {}) | {"wait_seconds": before.guess.wait_between}
    told = predicted(before) or {}
    return {**sizes, **told, "between": between, "basis": "modelled"}


def measured(trial: Trial | None) -> dict[str, Any] | None:
    """All windows of a setting together, with their interval."""
    if trial is None:
        return None
    rate, error = trial.samples_per_second, trial.spread or 0.03
    return {
        "samples_per_second": rate,
        "low": rate * (1 - _Z * error),
        "high": rate * (1 + _Z * error),
        "wait_seconds": trial.wait_seconds,
        "first_batch_seconds": trial.first_batch_seconds,
        "disturbed": trial.disturbed or None,
    }


def trial(of: Trial, tuning: Tuning) -> dict[str, Any]:
    """One window."""
    contents = tuning.seen.contents
    return {
        **setting(of.setting),
        "samples_per_second": of.samples_per_second,
        "predicted": predicted(tuning.foresight.of(of.setting)),
        "first_batch_seconds": of.first_batch_seconds,
        "wait_seconds": of.wait_seconds,
        "shm_bytes": of.setting.shm_bytes(contents.shared_bytes),
        "memory_bytes": of.memory_bytes,
        "descriptors": of.descriptors,
        "descriptors_needed": of.setting.descriptors(contents.objects),
        "seconds_spent": of.seconds_spent,
        "foreign_cores": of.window.foreign_cores,
        "disturbed": of.disturbed or None,
    }


def prediction(guess: Prediction) -> dict[str, Any]:
    """One cell of the map."""
    return {
        "num_workers": guess.setting.num_workers,
        "prefetch_factor": guess.setting.prefetch_factor,
        "in_order": guess.setting.in_order,
        **(rates(guess) or {}),
    }


def stages(tuning: Tuning) -> dict[str, float] | None:
    """Seconds per sample of each stage, in one process."""
    seen = tuning.seen
    found = [t for t in seen.trials if t.costs]
    if not found or seen.wall is None:
        return None
    costs = min(found, key=lambda t: t.costs_of).costs
    worker = next((t.costs for t in found if t.costs_of), None)
    assert costs is not None  # noqa: S101  (filtered above)
    batch = seen.start.batch_size or 1
    moved = worker.send_wall + worker.receive_wall if worker else 0.0
    return {
        "read": costs.fetch_wall * seen.wall.read / batch,
        "decode": costs.fetch_wall * seen.wall.decode / batch,
        "transform": costs.fetch_wall * seen.wall.transform / batch,
        "collate": costs.collate_wall / batch,
        "transfer": moved / batch,
    }
