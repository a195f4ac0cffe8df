"""When a loader is made and iterated: once, in each epoch, when a file is imported."""

import ast

from pipedoctor.source.around import Step
from pipedoctor.source.bindings import bound_in
from pipedoctor.source.constructions import Made
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written
from pipedoctor.source.walk import holds


def target_of(made: Made, scope: Scope) -> str:
    """The variable that it is bound to; empty: none."""
    for key, values in scope.bound.items():
        for value, _ in values:
            if holds(value, made.site.node):
                return key
    return ""


def rebuilt(recorder: Recorder, made: Made) -> str:
    """The loop over epochs that makes it anew each time, for no reason that shows."""
    scope, step = made.site.scope, made.site.step
    names = {
        n.id
        for given in made.given.values()
        for n in ast.walk(given.node)
        if isinstance(n, ast.Name)
    }.difference(*(bound_in(given.node) for given in made.given.values()))
    for loop in step.around.loops:
        if not isinstance(loop, (ast.For, ast.AsyncFor)):
            continue
        bound = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        changes = _assigned_in(loop) & names
        if "range(" in written(loop.iter) and not (bound | changes) & names:
            return f"for {written(loop.target)} in {written(loop.iter)}"
        return ""
    if step.around.loops or scope.at_top or _returned(made, scope):
        return ""
    for site in recorder.project.callers(scope):
        for loop in site.step.around.loops:
            if isinstance(loop, ast.For) and "epoch" in written(loop).lower()[:80]:
                guards = [written(g.test) for g in site.step.around.guards]
                if not any("epoch" in text or "%" in text for text in guards):
                    return f"for {written(loop.target)} in {written(loop.iter)}"
    return ""


def _returned(made: Made, scope: Scope) -> bool:
    name = target_of(made, scope)
    return any(
        n is made.site.node or (name and isinstance(n, ast.expr) and key_of(n) == name)
        for step in scope.of_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )


def _assigned_in(loop: ast.For | ast.AsyncFor) -> set[str]:
    return {
        n.id
        for n in ast.walk(loop)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def unguarded(recorder: Recorder, made: Made, index: int) -> Step | None:
    """Where the file as it is run or imported, outside a main guard, iterates it."""
    module = made.site.scope.module
    if module.text.cells or (not made.site.scope.at_top and not module.body.calls):
        return None
    for scope in module.scopes:
        for kind in (ast.For, ast.AsyncFor):
            for step in scope.of_type.get(kind, []):
                number = recorder.loop_of.get(id(step.node))
                if number is None or index not in recorder.loops[number].loaders:
                    continue
                begun = _run_at_import(recorder, scope, step, 4)
                if begun is not None:
                    return begun
    return None


def _run_at_import(
    recorder: Recorder, scope: Scope, step: Step, depth: int
) -> Step | None:
    """What stands in the module itself and comes to this."""
    around = step.around
    if any("__name__" in written(g.test) for g in around.guards):
        return None
    if scope.at_top:
        return step
    if depth <= 0:
        return None
    for site in recorder.project.callers(scope):
        if site.scope.module is scope.module and site.scope is not scope:
            begun = _run_at_import(recorder, site.scope, site.step, depth - 1)
            if begun is not None:
                return begun
    return None
