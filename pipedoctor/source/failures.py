"""What becomes of a sample that fails: swallowed, or tried again for ever."""

import ast

from pipedoctor.source.project import last_name
from pipedoctor.source.reach import ENTRY
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope
from pipedoctor.source.values import written

_LOOKUPS = {"index", "append", "extend", "insert", "len", "int", "float", "str"}
"""What plain lists and numbers do: where they fail, something was not there."""
_TAKES = {"discard", "remove", "pop"}


def handlers(recorder: Recorder, scope: Scope) -> None:
    """``except Exception: return self[0]``: a bad sample replaced in silence."""
    for step in scope.of_type.get(ast.ExceptHandler, []):
        node = step.node
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = written(node.type) if node.type else ""
        if caught not in {"", "Exception", "BaseException"}:
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        calls = [n for n in inside if isinstance(n, ast.Call)]
        told = any(isinstance(n, ast.Raise) for n in inside) or any(
            _tells(call) for call in calls
        )
        used = node.name and any(
            isinstance(n, ast.Name) and n.id == node.name for n in inside
        )
        if told or used or _hands_none_on(scope, node):
            continue
        if _of_sample(scope, node):
            recorder.add("swallowed", scope, step, caught or "everything")


def _hands_none_on(scope: Scope, handler: ast.ExceptHandler) -> bool:
    """It says None or False to its caller, who decides what follows."""
    entry = scope.name.rpartition(".")[2] in ENTRY
    return not entry and all(
        isinstance(one, (ast.Return, ast.Assign))
        and isinstance(one.value, ast.Constant)
        and one.value.value in {None, False}
        for one in handler.body
    )


def _of_sample(scope: Scope, handler: ast.ExceptHandler) -> bool:
    """Does what may fail here use anything that this function was given or made?"""
    tries = [n for n in ast.walk(scope.node) if isinstance(n, ast.Try)]
    body = [s for n in tries if handler in n.handlers for s in n.body]
    called = [c for s in body for c in ast.walk(s) if isinstance(c, ast.Call)]
    if called and all(last_name(c.func) in _LOOKUPS for c in called):
        return False
    inside = {id(n): n for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    read = {n.id for n in inside.values() if isinstance(n.ctx, ast.Load)}
    outside = {
        n.id
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Name)
        and isinstance(n.ctx, ast.Store)
        and id(n) not in inside
    }
    given = {n.arg for n in ast.walk(scope.node) if isinstance(n, ast.arg)}
    return not body or bool(read & (outside | given))


def _tells(call: ast.Call) -> bool:
    words = ("print", "warn", "log", "error", "info", "debug", "exception", "report")
    return any(word in written(call.func).lower() for word in words)


def retries(recorder: Recorder, scope: Scope) -> None:
    """``while True`` around a sample that fails, with nothing that counts."""
    for step in scope.of_type.get(ast.While, []):
        node = step.node
        if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant):
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        bounded = any(
            isinstance(n, (ast.Break, ast.Raise, ast.Yield, ast.YieldFrom))
            for n in inside
        )
        ends = any(isinstance(n, ast.Return) for n in inside)
        tried = any(isinstance(n, (ast.Try, ast.Subscript)) for n in inside)
        if ends and tried and not bounded and scope.name.endswith("__getitem__"):
            shrinks = any(
                isinstance(n, ast.Call) and last_name(n.func) in _TAKES for n in inside
            )
            recorder.add("unbounded-retry", scope, step, shrinks=shrinks)
