"""Iterators over loaders that are made by hand."""

import ast
from collections.abc import Sequence

from pipedoctor.source.around import LoopNode, Step
from pipedoctor.source.loops import iters, like_a_loader, repeats
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope
from pipedoctor.source.values import written

_DEEP = 4
"""Variables that a number is followed through."""


def _counted(
    recorder: Recorder, scope: Scope, step: Step, made: Sequence[ast.Call]
) -> bool:
    """Is the outermost loop after ``iter(loader)`` as long as the loader is?"""
    for loop in step.around.loops:
        if any(_stands_in(one, loop) for one in made):
            continue
        if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
            return False
        return _by_length(recorder, scope, loop.iter, _DEEP)
    return False


def _begun_anew(step: Step, made: Sequence[ast.Call]) -> bool:
    """Does the very loop that takes batches make another iterator, now and then?"""
    return any(_stands_in(one, loop) for loop in step.around.loops[-1:] for one in made)


def _stands_in(node: ast.Call, loop: LoopNode) -> bool:
    return loop.lineno < node.lineno <= (loop.end_lineno or loop.lineno)


def _by_length(recorder: Recorder, scope: Scope, node: ast.expr, depth: int) -> bool:
    """Does ``len(loader)``, or the length of what is loaded, go into a number?"""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and last_name(one.func) == "len" and one.args:
            given = one.args[0]
            if like_a_loader(given) or recorder.origins.of(given, scope):
                return True
            if depth < _DEEP:  # a variable keeps it: of images, of annotations...
                return True
        elif isinstance(one, ast.Name) and depth > 0:
            for value, its in recorder.values.assigned(one.id, scope):
                if _by_length(recorder, its, value, depth - 1):
                    return True
    return False


def by_hand(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    """``next(iter(loader))`` and ``next(it)``."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "next" and not node.args:
        made = list(iters(recorder, func.value, scope))
        if made:
            recorder.add("old-next", scope, step, written(node))
        return
    if not (isinstance(func, ast.Name) and func.id == "next" and node.args):
        return
    inner = node.args[0]
    if isinstance(inner, ast.Call) and last_name(inner.func) == "iter" and inner.args:
        loaders = recorder.origins.of(inner.args[0], scope)
        like = like_a_loader(inner.args[0])
        if loaders or like:
            recorder.add(
                "fresh-iterator",
                scope,
                step,
                written(node),
                repeats=repeats(recorder, scope, step),
                known=bool(loaders),
                loader=min(loaders, default=-1),
            )
        return
    made = list(iters(recorder, inner, scope))
    if len(node.args) == 1 and made:
        fed = [n for one in made for n in recorder.origins.of(one.args[0], scope)]
        given = [recorder.constructions.made[n].given for n in fed]
        recorder.add(
            "next",
            scope,
            step,
            written(node),
            endless=any({"sampler", "batch_sampler"} & one.keys() for one in given),
            tried=bool(step.around.tries),
            counted=_counted(recorder, scope, step, made) or _begun_anew(step, made),
            looped=bool(step.around.loops) and not step.around.inner,
        )
