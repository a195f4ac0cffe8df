"""Loops that ask for their batches: ``batch = next(it)``."""

import ast
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.loader.loop_steps import (
    is_training_loop,
    makes_steps,
    only_hands_on,
    takes_no_step,
    takes_step,
)
from pipedoctor.source.detect.loader.reuse import is_loader_reused
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import InstanceValue

_DIRECT = frozenset(("next", "__next__", "anext"))
"""What takes a batch itself, and not in a function of the project."""


def record_request_loops(recorder: EventRecorder, scope: CodeScope, names: Sequence[str]) -> None:
    """``while True: batch = next(it)`` is a loop over batches too, by what takes batches."""
    steps = [step for name in names for step in scope.find_calls(name)]
    steps.sort(key=_request_order)
    begun: set[int] = set()
    for step in steps:
        node = step.node
        if not isinstance(node, ast.Call) or not step.context.loops or step.context.inner:
            continue
        around = _find_loop_of_steps(scope, step.context.loops)
        loaders = _requested_loaders(recorder, scope, node)
        trains = bool(loaders) or (last_name(node.func) == "next" and makes_steps(scope, around))
        if not trains or only_hands_on(recorder.project, scope, around):
            continue
        if id(around) in recorder.loop_indices:
            if id(around) in begun and last_name(node.func) in _DIRECT:
                _add_loaders(recorder, scope, node, around, loaders)
        elif not step.context.handler or _takes_in_body(scope, step, around):
            begun.add(id(around))
            _begin_loop(recorder, scope, node, around, loaders)


def _find_loop_of_steps(scope: CodeScope, loops: Sequence[LoopNode]) -> LoopNode:
    """The innermost; where that only adds up gradients for one step, the loop around it."""
    adds_up = len(loops) > 1 and takes_no_step(scope, loops[-1]) and takes_step(scope, loops[-2])
    return loops[-2] if adds_up else loops[-1]


def _request_order(step: CodeStep) -> tuple[bool, bool]:
    """Calls of ``next`` itself first, and last where an iterator begins anew."""
    name = last_name(step.node.func) if isinstance(step.node, ast.Call) else ""
    return step.context.handler, name not in _DIRECT


def _begin_loop(
    recorder: EventRecorder,
    scope: CodeScope,
    node: ast.Call,
    around: LoopNode,
    loaders: set[int],
) -> None:
    again = _restarted_loaders(recorder, scope, node, around, loaders)
    recorder.repeated_loaders |= again
    recorder.loop_indices[id(around)] = len(recorder.loops)
    recorder.loops.append(
        Loop(
            at=node_location(scope.module, around),
            function=scope.name,
            loaders=tuple(sorted(loaders)),
            role="train" if is_training_loop(scope, around) else "",
            repeats=bool(again),
        )
    )


def _add_loaders(
    recorder: EventRecorder,
    scope: CodeScope,
    node: ast.Call,
    around: LoopNode,
    loaders: set[int],
) -> None:
    """``next(source)`` and ``next(target)``: a loop over the batches of both."""
    again = _restarted_loaders(recorder, scope, node, around, loaders)
    recorder.repeated_loaders |= again
    number = recorder.loop_indices[id(around)]
    loop = recorder.loops[number]
    recorder.loops[number] = replace(
        loop,
        loaders=tuple(sorted(loaders.union(loop.loaders))),
        repeats=loop.repeats or bool(again),
    )


def _takes_in_body(scope: CodeScope, step: CodeStep, around: LoopNode) -> bool:
    """``try: batch = next(it)``, ``except: it = iter(loader); batch = next(it)``?"""
    name = last_name(step.node.func) if isinstance(step.node, ast.Call) else ""
    return any(
        one.context.loops[-1:] == (around,) and not one.context.handler
        for one in scope.find_calls(name)
    )


def _restarted_loaders(
    recorder: EventRecorder,
    scope: CodeScope,
    node: ast.Call,
    outer_loop: LoopNode,
    loaders: set[int],
) -> set[int]:
    """Those whose iterator, from which a call takes a batch, is made again and again."""
    found = loaders & _list_begun_again(recorder, scope) if loaders else set[int]()
    for made, its in _iterator_constructions(recorder, scope, node):
        step = next((one for one in its.calls if one.node is made), None)
        if step is None or not made.args:
            continue
        known = recorder.loader_flow.find_loaders(made.args[0], its)
        if outer_loop in step.context.loops:  # PDR404 where it is made for each batch
            found |= loaders & known if step.context.handler else set()
            continue
        for index in loaders & known:
            if is_loader_reused(recorder, index, its, step, made.args[0]):
                found.add(index)
    return found


def _list_begun_again(recorder: EventRecorder, asking: CodeScope) -> set[int]:
    """In others: ``try: return next(self.it)``, ``except: self.it = iter(self.loader)``."""
    found = _list_yielded_again(recorder)
    for site in recorder.project.find_call_sites("iter"):
        context, given = site.step.context, site.node.args
        if site.scope is asking or not (context.handler and given):
            continue
        if site.scope.find_calls("next"):
            found |= recorder.loader_flow.find_loaders(given[0], site.scope)
    return found


def _list_yielded_again(recorder: EventRecorder) -> set[int]:
    """``while True: yield from loader``: all batches of it, and then all again."""
    found: set[int] = set()
    for module in recorder.project.modules:
        written = b"yield from" in module.file.content and not module.is_test
        for scope in module.scopes if written else ():
            for step in scope.steps_by_type.get(ast.YieldFrom, ()):
                if isinstance(step.node, ast.YieldFrom) and step.context.loops:
                    found |= recorder.loader_flow.find_loaders(step.node.value, scope)
    return found


def _iterator_constructions(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call
) -> Iterator[tuple[ast.Call, CodeScope]]:
    """``iter(loader)`` and ``Prefetcher(loader)``, of which a call takes a batch."""
    func = node.func
    given = func.value if isinstance(func, ast.Attribute) else next(iter(node.args), None)
    if given is None:
        return
    for one in find_iter_calls(recorder, given, scope):
        yield one, scope
    evaluator = recorder.loader_flow.evaluator
    for value in evaluator.evaluate(given, evaluator.frame_of(scope)):
        if isinstance(value, InstanceValue) and value.call is not None and value.frame is not None:
            yield value.call, value.frame.scope


def _requested_loaders(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> set[int]:
    """The loaders of which a call takes a batch."""
    loaders = set(recorder.loader_flow.find_batches(node, scope))
    if isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
        for one in find_iter_calls(recorder, node.args[0], scope):
            loaders |= recorder.loader_flow.find_loaders(one.args[0], scope)
    return loaders


def find_iter_calls(
    recorder: EventRecorder, node: ast.expr, scope: CodeScope
) -> Iterator[ast.Call]:
    """The ``iter(loader)`` behind an expression, made outside of this loop."""
    values: list[ast.expr] = [node]
    key = binding_key(node)
    if key:
        values = [value for value, _ in recorder.values.find_assignments(key, scope)]
    for value in values:
        if isinstance(value, ast.Call) and last_name(value.func) == "iter":
            if value.args and recorder.loader_flow.find_loaders(value.args[0], scope):
                yield value
