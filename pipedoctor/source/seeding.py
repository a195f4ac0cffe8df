"""Who seeds which generator: datasets, and functions that start workers."""

import ast

from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope

_SEEDS = {
    "random.seed",
    "numpy.random.seed",
    "torch.manual_seed",
    "torch.cuda.manual_seed_all",
    "pytorch_lightning.seed_everything",
}


def seeds(recorder: Recorder, scope: Scope) -> None:
    """Global generators that are set by a dataset."""
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = recorder.name(node.func, scope)
        if name in _SEEDS:
            value = recorder.values.of(node.args[0], scope)
            recorder.add(
                "global-seed",
                scope,
                step,
                name,
                constant=value.how in {"literal", "default", "inferred"},
                method=scope.name.rpartition(".")[2],
            )


def seeder(recorder: Recorder, scope: Scope) -> None:
    """A ``worker_init_fn``: what its seeds depend on."""
    names = {node.attr for node in scope.attributes} | {n.id for n in scope.loads}
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call):
            continue
        name = recorder.name(node.func, scope)
        if name in _SEEDS:
            worker = scope.parameters[0].arg if scope.parameters else ""
            line = (
                ast.Pass(
                    lineno=scope.node.lineno,
                    col_offset=0,
                    end_lineno=node.end_lineno,
                    end_col_offset=node.end_col_offset,
                )
                if not isinstance(scope.node, ast.Module)
                else node
            )
            recorder.add(
                "worker-seed",
                scope,
                step,
                name,
                node=line,
                fresh=bool(names & {"initial_seed", "get_worker_info", "seed_all_rng"})
                or "worker_info" in names,
                by_worker=worker in names,
                by_time=bool(names & {"time", "time_ns", "now", "urandom"}),
            )
