"""How a dictionary of arguments is changed between where it is made and where it is used."""

import ast
from collections.abc import Callable, Iterator

from pipedoctor.source.resolve.keyword_dictionary import (
    ArgumentExpression,
    KeywordDictionary,
    set_argument,
)
from pipedoctor.source.syntax.context import CodeStep, can_coincide
from pipedoctor.source.syntax.expressions import unparse_node
from pipedoctor.source.syntax.scope import CodeScope

Resolve = Callable[[ast.expr, CodeScope, CodeStep], list[KeywordDictionary]]
"""The dictionaries that an expression may be, at a step."""
_METHODS = ("update", "setdefault", "pop")


def apply_changes(
    name: str,
    scope: CodeScope,
    dictionary: KeywordDictionary,
    between: tuple[int, CodeStep | None],
    resolve: Resolve,
) -> KeywordDictionary:
    """
    With ``d.update(...)``, ``d[name] = ...``, ``d.pop(name)`` that follow.

    `name` is what it is called in the function; they stand between the line where it is made
    and the step that uses it in the same function: what is changed after that does not reach
    the use, unless a loop comes back to it.
    """
    for step in _find_changes(name, scope, dictionary, between):
        around = step.context.guards[len(dictionary.context.guards) :]
        test = unparse_node(around[-1].test) if around else ""
        if isinstance(step.node, ast.Call):
            dictionary = _call_method(dictionary, step, scope, test, resolve)
        else:
            dictionary = _change_items(dictionary, name, step.node, scope, test)
    return dictionary


def _find_changes(
    name: str,
    scope: CodeScope,
    dictionary: KeywordDictionary,
    between: tuple[int, CodeStep | None],
) -> Iterator[CodeStep]:
    start, used = between
    for step in scope.steps:
        if not _may_change(step.node, name) or getattr(step.node, "lineno", 0) < start:
            continue
        if not can_coincide(step.context, dictionary.context):
            continue
        if used is None or _comes_before(step, used):
            yield step


def _comes_before(step: CodeStep, used: CodeStep) -> bool:
    """Does it stand above the use, not in an opposite branch, or in a loop around both?"""
    if not can_coincide(step.context, used.context):
        return False
    shared = {id(one) for one in step.context.loops} & {id(one) for one in used.context.loops}
    line: int = getattr(step.node, "lineno", 0)
    return bool(shared) or line < getattr(used.node, "lineno", 0)


def _may_change(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call):
        func = node.func
        return (
            isinstance(func, ast.Attribute)
            and func.attr in _METHODS
            and unparse_node(func.value) == name
        )
    targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else []
    return any(
        isinstance(one, ast.Subscript) and unparse_node(one.value) == name for one in targets
    )


def _change_items(
    dictionary: KeywordDictionary, name: str, node: ast.AST, scope: CodeScope, test: str
) -> KeywordDictionary:
    """``d["shuffle"] = True``, ``del d["shuffle"]``."""
    given, whole = dict(dictionary.arguments), dictionary.complete
    for target in node.targets if isinstance(node, (ast.Assign, ast.Delete)) else []:
        if not isinstance(target, ast.Subscript) or unparse_node(target.value) != name:
            continue
        key = _text_of(target.slice)
        if isinstance(node, ast.Assign) and key:
            set_argument(given, key, ArgumentExpression(node.value, scope, test))
        elif isinstance(node, ast.Delete) and key:
            whole = _remove(given, key, test) and whole
        else:
            whole = False
    return dictionary._replace(arguments=given, complete=whole)


def _call_method(
    dictionary: KeywordDictionary, step: CodeStep, scope: CodeScope, test: str, resolve: Resolve
) -> KeywordDictionary:
    """``d.update(shuffle=True)``, ``d.setdefault("shuffle", True)``, ``d.pop("shuffle")``."""
    call = step.node
    given, whole = dict(dictionary.arguments), dictionary.complete
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return dictionary
    key = _text_of(call.args[0]) if call.args else ""
    if call.func.attr == "pop":
        whole = bool(key) and _remove(given, key, test) and whole
    elif call.func.attr == "setdefault":
        if key and key not in given and len(call.args) > 1:
            given[key] = ArgumentExpression(call.args[1], scope, test, is_fallback=not whole)
    else:
        for value in call.args:
            for other in resolve(value, scope, step):
                whole = whole and other.complete
                for name, one in other.arguments.items():
                    set_argument(given, name, one._replace(condition=test or one.condition))
        for word in call.keywords:
            if word.arg:
                set_argument(given, word.arg, ArgumentExpression(word.value, scope, test))
            else:
                whole = False
    return dictionary._replace(arguments=given, complete=whole)


def _remove(given: dict[str, ArgumentExpression], key: str, test: str) -> bool:
    """Take an argument out; is what is left known?"""
    return given.pop(key, None) is None or not test


def _text_of(node: ast.expr) -> str:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""
