"""Iterators over loaders that are made by hand."""

import ast
from collections.abc import Sequence

from msgspec import UNSET

from pipedoctor.facts.code_events.training import BatchRequest, OldBatchRequest
from pipedoctor.source.detect.loader.loop_steps import is_named_like_loader
from pipedoctor.source.detect.loader.request_loops import find_iter_calls
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import IteratorValue

_MAX_DEPTH = 4
"""Variables that a number is followed through."""


def _is_bounded_by_length(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, calls: Sequence[ast.Call]
) -> bool:
    """Is the outermost loop after ``iter(loader)`` as long as the loader is?"""
    for loop in step.context.loops:
        if any(_is_inside_loop(one, loop) for one in calls):
            continue
        if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
            return False
        return _uses_loader_length(recorder, scope, loop.iter, _MAX_DEPTH)
    return False


def _renews_iterator(step: CodeStep, calls: Sequence[ast.Call]) -> bool:
    """Does the loop that takes batches create another iterator inside itself?"""
    return any(_is_inside_loop(one, loop) for loop in step.context.loops[-1:] for one in calls)


def _is_inside_loop(node: ast.Call, loop: LoopNode) -> bool:
    return loop.lineno < node.lineno <= (loop.end_lineno or loop.lineno)


def _uses_loader_length(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int
) -> bool:
    """Does ``len(loader)``, or the length of what is loaded, go into a number?"""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and last_name(one.func) == "len" and one.args:
            given = one.args[0]
            if is_named_like_loader(given) or recorder.loader_flow.find_loaders(given, scope):
                return True
            if depth < _MAX_DEPTH:  # a variable keeps it: of images, of annotations...
                return True
        elif isinstance(one, ast.Name) and depth > 0:
            for value, its in recorder.values.find_assignments(one.id, scope):
                if _uses_loader_length(recorder, its, value, depth - 1):
                    return True
    return False


def record_manual_iteration(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call
) -> None:
    """``it.next()`` and ``next(it)``."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "next" and not node.args:
        if _is_iterator(recorder, func.value, scope):
            recorder.add_event(OldBatchRequest(), scope, step, unparse_short(node))
        return
    if not (isinstance(func, ast.Name) and func.id == "next" and node.args):
        return
    inner = node.args[0]
    if isinstance(inner, ast.Call):
        return
    made = list(find_iter_calls(recorder, inner, scope))
    if len(node.args) == 1 and made:
        fed = [n for one in made for n in recorder.loader_flow.find_loaders(one.args[0], scope)]
        given = [recorder.loader_calls.calls[n].arguments for n in fed]
        request = BatchRequest(
            endless=any({"sampler", "batch_sampler"} & one.keys() for one in given),
            tried=bool(step.context.tries),
            counted=_is_bounded_by_length(recorder, scope, step, made)
            or _renews_iterator(step, made),
            looped=bool(step.context.loops) and not step.context.inner,
            iterator=unparse_short(inner),
            iterated=unparse_short(made[0].args[0]) if len(made) == 1 else UNSET,
        )
        recorder.add_event(request, scope, step, unparse_short(node))


def _is_iterator(recorder: EventRecorder, node: ast.expr, scope: CodeScope) -> bool:
    """Is it what ``iter(loader)`` gave, wherever that is kept?"""
    if any(find_iter_calls(recorder, node, scope)):
        return True
    evaluator = recorder.loader_flow.evaluator
    values = evaluator.evaluate(node, evaluator.frame_of(scope))
    return any(isinstance(one, IteratorValue) for one in values)
