"""The costs of a pipeline as they would be after a remedy in code."""

from collections.abc import Callable

from msgspec.structs import replace

from pipedoctor.check import Counterfactual
from pipedoctor.facts import Costs, Pipeline, Trial
from pipedoctor.tune.sharing import crowded

FEW = 4
"""Tensors that values, their lengths and labels take."""
_LEAST = 1e-9
Change = Callable[[Costs], Costs]


def altered(seen: Pipeline, wanted: Counterfactual) -> list[Pipeline]:
    """
    Pipelines with other costs; two where nobody knows which, none if none change.

    Threads of a library may have spun or worked: either all of their time goes, or it
    is done by the one thread that is left.
    """
    if wanted.one_thread and crowded(seen):
        return [
            _with(seen, _spun),
            _with(seen, _worked),
        ]
    if wanted.faultless and seen.fault_seconds:
        return [_with(seen, lambda c: _faultless(c, seen.fault_seconds))]
    if wanted.uncollected and any(t.costs and t.costs.collector for t in seen.trials):
        calm = replace(seen, items=())  # whose spread is the collector's
        return [_with(calm, lambda c: _less(c, c.collector))]
    if (spared := _spared(seen, wanted)) is not None:
        return [_with(seen, spared)]
    if wanted.packed and seen.contents.objects > FEW:
        share = FEW / seen.contents.objects
        fewer = replace(seen.contents, objects=FEW)
        return [replace(_with(seen, lambda c: _packed(c, share)), contents=fewer)]
    return []


def _spared(seen: Pipeline, wanted: Counterfactual) -> Change | None:
    """Fetching with less to decode, or with fewer containers to open."""
    if seen.cpu is not None and wanted.decode != 1.0:
        decoding = seen.cpu.decode * (1 - 1 / wanted.decode)
        return lambda c: _less(c, c.fetch_cpu * decoding)
    if seen.cpu is not None and seen.wall is not None and wanted.opened:
        wall, cpu = (wanted.opened * of.opened for of in (seen.wall, seen.cpu))
        return lambda c: _unopened(c, wall, cpu)
    return None


def _with(seen: Pipeline, change: Change) -> Pipeline:
    trials = tuple(_other(trial, change) for trial in seen.trials)
    return replace(seen, trials=trials)


def _other(trial: Trial, change: Change) -> Trial:
    if trial.costs is None:
        return trial
    return replace(trial, costs=change(trial.costs))


def _spun(costs: Costs) -> Costs:
    more = max(0.0, costs.fetch_process - costs.fetch_cpu)
    return replace(
        costs,
        fetch_process=costs.fetch_process - more,
        process=max(_LEAST, costs.process - more),
    )


def _worked(costs: Costs) -> Costs:
    more = max(0.0, costs.fetch_process - costs.fetch_cpu)
    return replace(
        costs,
        fetch_cpu=costs.fetch_cpu + more,
        fetch_wall=costs.fetch_wall + more,
    )


def _faultless(costs: Costs, each: float) -> Costs:
    return _less(costs, min(costs.fetch_faults * each, 0.9 * costs.fetch_cpu))


def _packed(costs: Costs, share: float) -> Costs:
    """Small tensors cost by the piece, and there are fewer of them."""
    received = costs.receive_cpu * (1 - share)
    return replace(
        costs,
        send_wall=costs.send_wall * share,
        send_cpu=costs.send_cpu * share,
        process=max(_LEAST, costs.process - costs.send_cpu * (1 - share)),
        receive_wall=costs.receive_wall * share,
        receive_cpu=costs.receive_cpu * share,
        next_cpu=max(0.0, costs.next_cpu - received),
    )


def _unopened(costs: Costs, wall: float, cpu: float) -> Costs:
    """Fetching takes these shares of its time less."""
    seconds = costs.fetch_cpu * cpu
    left = costs.fetch_wall - max(seconds, costs.fetch_wall * wall)
    return replace(_less(costs, seconds), fetch_wall=max(_LEAST, left))


def _less(costs: Costs, seconds: float) -> Costs:
    """Fetching takes so many seconds of CPU less."""
    return replace(
        costs,
        fetch_cpu=max(_LEAST, costs.fetch_cpu - seconds),
        fetch_wall=max(_LEAST, costs.fetch_wall - seconds),
        fetch_process=max(_LEAST, costs.fetch_process - seconds),
        process=max(_LEAST, costs.process - seconds),
    )
