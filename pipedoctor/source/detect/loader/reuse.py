"""Whether the same loader is iterated again: in loops over epochs, here or around calls."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.context import CodeStep, FunctionNode
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_MAX_DEPTH = 3
_MAX_CALLERS = 12
_REPEATED_METHODS = frozenset(("__getitem__", "__next__"))
"""Methods that are called for each batch or item."""


def is_repeated(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, depth: int = _MAX_DEPTH
) -> bool:
    """Does this happen again and again: in a loop, here or around a call of it?"""
    outer = [x for x in step.context.loops if x is not step.node]
    if any(_comes_again(recorder, one, scope) for one in outer):
        return True
    if depth <= 0:
        return False
    if scope.owner is not None and scope.name.rpartition(".")[2] in _REPEATED_METHODS:
        return True
    if step.context.inner:
        calls = find_inner_calls(scope, step.node)
        return any(is_repeated(recorder, scope, one, depth - 1) for one, _ in calls)
    if scope.is_module_body:
        return False
    return any(
        site.scope is not scope and is_repeated(recorder, site.scope, site.step, depth - 1)
        for site in list_entering_calls(recorder, scope)
    )


def list_entering_calls(recorder: EventRecorder, scope: CodeScope) -> list[CallSite]:
    """Calls of a function, also by a variable that a partial of it is given."""
    found = list(recorder.project.find_callers(scope))
    for part in recorder.project.find_partials(scope):
        for name in part.scope.names_by_value.get(id(part.step.node), ()):
            found += [
                CallSite(its, step, step.node)
                for its, step in part.scope.module.find_calls(name)
                if isinstance(step.node, ast.Call)
            ]
    found += recorder.runs_by_function.get(scope, ())
    return found[:_MAX_CALLERS]


def is_loader_reused(
    recorder: EventRecorder,
    index: int,
    scope: CodeScope,
    step: CodeStep,
    node: ast.expr,
) -> bool:
    """
    Is this same loader, and not one built again, iterated more than once?

    Climbs only through calls that hand this loader on, and not past where it is made.
    """
    made = recorder.loader_calls.calls[index].site
    return _is_reused(recorder, (index, made.scope), scope, step, node, _MAX_DEPTH)


def _is_reused(
    recorder: EventRecorder,
    loader: tuple[int, CodeScope],
    scope: CodeScope,
    step: CodeStep,
    node: ast.expr | None,
    depth: int,
) -> bool:
    index, maker = loader
    inside = scope is maker
    around = recorder.loader_calls.calls[index].site.step.context
    sometimes = [guard.test.lineno for guard in around.guards]
    start = [x for x in around.loops if not any(x.lineno < n for n in sometimes)]
    outer = [x for x in step.context.loops if x is not step.node]
    around_it = [one for one in outer if not (inside and one in start)]
    if any(_comes_again(recorder, one, scope) for one in around_it):
        return True
    if depth <= 0:
        return False
    if step.context.inner:
        return _is_reused_by_caller(recorder, loader, scope, step, node, depth)
    if scope.is_module_body or inside or _is_made_by_call_here(recorder, maker, scope, node):
        return False
    for site in list_entering_calls(recorder, scope):
        given, may_be = _iterated_argument(recorder, index, site, scope, node)
        if not may_be:
            continue
        if site.scope is not scope:
            if _is_reused(recorder, loader, site.scope, site.step, given, depth - 1):
                return True
    return False


def _is_made_by_call_here(
    recorder: EventRecorder, maker: CodeScope, scope: CodeScope, node: ast.expr | None
) -> bool:
    """``batches = rows.make_loader()``: does each run of this function make another loader?"""
    written = [node] if node is not None else []
    for name in sorted(expression_names(node)) if node is not None else ():
        written += [value for value, _ in scope.bindings.get(name, ())]
    made = {id(site.node) for site in recorder.project.find_callers(maker) if site.scope is scope}
    short = maker.name.rpartition(".")[2]
    return any(
        id(call) in made or last_name(call.func) == short
        for value in written
        for call in find_nodes(value, (ast.Call,))
    )


def _is_reused_by_caller(
    recorder: EventRecorder,
    loader: tuple[int, CodeScope],
    scope: CodeScope,
    step: CodeStep,
    node: ast.expr | None,
    depth: int,
) -> bool:
    """By the calls of a function within this one, if the loader is not made in it."""
    index, maker = loader
    made = recorder.loader_calls.calls[index].site.node
    for call, function in find_inner_calls(scope, step.node):
        if scope is maker and function.lineno <= made.lineno <= (function.end_lineno or 0):
            continue
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        mine = sorted(expression_names(node) & set(names)) if node is not None else []
        given = node
        if mine and isinstance(call.node, ast.Call):
            given = find_call_argument(call.node, mine[0], names.index(mine[0]))
            if given is None or index not in recorder.loader_flow.find_loaders(given, scope):
                continue
        if _is_reused(recorder, loader, scope, call, given, depth - 1):
            return True
    return False


def find_inner_calls(scope: CodeScope, node: ast.AST) -> Iterator[tuple[CodeStep, FunctionNode]]:
    """Calls of the innermost function within this one that a node stands in."""
    line: int = getattr(node, "lineno", 0)
    around = [
        one
        for one in scope.local_functions.values()
        if one.lineno < line <= (one.end_lineno or one.lineno)
    ]
    if around:
        function = max(around, key=lambda one: one.lineno)
        for step in scope.find_calls(function.name):
            if not function.lineno <= getattr(step.node, "lineno", 0) <= (function.end_lineno or 0):
                yield step, function


def _iterated_argument(
    recorder: EventRecorder, index: int, site: CallSite, scope: CodeScope, node: ast.expr | None
) -> tuple[ast.expr | None, bool]:
    """What a call hands over to be iterated, and whether that may be this loader."""
    find = recorder.loader_flow.find_loaders
    asked = expression_names(node) if node is not None else set[str]()
    given = _handed_over(site, scope, asked)
    held = given
    if not given:  # ``bar = tqdm(loader)``: another one, only where that is known
        values = [value for one in asked for value, _ in scope.bindings.get(one, ())]
        held = _handed_over(site, scope, {name for one in values for name in expression_names(one)})
    mine = [one for one in held if index in find(one, site.scope)]
    if mine or not held:
        return next(iter(mine), None), True
    return None, not (given or any(find(one, site.scope) for one in held))


def _handed_over(site: CallSite, scope: CodeScope, wanted: set[str]) -> list[ast.expr]:
    """What a call gives for some of the parameters."""
    names = [one.arg for one in scope.parameters]
    bound = scope.owner is not None and names[:1] in (["self"], ["cls"])
    given = [
        find_call_argument(site.node, name, names.index(name) - bound)
        for name in sorted(wanted.intersection(names) - {"self", "cls"})
    ]
    return [one for one in given if one is not None]


def _comes_again(recorder: EventRecorder, node: ast.AST, scope: CodeScope) -> bool:
    """Is it a loop over epochs or over batches?"""
    return _is_epoch_loop(node, scope) or _is_loop_over_batches(recorder, node, scope)


def _is_loop_over_batches(recorder: EventRecorder, node: ast.AST, scope: CodeScope) -> bool:
    """``for step, batch in enumerate(loader): if step % 500 == 0: validate(...)``."""
    return isinstance(node, ast.For) and bool(recorder.loader_flow.find_loaders(node.iter, scope))


def _is_epoch_loop(node: ast.AST, scope: CodeScope) -> bool:
    """A loop over epochs: a range, itself or by its name, or a variable that is called so."""
    if isinstance(node, ast.While):
        return True
    if not isinstance(node, (ast.For, ast.AsyncFor)):
        return False
    key = node.iter.id if isinstance(node.iter, ast.Name) else ""
    iterated = [node.iter, *(value for value, _ in scope.bindings.get(key, ()))]
    counted = any("range(" in unparse_short(one) for one in iterated)
    return counted or "epoch" in unparse_short(node.target).lower()
