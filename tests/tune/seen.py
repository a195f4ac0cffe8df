"""Probed pipelines, made by hand."""

from typing import Any

from pipedoctor.facts import Contents, Costs, Pipeline, Setting, Shares, Trial, Window


def window(**values: Any) -> Window:
    full: dict[str, Any] = {"seconds": 1.0, "cpus": 2.0, "own": 1.0, "foreign": 0.0}
    full |= values
    return Window(**full)


def costs(**values: Any) -> Costs:
    full: dict[str, Any] = {"fetch_wall": 0.02, "fetch_cpu": 0.02}
    full |= {"fetch_process": 0.02, **values}
    full.setdefault("process", full["fetch_process"])
    full.setdefault("next_cpu", full.get("receive_cpu", 0.0))
    return Costs(**full)


def setting(workers: int, prefetch: int | None = 2, **values: Any) -> Setting:
    return Setting(
        num_workers=workers,
        prefetch_factor=prefetch if workers else None,
        batch_size=values.pop("batch_size", 16),
        **values,
    )


def trial(workers: int, seconds: float, **values: Any) -> Trial:
    given = values.pop("setting", setting(workers))
    full: dict[str, Any] = {
        "setting": given,
        "batch_seconds": seconds,
        "samples_per_second": 16 / seconds,
        "wait_seconds": seconds,
        "spread": 0.01,
        "batches": 50,
        "first_batch_seconds": 0.1 + 0.02 * workers,
        "memory_bytes": workers * 10_000_000,
        "costs": costs(),
        "window": window(),
        **values,
    }
    return Trial(**full)


def pipeline(*trials: Trial, **values: Any) -> Pipeline:
    full: dict[str, Any] = {
        "target": "data.py:make",
        "samples": 10**6,
        "start": setting(0),
        "contents": Contents(bytes=800_000, shared_bytes=802_816, objects=2),
        "cpus": 2.0,
        "trials": trials,
        "fault_seconds": 5e-7,
        "wall": Shares(read=0.1, decode=0.1, transform=0.8),
        "cpu": Shares(read=0.1, decode=0.1, transform=0.8),
        **values,
    }
    return Pipeline(**full)
