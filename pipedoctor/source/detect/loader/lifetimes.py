"""When a loader is made: once, or in each epoch, and by which name it goes."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.syntax.bindings import bound_names
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import binding_key, unparse_loop_start, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node, find_nodes

_MAX_BUILDERS = 3
"""Functions that return what another one makes."""


def find_loader_variable(loader: ResolvedLoaderCall, scope: CodeScope) -> str:
    """The variable that it is bound to; empty: none."""
    return _find_variable(loader.site.node, scope)


def _find_variable(call: ast.Call, scope: CodeScope) -> str:
    for key, values in scope.bindings.items():
        for value, _ in values:
            if contains_node(value, call):
                return key
    return ""


def find_receiving_names(
    recorder: EventRecorder, call: ast.Call, scope: CodeScope, depth: int = _MAX_BUILDERS
) -> Iterator[str]:
    """What the caller of the function that returns it calls it: ``valid = build(rows)``."""
    sites = recorder.project.find_callers(scope) if _is_returned(call, scope) else []
    for site in sites if len(sites) == 1 else ():
        for key, values in site.scope.bindings.items():
            if any(value is site.node for value, _ in values):
                yield key
        if depth > 1:
            yield from find_receiving_names(recorder, site.node, site.scope, depth - 1)


def find_rebuilding_loop(recorder: EventRecorder, loader: ResolvedLoaderCall) -> str:
    """The loop over epochs that makes it again each time, for no reason that shows."""
    scope, step = loader.site.scope, loader.site.step
    if _has_new_sampler(loader, scope):
        return ""
    names = {
        n.id
        for given in loader.arguments.values()
        for n in ast.walk(given.node)
        if isinstance(n, ast.Name)
    }.difference(*(bound_names(given.node) for given in loader.arguments.values()))
    for loop in step.context.loops:
        if isinstance(loop, ast.While):
            if _repeats_the_same(loop, loader, names):
                return f"while {unparse_short(loop.test)}"
            continue
        bound = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        changes = _names_stored_in(loop) & names
        if "range(" in unparse_short(loop.iter) and not (bound | changes) & names:
            return f"for {unparse_short(loop.target)} in {unparse_short(loop.iter)}"
        return ""
    if step.context.inner:
        return _find_loop_of_inner(scope, loader, names)
    if step.context.loops or scope.is_module_body:
        return ""
    if _is_returned(loader.site.node, scope):
        return _find_loop_of_builder(recorder, scope, _MAX_BUILDERS)
    for site in recorder.project.find_callers(scope):
        for loop in site.step.context.loops:
            if found := _describe_epoch_loop(loop, site.step):
                return found
        if _is_called_by_steps(recorder, site, scope, names):
            return f"call of {scope.name}"
    return ""


def _has_new_sampler(loader: ResolvedLoaderCall, scope: CodeScope) -> bool:
    """``sampler=Weighted(rows, self.weights)``, of weights that the function computes each time?"""
    rows = loader.arguments.get("dataset")
    left = _list_keys(rows.node) if rows is not None else set[str]()
    made = [
        one
        for name in ("sampler", "batch_sampler")
        if (given := loader.arguments.get(name)) is not None
        for one in (
            given.node,
            *(value for value, _ in scope.bindings.get(binding_key(given.node), ())),
        )
        if isinstance(one, ast.Call)
    ]
    return any(
        isinstance(value, ast.Call)
        for call in made
        for key in {key for one in call.args for key in _list_keys(one)} - left
        for value, _ in scope.bindings.get(key, ())
    )


def _list_keys(node: ast.expr) -> set[str]:
    """The variables and attributes of ``self`` in an expression."""
    return {binding_key(one) for one in find_nodes(node, (ast.Name, ast.Attribute))} - {""}


def is_made_in_epochs(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, depth: int = _MAX_BUILDERS
) -> bool:
    """Does a loop over epochs make it, for whatever reason, or call a function that does?"""
    if any(_goes_over_epochs(loop) for loop in step.context.loops):
        return True
    sites = recorder.project.find_callers(scope) if depth and not scope.is_module_body else ()
    return any(is_made_in_epochs(recorder, one.scope, one.step, depth - 1) for one in sites)


def _goes_over_epochs(loop: LoopNode) -> bool:
    return isinstance(loop, ast.For) and "epoch" in unparse_short(loop.target).lower()


def _repeats_the_same(loop: ast.While, loader: ResolvedLoaderCall, names: set[str]) -> bool:
    """``while step < 90_000:``, which does nothing else with what the loader is made of?"""
    within = {id(one) for one in ast.walk(loader.site.node)}
    used = {one.id for one in find_nodes(loop, (ast.Name,)) if id(one) not in within}
    counted = isinstance(loop.test, ast.Compare)
    return counted and loop in loader.site.step.context.loops and not used & names


def _is_called_by_steps(
    recorder: EventRecorder, site: CallSite, scope: CodeScope, names: set[str]
) -> bool:
    """``if step % 500 == 0: validate(...)``, of the same data, in a loop that trains?"""
    numbers = [recorder.loop_indices.get(id(loop)) for loop in site.step.context.loops]
    trains = any(n is not None and recorder.loops[n].role == "train" for n in numbers)
    spaced = any("%" in unparse_short(g.test) for g in site.step.context.guards)
    if not trains or not spaced or site.step.context.inner:
        return False
    outermost = site.step.context.loops[0]
    changed = {
        one.id for one in find_nodes(outermost, (ast.Name,)) if isinstance(one.ctx, ast.Store)
    }
    given = match_arguments(scope, site.node)
    return not changed & {n.id for k, v in given if k in names for n in find_nodes(v, (ast.Name,))}


def _find_loop_of_inner(scope: CodeScope, loader: ResolvedLoaderCall, names: set[str]) -> str:
    """The loop over epochs that calls the function within this one which makes it."""
    for name, node in scope.local_functions.items():
        if not _contains(node, loader.site.node) or _returns_it(node, loader):
            continue
        for step in scope.find_calls(name):
            for loop in step.context.loops:
                if not isinstance(loop, ast.For) or not isinstance(step.node, ast.Call):
                    continue
                if not isinstance(step.node.func, ast.Name) or step.context.inner:
                    continue
                found = _describe_epoch_loop(loop, step)
                if found and not _names_stored_in(loop) & names:
                    return found
    return ""


def _describe_epoch_loop(loop: LoopNode, step: CodeStep) -> str:
    """``for epoch in range(9)``, where it comes to a step in each turn; empty: another loop."""
    if not isinstance(loop, ast.For) or "epoch" not in unparse_loop_start(loop).lower():
        return ""
    guards = [unparse_short(one.test) for one in step.context.guards]
    if any("epoch" in text or "%" in text for text in guards):
        return ""
    return f"for {unparse_short(loop.target)} in {unparse_short(loop.iter)}"


def _contains(node: ast.AST, inner: ast.AST) -> bool:
    return any(one is inner for one in ast.walk(node))


def _returns_it(node: ast.AST, loader: ResolvedLoaderCall) -> bool:
    return any(
        isinstance(one, ast.Return)
        and one.value is not None
        and _contains(one.value, loader.site.node)
        for one in ast.walk(node)
    )


def _find_loop_of_builder(recorder: EventRecorder, scope: CodeScope, depth: int) -> str:
    """The loop that calls the function which makes it, each time with the same arguments."""
    sites = recorder.project.find_callers(scope)
    for site in sites if len(sites) == 1 else ():
        for loop in site.step.context.loops:
            if isinstance(loop, ast.For) and "range(" in unparse_short(loop.iter):
                given = {n.id for n in ast.walk(site.node) if isinstance(n, ast.Name)}
                bound = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
                if not given & (bound | _names_stored_in(loop)) and not site.step.context.guards:
                    return f"for {unparse_short(loop.target)} in {unparse_short(loop.iter)}"
        plain = not (site.step.context.loops or site.step.context.guards or site.step.context.inner)
        if depth > 1 and plain and _is_returned(site.node, site.scope):
            return _find_loop_of_builder(recorder, site.scope, depth - 1)
    return ""


def _is_returned(call: ast.Call, scope: CodeScope) -> bool:
    name = _find_variable(call, scope)
    return any(
        n is call or (name and isinstance(n, ast.expr) and binding_key(n) == name)
        for step in scope.steps_by_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )


def _names_stored_in(loop: ast.For | ast.AsyncFor) -> set[str]:
    return {one.id for one in find_nodes(loop, (ast.Name,)) if isinstance(one.ctx, ast.Store)}
