"""Calls of DataParallel that train a model, as far as the code around them tells."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.facts.code_events.training import DataParallelUse
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.source.detect.item.first_time import find_variable
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.dead_branches import runs_never
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.syntax.walk import find_nodes

_DISTRIBUTED_WORDS = (b"DistributedDataParallel", b"DDP(", b"accelerate", b"FullySharded")
_TRAINING_METHODS = {"backward", "zero_grad", "train"}
_QUIET_ATTRIBUTES = frozenset(("module", "load_state_dict", "eval", "to", "cuda"))
"""What one does with a model that is not trained, and with one that is."""
_TRYING_FUNCTION = compile_lazily(r"^_*(eval|test|valid|infer|predict)", re.IGNORECASE)
"""Functions that try a model and do not train it."""


def record_data_parallel(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call, full: str
) -> None:
    """Record it, unless somebody else chose it, was warned of it, or only evaluates."""
    once = last_name(node.func) == "data_parallel"
    method = scope.name.rpartition(".")[2]
    if scope.module.is_test:
        return
    if once and method not in {"forward", "__call__"} and not _is_training_step(recorder, step):
        return
    target = "" if once else find_variable(scope, node)
    chosen = _is_chosen(scope, step, node) or runs_never(scope, step.context)
    chosen = chosen or any(map(_is_wrapped_already, step.context.guards))
    chosen = chosen or _is_unwrapped(scope, target, node) or _only_serves(scope, step, target, node)
    if not (chosen or _is_warned_about(scope, step) or _only_evaluates(recorder, scope)):
        model = find_call_argument(node, "module", 0)
        use = DataParallelUse(model=unparse_short(model), target=target)
        recorder.add_event(use, scope, step, full)


def _is_training_step(recorder: EventRecorder, step: CodeStep) -> bool:
    """Does it stand in a loop over batches that trains?"""
    numbers = (recorder.loop_indices.get(id(one)) for one in step.context.loops)
    return any(one is not None and recorder.loops[one].role == "train" for one in numbers)


def _is_chosen(scope: CodeScope, step: CodeStep, node: ast.Call) -> bool:
    """Did somebody ask for it, who could have asked for one process per GPU here as well?"""
    if not scope.module.file.says_any(_DISTRIBUTED_WORDS):
        return False
    devices = find_call_argument(node, "device_ids", 1)
    key = binding_key(devices) if devices is not None else ""
    given = key.startswith("self.") or key in {one.arg for one in scope.parameters}
    return given or any(map(_is_requested_by_guard, step.context.guards))


def _is_unwrapped(scope: CodeScope, target: str, node: ast.Call) -> bool:
    """``net = net.module.cuda()``: was it wrapped only to load what was saved so?"""
    return any(
        value.lineno > node.lineno
        and any(
            one.attr == "module" and binding_key(one.value) == target
            for one in find_nodes(value, (ast.Attribute,))
        )
        for value, _ in scope.bindings.get(target, ())
    )


def _only_serves(scope: CodeScope, step: CodeStep, target: str, node: ast.Call) -> bool:
    """
    ``net.module.load_state_dict(saved)``, ``validate(net)``, and nothing else?

    Then only its inside is used, or what it says of the data that it is tried on.
    """
    if not target.isidentifier():
        return False
    known = {id(name): way for name, way in _list_ways(scope)}
    ways = [
        known.get(id(one), "")
        for one in find_nodes(scope.node, (ast.Name,))
        if one.id == target and isinstance(one.ctx, ast.Load)
        if one.lineno > node.lineno or (step.context.loops and one not in node.args)
    ]
    told = {"tried"} if scope.is_module_body else {"tried", "module"}
    return all(ways) and not told.isdisjoint(ways)


def _list_ways(scope: CodeScope) -> Iterator[tuple[ast.expr, str]]:
    """Names that are not trained where they stand, and what is done with them."""
    for read in find_nodes(scope.node, (ast.Attribute,)):
        if read.attr in _QUIET_ATTRIBUTES:
            yield read.value, read.attr
    for call in find_nodes(scope.node, (ast.Call,)):
        if _TRYING_FUNCTION.search(last_name(call.func)):
            yield from ((given, "tried") for given in call.args)
            yield from ((word.value, "tried") for word in call.keywords)


def _is_wrapped_already(guard: GuardCondition) -> bool:
    """``if isinstance(net, DataParallel):``, so that another takes its place."""
    test = guard.test
    return (
        guard.holds
        and isinstance(test, ast.Call)
        and last_name(test.func) == "isinstance"
        and any(map(_names_wrapper, test.args[1:]))
    )


def _names_wrapper(node: ast.expr) -> bool:
    return "DataParallel" in unparse_short(node)


def _is_requested_by_guard(guard: GuardCondition) -> bool:
    """Does it hold, or does it say that nothing was asked for, and is not so?"""
    test = guard.test
    if guard.holds or not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        return guard.holds and _is_instance_flag(test)
    nots = [one for one in test.values if isinstance(one, ast.UnaryOp)]
    return len(nots) == len(test.values) and _is_instance_flag(test)


def _is_instance_flag(test: ast.expr) -> bool:
    """``self.data_parallel``: did whoever made the object ask for it?"""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(map(_is_instance_flag, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_instance_flag(test.operand)
    return binding_key(test).startswith("self.")


def _is_warned_about(scope: CodeScope, step: CodeStep) -> bool:
    """Does the same branch tell the user that something else is better?"""
    tests = [guard.test for guard in step.context.guards]
    return any(
        isinstance(one.node, ast.Call)
        and "warn" in unparse_short(one.node.func).lower()
        and [guard.test for guard in one.context.guards] == tests
        for one in scope.calls
        if tests
    )


def _only_evaluates(recorder: EventRecorder, scope: CodeScope) -> bool:
    """Does the file evaluate a model, and neither it nor one that calls it train any?"""
    called = _list_called_names(scope.module)
    if "eval" not in called or called & _TRAINING_METHODS:
        return False
    callers = {site.scope.module for site in recorder.project.find_callers(scope)}
    return not any(_list_called_names(one) & _TRAINING_METHODS for one in callers)


def _list_called_names(module: Module) -> set[str]:
    return {
        last_name(step.node.func)
        for scope in module.scopes
        for step in scope.calls
        if isinstance(step.node, ast.Call)
    }
