"""The costs of a pipeline as they would be after a remedy in code."""

from collections.abc import Callable

from msgspec.structs import replace

from pipedoctor.bottleneck.contention import has_busy_threads
from pipedoctor.check import Counterfactual
from pipedoctor.facts import Costs, Pipeline, Trial

PACKED_TENSORS = 4
"""Tensors that values, their lengths and labels take."""
_MIN_SECONDS = 1e-9
CostChange = Callable[[Costs], Costs]


def apply_counterfactual(pipeline: Pipeline, counterfactual: Counterfactual) -> list[Pipeline]:
    """
    Pipelines with other costs; two where nobody knows which, none if none change.

    Threads of a library may have spun or worked: either all of their time goes, or it
    is done by the one thread that is left.
    """
    if counterfactual.one_thread and has_busy_threads(pipeline):
        return [
            _change_costs(pipeline, _remove_spinning),
            _change_costs(pipeline, _serialise_threads),
        ]
    if counterfactual.faultless and pipeline.fault_seconds:
        return [_change_costs(pipeline, lambda c: _remove_faults(c, pipeline.fault_seconds))]
    if counterfactual.uncollected and any(t.costs and t.costs.collector for t in pipeline.trials):
        calm = replace(pipeline, items=())  # whose spread is the collector's
        return [_change_costs(calm, lambda c: _reduce_fetching(c, c.collector))]
    if (spared := _find_fetch_change(pipeline, counterfactual)) is not None:
        return [_change_costs(pipeline, spared)]
    if counterfactual.packed and pipeline.contents.objects > PACKED_TENSORS:
        share = PACKED_TENSORS / pipeline.contents.objects
        fewer = replace(pipeline.contents, objects=PACKED_TENSORS)
        return [
            replace(
                _change_costs(pipeline, lambda c: _pack_tensors(c, share)),
                contents=fewer,
            )
        ]
    return []


def _find_fetch_change(pipeline: Pipeline, counterfactual: Counterfactual) -> CostChange | None:
    """Fetching with less to decode, or with fewer containers to open."""
    if pipeline.cpu is not None and counterfactual.decode != 1.0:
        decoding = pipeline.cpu.decode * (1 - 1 / counterfactual.decode)
        return lambda c: _reduce_fetching(c, c.fetch_cpu * decoding)
    if pipeline.cpu is not None and pipeline.wall is not None and counterfactual.opened:
        wall, cpu = (counterfactual.opened * of.opened for of in (pipeline.wall, pipeline.cpu))
        return lambda c: _remove_opening(c, wall, cpu)
    return None


def _change_costs(pipeline: Pipeline, change: CostChange) -> Pipeline:
    trials = tuple(_change_trial(trial, change) for trial in pipeline.trials)
    return replace(pipeline, trials=trials)


def _change_trial(trial: Trial, change: CostChange) -> Trial:
    if trial.costs is None:
        return trial
    return replace(trial, costs=change(trial.costs))


def _remove_spinning(costs: Costs) -> Costs:
    more = max(0.0, costs.fetch_process - costs.fetch_cpu)
    return replace(
        costs,
        fetch_process=costs.fetch_process - more,
        process=max(_MIN_SECONDS, costs.process - more),
    )


def _serialise_threads(costs: Costs) -> Costs:
    more = max(0.0, costs.fetch_process - costs.fetch_cpu)
    return replace(
        costs,
        fetch_cpu=costs.fetch_cpu + more,
        fetch_wall=costs.fetch_wall + more,
    )


def _remove_faults(costs: Costs, fault_seconds: float) -> Costs:
    return _reduce_fetching(costs, min(costs.fetch_faults * fault_seconds, 0.9 * costs.fetch_cpu))


def _pack_tensors(costs: Costs, share: float) -> Costs:
    """Small tensors cost by the piece, and there are fewer of them."""
    received = costs.receive_cpu * (1 - share)
    return replace(
        costs,
        send_wall=costs.send_wall * share,
        send_cpu=costs.send_cpu * share,
        process=max(_MIN_SECONDS, costs.process - costs.send_cpu * (1 - share)),
        receive_wall=costs.receive_wall * share,
        receive_cpu=costs.receive_cpu * share,
        next_cpu=max(0.0, costs.next_cpu - received),
    )


def _remove_opening(costs: Costs, wall: float, cpu: float) -> Costs:
    """Fetching takes these shares of its time less."""
    seconds = costs.fetch_cpu * cpu
    left = costs.fetch_wall - max(seconds, costs.fetch_wall * wall)
    return replace(_reduce_fetching(costs, seconds), fetch_wall=max(_MIN_SECONDS, left))


def _reduce_fetching(costs: Costs, seconds: float) -> Costs:
    """Fetching takes so many seconds of CPU less."""
    return replace(
        costs,
        fetch_cpu=max(_MIN_SECONDS, costs.fetch_cpu - seconds),
        fetch_wall=max(_MIN_SECONDS, costs.fetch_wall - seconds),
        fetch_process=max(_MIN_SECONDS, costs.fetch_process - seconds),
        process=max(_MIN_SECONDS, costs.process - seconds),
    )
