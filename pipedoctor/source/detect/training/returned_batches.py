"""What a function returns that a batch has been handed to, and what generators yield."""

import ast

from pipedoctor.source.detect.device_copies import copies_to_device, is_device_copy, list_own_calls
from pipedoctor.source.detect.flow_state import FlowState, list_tensor_calls
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_events import BatchEvents
from pipedoctor.source.detect.training.host_tensors import is_made_on_host
from pipedoctor.source.detect.training.losses import list_backward_tensors
from pipedoctor.source.detect.training.value_uses import is_read_by_host
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.function_results import own_returns
from pipedoctor.source.values.lattice import Frame, GeneratorValue, InstanceValue, Value
from pipedoctor.source.values.library import NAMESPACES

_PASSING_ON = frozenset(("list", "tuple", "zip", "enumerate", "sorted", "reversed", "dict", "iter"))
_HANDED_ON = frozenset(("device", "results"))
"""What ``return move(batch)`` returns, where the function that it calls does."""
_MAX_GENERATORS = 3
"""Generators around a generator."""
_COMPUTED_VALUES = (ast.Call, ast.BinOp, ast.Compare)


def find_returned_kinds(flow: BatchEvents, target: CodeScope, state: FlowState) -> frozenset[str]:
    """What a function returns: a batch, one on the device, something computed there."""
    kinds: set[str] = set()
    values = returned_values(target)
    if values and all(
        is_read_by_host(target, value) or is_made_on_host(flow.recorder, target, value)
        for value in values
    ):
        kinds.add("host")
    for value in values:
        names = flow.names.of_tensors(value)
        computed = isinstance(value, _COMPUTED_VALUES)
        results = state.results | state.on_device.keys() if computed else state.results
        own, within = _list_calls(target, value), list_tensor_calls(value)
        if any(is_device_copy(one, flow.recorder, target) for one in own):
            kinds |= {"device", "batch"}
        elif names & results or any(is_device_copy(one, flow.recorder, target) for one in within):
            kinds.add("results")
        elif names & state.on_device.keys():
            kinds |= {"device", "batch"}
        elif names & state.batch:
            kinds |= {"batch", *(flow.kinds_by_call.get(id(value), frozenset()) & _HANDED_ON)}
        if names & state.fresh_on_host:
            kinds.add("fresh")
        if isinstance(value, ast.Name) and value.id in list_backward_tensors(target):
            kinds.add("loss")
    return frozenset(kinds)


def _list_calls(target: CodeScope, value: ast.expr) -> list[ast.Call]:
    """Those of a returned value, and of what functions within the function return for it."""
    own = list_own_calls(value)
    called = (one.func.id for one in own if isinstance(one.func, ast.Name))
    within = (target.local_functions[name] for name in called if name in target.local_functions)
    return own + [one for node in within for x in own_returns(node) for one in list_own_calls(x)]


def passes_through(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """Does a call hand on what it is given, piece by piece?"""
    if isinstance(node.func, ast.Name) and node.func.id in _PASSING_ON:
        return True
    if recorder.full_name_of(node.func, scope) in NAMESPACES:
        return True
    found = recorder.project.find_definition(node.func, scope.module)
    return isinstance(found, CodeScope) and ast.Yield in found.steps_by_type


def yields_copies(
    evaluator: Evaluator, iterated: ast.expr, frame: Frame, depth: int = _MAX_GENERATORS
) -> bool:
    """Is each batch on the device that iterating a value gives, as far as its generators say?"""
    return depth > 0 and any(
        _copies(evaluator, inner.scope) or _hands_on_copies(evaluator, inner, depth - 1)
        for one in evaluator.evaluate(iterated, frame)
        if (inner := _find_generator(evaluator, one)) is not None
    )


def _find_generator(evaluator: Evaluator, value: Value) -> Frame | None:
    """The call of a generator, or of ``__iter__`` of an object, which is one."""
    if isinstance(value, GeneratorValue):
        return value.frame
    if not isinstance(value, InstanceValue):
        return None
    method = evaluator.project.find_method(value.cls, "__iter__")
    yields = method is not None and bool(method.steps_by_type.get(ast.Yield))
    return evaluator.frame_of(method, value) if method is not None and yields else None


def _copies(evaluator: Evaluator, scope: CodeScope) -> bool:
    """``yield batch.to(device)``, ``batch = self.move(batch); yield batch``."""
    yielded = [
        step.node.value
        for step in scope.steps_by_type.get(ast.Yield, ())
        if isinstance(step.node, ast.Yield) and step.node.value is not None
    ]
    names = {one.id for one in yielded if isinstance(one, ast.Name)}
    given = [value for name in sorted(names) for value, _ in scope.bindings.get(name, ())]
    return any(
        copies_to_device(evaluator.project, scope, call)
        for value in (*yielded, *given)
        for call in find_nodes(value, (ast.Call,))
    )


def _hands_on_copies(evaluator: Evaluator, frame: Frame, depth: int) -> bool:
    """``for batch in batches: yield batch``, where these are on the device."""
    return any(
        isinstance(step.node, ast.For) and yields_copies(evaluator, step.node.iter, frame, depth)
        for step in frame.scope.steps_by_type.get(ast.For, ())
    )
