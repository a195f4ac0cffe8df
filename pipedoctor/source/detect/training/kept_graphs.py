"""Losses that are kept with the graph of their step: summed up, put into a list, or a meter."""

import ast
from collections.abc import Iterator
from operator import itemgetter

from pipedoctor.facts.code_events.training import KeptGraph
from pipedoctor.source.detect.flow_state import FlowState
from pipedoctor.source.detect.loader.loops import switches_off_gradients
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.losses import list_backward_tensors
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.kept_losses import list_kept_parts
from pipedoctor.source.syntax.scope import CodeScope

_DETACHING_ATTRIBUTES = {"detach", "item", "data"}


def record_kept_graph(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    node: ast.AugAssign | ast.Assign | ast.Call,
    state: FlowState,
) -> None:
    """``total += loss``, ``losses.append(loss)``: keeps the graph of every step."""
    kept = list_kept_parts(node)
    if not kept.parts:
        return
    losses = state.losses | state.step_losses | (state.results & _list_added_terms(scope))
    hit = {key for one in kept.parts if (key := binding_key(one))} & losses
    if hit and isinstance(node, ast.Call):
        hit &= _list_summed_losses(scope) | state.step_losses
    if not hit or binding_key(kept.holder) in losses:
        return
    holder = binding_key(kept.holder) or unparse_short(kept.holder)
    if isinstance(node, ast.Call) and not kept.is_list:
        hit = {name for name in hit if _is_kept_by_method(recorder, scope, node, name)}
    if not hit or all(_is_detached(scope, name, node.lineno) for name in hit):
        return
    if _begins_anew(recorder, scope, step, holder) or _is_under_no_grad(step):
        return
    bounded = kept.is_list and _is_emptied(scope, step, holder)
    if not bounded and not _goes_backward(scope, holder, is_list=kept.is_list):
        recorder.add_event(KeptGraph(loss=min(hit)), scope, step, holder)


def _list_summed_losses(scope: CodeScope) -> set[str]:
    """What goes backward, and the parts of a sum that does."""
    found = set(list_backward_tensors(scope))
    for name in tuple(found):
        for value, _ in scope.bindings.get(name, ()):
            if isinstance(value, ast.BinOp):
                found |= {one for one in expression_names(value) if _is_computed(scope, one)}
    return found


def _list_added_terms(scope: CodeScope) -> set[str]:
    """``con`` of ``loss = sup + weight * con``: what a loss is the sum of."""
    found: set[str] = set()
    for name in list_backward_tensors(scope):
        queue = [value for value, _ in scope.bindings.get(name, ()) if isinstance(value, ast.BinOp)]
        for one in queue:
            sides = (one.left, one.right)
            queue += [side for side in sides if isinstance(side, ast.BinOp)]
            found |= set(map(binding_key, sides))
    return found - {""}


def _is_computed(scope: CodeScope, name: str) -> bool:
    return any(isinstance(value, ast.Call) for value, _ in scope.bindings.get(name, ()))


def _is_kept_by_method(
    recorder: EventRecorder, scope: CodeScope, call: ast.Call, loss: str
) -> bool:
    """Does a method of the project sum up what it is given, as a meter does?"""
    targets = list(recorder.call_graph.resolve_call(call.func, scope, scope.owner))
    return bool(targets) and all(
        any(
            _sums_up(target, name)
            for name, value in match_arguments(target, call)
            if binding_key(value) == loss
        )
        for target, _ in targets
    )


def _sums_up(target: CodeScope, parameter: str) -> bool:
    """``self.sum += value * n``: a parameter with its graph, in an attribute."""
    decorators: list[ast.expr] = getattr(target.node, "decorator_list", [])
    if any(map(switches_off_gradients, decorators)) or parameter in target.bindings:
        return False  # it may be made a number first
    for step in target.steps_by_type.get(ast.AugAssign, ()):
        kept = list_kept_parts(step.node)
        to_self = binding_key(kept.holder).startswith("self.")
        if to_self and parameter in map(binding_key, kept.parts) and not _is_under_no_grad(step):
            return not _asks_for_numbers(target, parameter)
    return False


def _asks_for_numbers(target: CodeScope, parameter: str) -> bool:
    """Is a number made of the parameter, or its type looked at, on some way?"""
    return any(
        any(parameter in expression_names(one) for one in (step.node.func, *step.node.args))
        for step in target.calls
        if isinstance(step.node, ast.Call)
    )


def _begins_anew(recorder: EventRecorder, scope: CodeScope, step: CodeStep, target: str) -> bool:
    """``total = 0`` for each batch, of whose parts it is the sum: no more than one is kept."""
    outer = [one for one in step.context.loops[:-1] if id(one) in recorder.loop_indices]
    return any(
        isinstance(value, (ast.Constant, ast.List))
        and its.context.loops
        and its.context.loops[-1] in outer
        and its.context.guards == step.context.guards[: len(its.context.guards)]
        for value, its in scope.bindings.get(target, ())
    )


def _is_emptied(scope: CodeScope, step: CodeStep, holder: str) -> bool:
    """Is a list made anew or cleared in the same loop, or is it a queue with a last place?"""
    loop = step.context.loops[-1:]
    made = scope.bindings.get(holder, ())
    queue = any(isinstance(v, ast.Call) and last_name(v.func) == "deque" for v, _ in made)
    cleared = any(binding_key(one) == holder for one in _list_cleared(scope))
    return queue or cleared or any(its.context.loops[-1:] == loop for _, its in made)


def _list_cleared(scope: CodeScope) -> Iterator[ast.expr]:
    for step in scope.find_calls("clear"):
        if isinstance(step.node, ast.Call) and isinstance(step.node.func, ast.Attribute):
            yield step.node.func.value


def _is_detached(scope: CodeScope, name: str, line: int) -> bool:
    """``loss = loss.detach()``: has it lost its graph before this line?"""
    before = [(v.lineno, v) for v, _ in scope.bindings.get(name, ()) if v.lineno < line]
    last = max(before, key=itemgetter(0), default=(0, None))[1]
    return last is not None and any(
        (isinstance(n, ast.Attribute) and n.attr in _DETACHING_ATTRIBUTES) for n in ast.walk(last)
    )


def _is_under_no_grad(step: CodeStep) -> bool:
    return any(map(switches_off_gradients, step.context.managers))


def _goes_backward(scope: CodeScope, holder: str, *, is_list: bool) -> bool:
    """Does the sum, or what is computed of the list, go backward itself?"""
    tensors = set(list_backward_tensors(scope))
    if holder in tensors:
        return True
    if not is_list:
        return False
    return any(
        holder in _keys_in(value) for name in tensors for value, _ in scope.bindings.get(name, ())
    ) or any(
        last_name(step.node.func).endswith("backward") and holder in _keys_in(step.node)
        for step in scope.calls
        if isinstance(step.node, ast.Call)
    )


def _keys_in(node: ast.expr) -> set[str]:
    return {binding_key(one) for one in ast.walk(node) if isinstance(one, ast.expr)}
