"""What becomes of a sample that fails: swallowed, or tried again for ever."""

import ast

from pipedoctor.facts.code_events.item import SwallowedError, UnboundedRetry
from pipedoctor.source.detect.delegation import follow_delegation
from pipedoctor.source.detect.item.item_work import does_work
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.dataset_classes import ITEM_METHODS, find_dataset_method
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_LOOKUP_FUNCTIONS = {
    "index",
    "append",
    "extend",
    "insert",
    "len",
    "int",
    "float",
    "str",
}
"""What plain lists and numbers do: where they fail, something was not there."""
_JOINING_FUNCTIONS = {"stack", "cat", "tensor", "as_tensor", "array", "default_collate"}
"""They make one tensor or array of what is in a list, where all of it has one shape."""
_REMOVING_METHODS = {"discard", "remove", "pop"}


def record_swallowed_errors(recorder: EventRecorder, scope: CodeScope) -> None:
    """``except Exception: return self[0]``: a bad sample replaced in silence."""
    for step in scope.steps_by_type.get(ast.ExceptHandler, []):
        node = step.node
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = unparse_short(node.type) if node.type else ""
        if caught not in {"", "Exception", "BaseException"}:
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        raised = {id(n) for one in inside if isinstance(one, ast.Raise) for n in ast.walk(one)}
        left = [n for n in inside if id(n) not in raised]
        told = _always_raises(node.body) or any(
            isinstance(n, ast.Call) and _reports_error(n) for n in left
        )
        used = node.name and any(isinstance(n, ast.Name) and n.id == node.name for n in left)
        if told or used or _returns_none(scope, node) or _tries_again(recorder, scope, node):
            continue
        if _reads_otherwise(scope, node) or _stays_unjoined(scope, node):
            continue
        if _depends_on_sample(scope, node):
            recorder.add_event(SwallowedError(), scope, step, caught or "everything")


def _always_raises(body: list[ast.stmt]) -> bool:
    """Does it raise in each of its ways? In some alone it goes on in the others."""
    for one in body:
        if isinstance(one, ast.Raise):
            return True
        if isinstance(one, ast.If) and one.orelse:
            if _always_raises(one.body) and _always_raises(one.orelse):
                return True
        elif isinstance(one, (ast.With, ast.Try)) and _always_raises(one.body):
            return True
    return False


def _returns_none(scope: CodeScope, handler: ast.ExceptHandler) -> bool:
    """Does it return None or False to its caller, who decides what follows?"""
    entry = scope.name.rpartition(".")[2] in ITEM_METHODS
    return not entry and all(
        isinstance(one, (ast.Return, ast.Assign))
        and isinstance(one.value, ast.Constant)
        and one.value.value in {None, False}
        for one in handler.body
    )


def _tries_again(recorder: EventRecorder, scope: CodeScope, handler: ast.ExceptHandler) -> bool:
    """
    Does it end by asking the same of something else, which may fail in its turn?

    Not where a sample is read: then another one is read in its place.
    """
    tried = [_find_last_call(one.body) for one in _find_tries(scope, handler)]
    again = _find_last_call(handler.body)
    if again is None or None in tried:
        return False
    entered = recorder.call_graph.resolve_call(again.func, scope, scope.owner)
    works = any(
        does_work(recorder, one, step.node)
        for one, _ in entered
        for step in one.calls
        if isinstance(step.node, ast.Call)
    )
    same = {ast.unparse(one.func) for one in tried if one is not None} == {ast.unparse(again.func)}
    return same and bool(entered) and not works


def _reads_otherwise(scope: CodeScope, handler: ast.ExceptHandler) -> bool:
    """``open(path, encoding="cp1252")`` where ``open(path)`` failed: the same in another way?"""
    tried = [c for n in _find_tries(scope, handler) for s in n.body for c in _list_reads(s)]
    again = [c for s in handler.body for c in _list_reads(s)]
    return not set(tried).isdisjoint(again) and set(again) <= set(tried)


def _stays_unjoined(scope: CodeScope, handler: ast.ExceptHandler) -> bool:
    """``batch = rows`` where ``batch = torch.stack(rows)`` failed: the same, as a list?"""
    kept = {_describe_binding(one, one.value) for one in _list_assignments(handler.body)}
    joined = {
        _describe_binding(one, one.value.args[0])
        for node in _find_tries(scope, handler)
        for one in _list_assignments(node.body)
        if isinstance(one.value, ast.Call) and one.value.args
        if last_name(one.value.func) in _JOINING_FUNCTIONS
    }
    return len(handler.body) == len(kept) and kept <= joined


def _list_assignments(body: list[ast.stmt]) -> list[ast.Assign]:
    return [one for one in body if isinstance(one, ast.Assign)]


def _describe_binding(node: ast.Assign, value: ast.expr) -> tuple[str, ...]:
    return (*map(ast.unparse, node.targets), ast.unparse(value))


def _list_reads(node: ast.stmt) -> list[tuple[str, str]]:
    """What is called in it with an argument, and that argument."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return [(ast.unparse(one.func), ast.unparse(one.args[0])) for one in calls if one.args]


def _find_last_call(body: list[ast.stmt]) -> ast.Call | None:
    """The call whose value the last statement keeps."""
    last = body[-1]
    value = last.value if isinstance(last, (ast.Assign, ast.Expr, ast.Return)) else None
    return value if isinstance(value, ast.Call) else None


def _find_tries(scope: CodeScope, handler: ast.ExceptHandler) -> list[ast.Try]:
    return [n for n in ast.walk(scope.node) if isinstance(n, ast.Try) and handler in n.handlers]


def _depends_on_sample(scope: CodeScope, handler: ast.ExceptHandler) -> bool:
    """Does what may fail here use anything that this function was given or made?"""
    body = [s for n in _find_tries(scope, handler) for s in n.body]
    called = [c for s in body for c in ast.walk(s) if isinstance(c, ast.Call)]
    if called and all(last_name(c.func) in _LOOKUP_FUNCTIONS for c in called):
        return False
    if body and not called and _assigns_default(body, handler):
        return False
    inside = {id(n): n for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
    read = {n.id for n in inside.values() if isinstance(n.ctx, ast.Load)}
    outside = {
        n.id
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in inside
    }
    given = {n.arg for n in ast.walk(scope.node) if isinstance(n, ast.arg)}
    return not body or bool(read & (outside | given))


def _assigns_default(body: list[ast.stmt], handler: ast.ExceptHandler) -> bool:
    """``x = self.times[i]``, or else ``x = i``; another row is no default: ``self.rows[0]``."""
    plain = all(isinstance(one, ast.Assign) for one in (*body, *handler.body))
    return plain and not any(find_nodes(one, (ast.Call, ast.Subscript)) for one in handler.body)


def _reports_error(call: ast.Call) -> bool:
    words = ("print", "warn", "log", "error", "info", "debug", "exception", "report")
    stops = ("set_trace", "breakpoint", "embed", "exit", "abort")
    name = unparse_short(call.func).lower()
    return any(word in name for word in (*words, *stops))


def find_item_entries(recorder: EventRecorder) -> set[int]:
    """The functions that are asked for one item, by identity."""
    found: set[int] = set()
    for cls in recorder.call_graph.datasets.values():
        method = find_dataset_method(recorder.project, cls, "__getitem__")
        if method is not None:
            found |= {id(method), id(follow_delegation(recorder, cls, method).scope)}
    return found


def record_unbounded_retries(recorder: EventRecorder, scope: CodeScope, entries: set[int]) -> None:
    """``while True`` around a sample that fails, with nothing that counts."""
    for step in scope.steps_by_type.get(ast.While, []):
        node = step.node
        if not isinstance(node, ast.While):
            continue
        if not isinstance(node.test, ast.Constant):
            drawn = id(scope) in entries and _draws_until_loaded(recorder, scope, node)
            if drawn or _notes_that_it_loaded(node):
                recorder.add_event(UnboundedRetry(shrinks=False), scope, step)
            continue
        inside = [n for s in node.body for n in ast.walk(s)]
        done = _list_exits_when_loaded(node)
        bounded = any(
            isinstance(n, (ast.Break, ast.Raise, ast.Yield, ast.YieldFrom)) and n not in done
            for n in inside
        )
        ends = bool(done) or any(isinstance(n, ast.Return) for n in inside)
        tried = any(isinstance(n, (ast.Try, ast.Subscript)) for n in inside)
        tried = tried or _asks_whether_loaded(node)
        if ends and tried and not bounded and id(scope) in entries:
            shrinks = any(
                isinstance(n, ast.Call) and last_name(n.func) in _REMOVING_METHODS for n in inside
            )
            recorder.add_event(UnboundedRetry(shrinks=shrinks), scope, step)


def _notes_that_it_loaded(loop: ast.While) -> bool:
    """``while not done: try: x = load(name); done = True``: the same again, with no end."""
    test = loop.test
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
    attempts = [one for one in loop.body if isinstance(one, ast.Try) and one.handlers]
    if not isinstance(asked, ast.Name) or len(loop.body) != 1 or not attempts:
        return False
    inside = [n for s in loop.body for n in ast.walk(s)]
    ends = (ast.Break, ast.Raise, ast.Return, ast.AugAssign, ast.Yield)
    if any(isinstance(n, ends) for n in inside) or _changes(attempts[0].handlers):
        return False
    last = attempts[0].body[-1]
    return (
        isinstance(last, ast.Assign)
        and isinstance(last.value, ast.Constant)
        and bool(last.value.value)
        and any(binding_key(one) == asked.id for one in last.targets)
    )


def _changes(handlers: list[ast.ExceptHandler]) -> bool:
    """Does a handler leave anything else for the next attempt?"""
    return any(isinstance(n, ast.Assign) for one in handlers for n in ast.walk(one))


def _asks_whether_loaded(loop: ast.While) -> bool:
    """``if sample is None: index = random.choice(rows); continue``, of what was asked for here."""
    made = {
        target.id
        for one in loop.body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    return any(
        isinstance(one, ast.If)
        and isinstance(one.body[-1], ast.Continue)
        and not made.isdisjoint(n.id for n in ast.walk(one.test) if isinstance(n, ast.Name))
        for one in loop.body
    )


def _list_exits_when_loaded(loop: ast.While) -> list[ast.stmt]:
    """``break`` behind what may fail, where nothing failed; errors that a handler catches."""
    found: list[ast.stmt] = []
    for one in loop.body:
        if isinstance(one, ast.Try) and one.handlers:
            found += [n for n in (*one.body[-1:], *one.orelse[-1:]) if isinstance(n, ast.Break)]
            found += [n for s in one.body for n in ast.walk(s) if isinstance(n, ast.Raise)]
    tried = any(isinstance(one, ast.Try) for one in loop.body[:-1])
    if tried and isinstance(loop.body[-1], ast.Break):
        found.append(loop.body[-1])
    return found


def _asks_for_files(recorder: EventRecorder, scope: CodeScope, loop: ast.While) -> bool:
    """``while not os.path.exists(row.path): row = self.rows[...]``: until one is there."""
    given = {
        target.id
        for one in loop.body
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    asked = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
    calls = (n for n in ast.walk(loop.test) if isinstance(n, ast.Call))
    names = {recorder.full_name_of(one.func, scope) for one in calls}
    return bool(given & asked) and not names.isdisjoint(("os.path.exists", "os.path.isfile"))


def _draws_until_loaded(recorder: EventRecorder, scope: CodeScope, node: ast.While) -> bool:
    """``while not rows: rows = load(random.choice(files))``, with nothing that counts."""
    inside = [n for s in node.body for n in ast.walk(s)]
    if any(isinstance(n, (ast.Break, ast.Raise, ast.Return, ast.AugAssign)) for n in inside):
        return False
    asked = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    loaded = any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and does_work(recorder, scope, one.value)
        and any(isinstance(target, ast.Name) and target.id in asked for target in one.targets)
        for one in inside
    )
    loaded = loaded or _asks_for_files(recorder, scope, node)
    draws = (recorder.full_name_of(n.func, scope) for n in inside if isinstance(n, ast.Call))
    return loaded and any(name.startswith(("random.", "numpy.random.")) for name in draws)
