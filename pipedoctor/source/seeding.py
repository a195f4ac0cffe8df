"""Who seeds which generator: datasets, and functions that start workers."""

import ast

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope

_SEEDS = {
    "random.seed",
    "numpy.random.seed",
    "torch.manual_seed",
    "torch.cuda.manual_seed_all",
    "pytorch_lightning.seed_everything",
}


_FRESH = {"initial_seed", "get_worker_info", "seed_all_rng", "worker_info"}
"""What a seed comes from that torch makes anew for each epoch."""
_RESTORES = {
    "random.setstate",
    "numpy.random.set_state",
    "torch.set_rng_state",
    "torch.random.set_rng_state",
    "torch.random.fork_rng",
}


def _called(scope: Scope) -> list[ast.expr]:
    return [one.node.func for one in scope.calls if isinstance(one.node, ast.Call)]


def seeds(recorder: Recorder, scope: Scope) -> None:
    """Global generators that are set by a dataset, and not put back afterwards."""
    if any(recorder.name(one, scope) in _RESTORES for one in _called(scope)):
        return
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
                constant=value.known or _configured(node.args[0], scope),
                method=scope.name.rpartition(".")[2],
            )


def _configured(node: ast.expr, scope: Scope) -> bool:
    """``hparams.seed``: the same each time, whatever its value."""
    named = isinstance(node, ast.Attribute) and "seed" in node.attr
    return named and scope.name.endswith("__init__")


def in_items(recorder: Recorder, scope: Scope) -> None:
    """Code for items that seeds by the number of its worker: alike in every epoch."""
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call) or len(node.args) != 1:
            continue
        name = recorder.name(node.func, scope)
        if name in _SEEDS and _is_worker_id(node.args[0]):
            recorder.add(
                "worker-seed",
                scope,
                step,
                name,
                fresh=False,
                by_worker=True,
                by_time=False,
            )


def _is_worker_id(node: ast.expr) -> bool:
    """``worker_info.id``, itself."""
    while isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        node = node.left
    if not (isinstance(node, ast.Attribute) and node.attr == "id"):
        return False
    return "worker" in ast.unparse(node.value)


def _tried(scope: Scope) -> bool:
    """Does it stand in ``if __name__ == "__main__":`` of a file that trains nothing?"""
    trains = any(
        isinstance(step.node, ast.Call) and last_name(step.node.func) == "backward"
        for one in scope.module.scopes
        for step in one.calls
    )
    return not trains and any(
        isinstance(node, ast.If)
        and "__name__" in ast.unparse(node.test)
        and any(part is scope.node for one in node.body for part in ast.walk(one))
        for node in scope.module.text.tree.body
    )


def _first_word(recorder: Recorder, scope: Scope, node: ast.Call) -> bool:
    """
    ``get_state()[1][0] + worker_id``: the first word is no seed, and stays the same.

    Torch seeds numpy in each worker with several words, after which numpy's state
    begins with 2**31 whatever they were.
    """
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.slice, ast.Constant)
        and part.slice.value == 0
        and any(
            isinstance(one, ast.Call)
            and recorder.name(one.func, scope) == "numpy.random.get_state"
            for one in ast.walk(part.value)
        )
        for given in node.args
        for part in ast.walk(given)
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
                fresh=bool(names & _FRESH) and not _first_word(recorder, scope, node),
                by_worker=worker in names,
                demo=_tried(scope),
                by_time=bool(names & {"time", "time_ns", "now", "urandom"}),
            )
