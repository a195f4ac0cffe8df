"""What a call does not give to a function, and what that leaves out there."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.context import CodeStep, GuardCondition, tests_for_none
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope


def find_absent_names(scope: CodeScope, call: ast.Call) -> frozenset[str]:
    """
    Variables of a function that are None in one call of it.

    Parameters whose default is None, and ``x`` of ``x = kwargs.get("x")``, where the call
    gives none of that and nothing else is assigned to them.
    """
    if any(word.arg is None for word in call.keywords) or any(
        isinstance(one, ast.Starred) for one in call.args
    ):
        return frozenset()
    given = {name for name, _ in match_arguments(scope, call)}
    found = {
        name
        for name in scope.parameter_names
        if name not in given and _keeps(scope, name, 0)
        if _is_none(find_default(scope.node, name))
    }
    words = {word.arg for word in call.keywords}
    return frozenset(found | {name for name, key in _list_options(scope) if key not in words})


def find_absent_attributes(maker: CodeScope, call: ast.Call) -> frozenset[str]:
    """``self.x`` of an object that a call makes, where its constructor keeps such a variable."""
    absent = find_absent_names(maker, call)
    return frozenset(
        key
        for key, values in maker.bindings.items()
        if key.startswith("self.") and len(values) == 1 and binding_key(values[0][0]) in absent
    )


def _list_options(scope: CodeScope) -> Iterator[tuple[str, str]]:
    """``x``, and the key, of ``x = kwargs.get("key")``."""
    rest = None if isinstance(scope.node, ast.Module) else scope.node.args.kwarg
    if rest is None:
        return
    for name, values in scope.bindings.items():
        value = values[0][0] if values and _keeps(scope, name, 1) else None
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            continue
        owner = value.func.value
        asks = value.func.attr == "get" and isinstance(owner, ast.Name) and owner.id == rest.arg
        if asks and all(map(_is_none, value.args[1:])):
            key = value.args[0] if value.args else None
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield name, key.value


def _keeps(scope: CodeScope, name: str, first: int) -> bool:
    """Is a variable given nothing else, but where it is something already?"""
    later = scope.bindings.get(name, ())[first:]
    return all(is_left_out(step, frozenset((name,))) for _, step in later)


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_left_out(step: CodeStep, absent: frozenset[str]) -> bool:
    """Does a step stand where one of these variables is something: ``if x is not None:``?"""
    return bool(absent) and any(_needs(guard, absent) for guard in step.context.guards)


def _needs(guard: GuardCondition, absent: frozenset[str]) -> bool:
    both = isinstance(guard.test, ast.BoolOp) and isinstance(guard.test.op, ast.And)
    parts = guard.test.values if isinstance(guard.test, ast.BoolOp) and both else [guard.test]
    for test in parts if guard.holds or not both else ():
        if binding_key(test) in absent:
            return guard.holds
        asked = isinstance(test, ast.Compare) and binding_key(test.left) in absent
        if asked and tests_for_none(GuardCondition(test, guard.holds), present=True):
            return True
    return False
