"""A tuning as JSON: schema `pipedoctor.tuning/1`."""

from typing import Any

from pipedoctor.facts import Facts, Trial
from pipedoctor.tune.model.first_predictions import FirstPrediction
from pipedoctor.tune.model.predict import Prediction, is_same_load
from pipedoctor.tune.model.records import describe_prediction, describe_setting
from pipedoctor.tune.search.tuning import Tuning

SCHEMA = "pipedoctor.tuning/1"
_Z_90 = 1.65


def build_record(tuning: Tuning) -> dict[str, Any]:
    """Plain data of everything that was found."""
    choice, seen = tuning.choice, tuning.pipeline
    return {
        "schema": SCHEMA,
        "target": tuning.request.target,
        "recommended": describe_setting(choice.setting),
        "current": describe_setting(seen.start),
        "confidence": choice.confidence,
        "bottleneck": tuning.bottleneck.name,
        "why": tuning.bottleneck.reason,
        "evidence": tuning.bottleneck.evidence,
        "predicted": _describe_recommended(tuning),
        "measured": describe_measured(choice.trial),
        "measured_current": describe_measured(choice.start_trial),
        "gain": choice.gain,
        "trials": [describe_trial(t, tuning) for t in tuning.ledger.trials],
        "predictions": [describe_map_cell(p) for p in tuning.predictions],
        "stages": compute_stage_seconds(tuning),
        "spent_seconds": tuning.spent_seconds,
        "limits": {
            **tuning.limits.to_record(),
            "binding": list(tuning.excluding_limits.values()),
            "decisive": list(tuning.remarks),
        },
        "trouble": tuning.undecided_reason or None,
        "interrupted": tuning.interrupted,
        "facts": Facts(seen).to_record(),
    }


def describe_first_prediction(
    prediction: FirstPrediction | None,
) -> dict[str, Any] | None:
    """What was predicted before the first window, and the gain that this was."""
    if prediction is None:
        return None
    low, high = prediction.gain_interval
    return {
        "samples_per_second": prediction.prediction.samples_per_second,
        "low": prediction.prediction.low,
        "high": prediction.prediction.high,
        "wait_seconds": prediction.prediction.wait_seconds,
        "gain": prediction.gain,
        "gain_low": low,
        "gain_high": high,
    }


def _describe_recommended(tuning: Tuning) -> dict[str, Any] | None:
    """
    What the recommended setting was predicted to give, before it was measured.

    Sizes are those that are known now; where there was nothing to go by, so is all
    the rest, and its basis is *measured*.
    """
    setting = tuning.choice.setting
    now = next((p for p in tuning.predictions if is_same_load(p.setting, setting)), None)
    before = tuning.first_predictions.find(setting)
    if before is None:
        return describe_prediction(now)
    sizes = describe_prediction(now) or {}
    between = sizes.get("between", {}) | {"wait_seconds": before.prediction.wait_interval}
    prediction = describe_first_prediction(before) or {}
    return {**sizes, **prediction, "between": between, "basis": "modelled"}


def describe_measured(trial: Trial | None) -> dict[str, Any] | None:
    """All windows of a setting together, with their interval."""
    if trial is None:
        return None
    rate, error = trial.samples_per_second, trial.spread or 0.03
    return {
        "samples_per_second": rate,
        "low": rate * (1 - _Z_90 * error),
        "high": rate * (1 + _Z_90 * error),
        "wait_seconds": trial.wait_seconds,
        "first_batch_seconds": trial.first_batch_seconds,
        "disturbed": trial.disturbance or None,
    }


def describe_trial(trial: Trial, tuning: Tuning) -> dict[str, Any]:
    """One window."""
    contents = tuning.pipeline.contents
    return {
        **describe_setting(trial.setting),
        "samples_per_second": trial.samples_per_second,
        "predicted": describe_first_prediction(tuning.first_predictions.find(trial.setting)),
        "first_batch_seconds": trial.first_batch_seconds,
        "wait_seconds": trial.wait_seconds,
        "shm_bytes": trial.setting.compute_shm_bytes(contents.shared_bytes),
        "memory_bytes": trial.memory_bytes,
        "descriptors": trial.descriptors,
        "descriptors_needed": trial.setting.count_descriptors(contents.objects),
        "seconds_spent": trial.seconds_spent,
        "foreign_cores": trial.window.foreign_cores,
        "disturbed": trial.disturbance or None,
    }


def describe_map_cell(prediction: Prediction) -> dict[str, Any]:
    """One cell of the map."""
    return {
        "num_workers": prediction.setting.num_workers,
        "prefetch_factor": prediction.setting.prefetch_factor,
        "in_order": prediction.setting.in_order,
        **(describe_prediction(prediction) or {}),
    }


def compute_stage_seconds(tuning: Tuning) -> dict[str, float] | None:
    """Seconds per sample of each stage, in one process."""
    seen = tuning.pipeline
    trials = [t for t in seen.trials if t.costs]
    if not trials or seen.wall is None:
        return None
    costs = min(trials, key=lambda t: t.costs_workers).costs
    worker = next((t.costs for t in trials if t.costs_workers), None)
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
