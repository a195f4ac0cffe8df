"""Who seeds which generator: datasets, and functions that start workers."""

import ast
from collections.abc import Iterable, Iterator

from pipedoctor.facts.code_events.seeds import GlobalSeed, WorkerSeed
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.syntax.context import CodeStep, FunctionNode
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import LocalFunctionValue

_SEED_FUNCTIONS = {
    "random.seed",
    "numpy.random.seed",
    "torch.manual_seed",
    "torch.cuda.manual_seed_all",
    "pytorch_lightning.seed_everything",
}


_INNER_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_FRESH_SEED_SOURCES = {
    *("initial_seed", "get_worker_info", "seed_all_rng", "worker_info"),
    *("uuid4", "urandom", "SystemRandom", "randbits", "token_bytes"),
}
"""What a seed comes from that torch makes again for each epoch, or the system for each call."""
_RESTORE_FUNCTIONS = {
    "random.setstate",
    "numpy.random.set_state",
    "torch.set_rng_state",
    "torch.random.set_rng_state",
    "torch.random.fork_rng",
}


def _called_functions(scope: CodeScope) -> list[ast.expr]:
    return [one.node.func for one in scope.calls if isinstance(one.node, ast.Call)]


def record_global_seeds(recorder: EventRecorder, scope: CodeScope) -> None:
    """Record global generators that a dataset seeds and does not restore afterwards."""
    if any(
        recorder.full_name_of(one, scope) in _RESTORE_FUNCTIONS for one in _called_functions(scope)
    ):
        return
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = recorder.full_name_of(node.func, scope)
        if name in _SEED_FUNCTIONS:
            value = recorder.values.resolve(node.args[0], scope)
            recorder.add_event(
                GlobalSeed(
                    constant=value.is_known or _is_configured_seed(node.args[0], scope),
                    method=scope.name.rpartition(".")[2],
                    argument=unparse_short(node.args[0]),
                ),
                scope,
                step,
                name,
            )


def _is_configured_seed(node: ast.expr, scope: CodeScope) -> bool:
    """``hparams.seed``: the same each time, whatever its value."""
    named = isinstance(node, ast.Attribute) and "seed" in node.attr
    return named and scope.name.endswith("__init__")


def record_item_seeds(recorder: EventRecorder, scope: CodeScope) -> None:
    """Code for items that seeds by the number of its worker, or with a constant."""
    restores = any(
        recorder.full_name_of(one, scope) in _RESTORE_FUNCTIONS for one in _called_functions(scope)
    )
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call) or len(node.args) != 1:
            continue
        name = recorder.full_name_of(node.func, scope)
        if name in _SEED_FUNCTIONS and _is_worker_id(node.args[0]):
            recorder.add_event(
                WorkerSeed(fresh=False, by_worker=True, by_time=False), scope, step, name
            )
        elif name in _SEED_FUNCTIONS and isinstance(node.args[0], ast.Constant):
            if not (restores or step.context.guards):
                method = scope.name.rpartition(".")[2]
                recorder.add_event(GlobalSeed(constant=True, method=method), scope, step, name)


def _is_worker_id(node: ast.expr) -> bool:
    """``worker_info.id``, itself."""
    while isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        node = node.left
    if not (isinstance(node, ast.Attribute) and node.attr == "id"):
        return False
    return "worker" in ast.unparse(node.value)


def _is_demo(scope: CodeScope) -> bool:
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
        for node in scope.module.file.tree.body
    )


def _uses_first_state_word(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
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
            and recorder.full_name_of(one.func, scope) == "numpy.random.get_state"
            for one in ast.walk(part.value)
        )
        for given in node.args
        for part in ast.walk(given)
    )


def record_worker_init_seeds(recorder: EventRecorder, scope: CodeScope) -> None:
    """A ``worker_init_fn``: what its seeds depend on."""
    if not isinstance(scope.node, ast.Module):
        _record_init_seeds(recorder, scope, scope.node, scope.calls)


def record_inner_init_seeds(recorder: EventRecorder) -> None:
    """The same of lambdas, and of functions within others."""
    seen: set[int] = set()
    for made in recorder.loader_calls.calls:
        given = made.arguments.get("worker_init_fn")
        for node, scope in _list_inner_functions(recorder, given) if given is not None else ():
            if id(node) not in seen:
                seen.add(id(node))
                within = {id(one) for one in ast.walk(node)}
                calls = [step for step in scope.calls if id(step.node) in within]
                _record_init_seeds(recorder, scope, node, calls)


def _list_inner_functions(
    recorder: EventRecorder, given: ArgumentExpression
) -> Iterator[tuple[FunctionNode | ast.Lambda, CodeScope]]:
    """The lambda or inner function itself; of ``make_init(seed)`` what that returns."""
    node: ast.AST | None = given.node
    if isinstance(node, ast.Name):
        node = given.scope.local_functions.get(node.id)
    if isinstance(node, _INNER_FUNCTIONS):
        yield node, given.scope
    elif isinstance(node, ast.Call):
        evaluator = recorder.loader_flow.evaluator
        for value in evaluator.evaluate(node, evaluator.frame_of(given.scope)):
            if isinstance(value, LocalFunctionValue):
                yield value.node, value.frame.scope


def _record_init_seeds(
    recorder: EventRecorder,
    scope: CodeScope,
    function: FunctionNode | ast.Lambda,
    calls: Iterable[CodeStep],
) -> None:
    inside = list(ast.walk(function))
    names = {n.attr for n in inside if isinstance(n, ast.Attribute)}
    names |= {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    given = [*function.args.posonlyargs, *function.args.args]
    for step in calls:
        node = step.node
        if not isinstance(node, ast.Call):
            continue
        name = recorder.full_name_of(node.func, scope)
        if name in _SEED_FUNCTIONS:
            line = ast.Pass(
                lineno=function.lineno,
                col_offset=0 if not isinstance(function, ast.Lambda) else function.col_offset,
                end_lineno=node.end_lineno,
                end_col_offset=node.end_col_offset,
            )
            recorder.add_event(
                WorkerSeed(
                    fresh=bool(names & _FRESH_SEED_SOURCES)
                    and not _uses_first_state_word(recorder, scope, node),
                    by_worker=bool(given) and given[0].arg in names,
                    demo=_is_demo(scope),
                    by_time=bool(names & {"time", "time_ns", "now"}),
                ),
                scope,
                step,
                name,
                node=line,
            )
