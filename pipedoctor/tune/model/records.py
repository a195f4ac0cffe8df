"""Settings and predictions as plain data, for every JSON that has them."""

from typing import Any

from pipedoctor.facts import Setting
from pipedoctor.tune.model.predict import Prediction


def describe_setting(setting: Setting) -> dict[str, Any]:
    """The arguments, as DataLoader takes them."""
    return {
        name: getattr(setting, name)
        for name in (
            "num_workers",
            "prefetch_factor",
            "in_order",
            "pin_memory",
            "persistent_workers",
            "batch_size",
        )
    }


def describe_prediction(prediction: Prediction | None) -> dict[str, Any] | None:
    """A prediction with its interval."""
    if prediction is None:
        return None
    return {
        "samples_per_second": prediction.samples_per_second,
        "low": prediction.low,
        "high": prediction.high,
        "wait_seconds": prediction.wait_seconds,
        "first_batch_seconds": prediction.first_batch_seconds,
        "shm_bytes": prediction.shm_bytes,
        "memory_bytes": prediction.memory_bytes,
        "memory_epoch_bytes": prediction.memory_epoch_bytes,
        "descriptors": prediction.descriptors,
        "most_descriptors": prediction.most_descriptors,
        "between": {"wait_seconds": prediction.wait_interval, **prediction.intervals},
        "basis": "measured" if prediction.measured else "modelled",
    }
