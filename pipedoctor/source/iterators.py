"""Iterators over loaders that are made by hand."""

import ast

from pipedoctor.source.around import Step
from pipedoctor.source.loops import iters, like_a_loader, repeats
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope
from pipedoctor.source.values import written


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
            looped=bool(step.around.loops) and not step.around.inner,
        )
