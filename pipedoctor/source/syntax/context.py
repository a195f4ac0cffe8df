"""What stands around a step within its function: loops, conditions, handlers."""

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


LoopNode: TypeAlias = ast.For | ast.AsyncFor | ast.While


class GuardCondition(NamedTuple):
    """A condition that holds here, or whose opposite holds."""

    test: ast.expr
    holds: bool


class CodeContext(NamedTuple):
    """What stands around a step, within its function."""

    loops: tuple[LoopNode, ...] = ()
    guards: tuple[GuardCondition, ...] = ()
    tries: tuple[ast.Try, ...] = ()
    managers: tuple[ast.expr, ...] = ()
    handler: bool = False
    inner: bool = False
    """In a function or lambda within the function."""

    def within(self, line: int, *, inner: bool) -> "CodeContext":
        """What stands around it within a part that begins at a line."""
        return CodeContext(
            tuple(one for one in self.loops if one.lineno >= line),
            tuple(one for one in self.guards if one.test.lineno >= line),
            tuple(one for one in self.tries if one.lineno >= line),
            tuple(one for one in self.managers if one.lineno >= line),
            self.handler,
            inner,
        )


class CodeStep(NamedTuple):
    """A node of the syntax tree with its context."""

    node: ast.AST
    context: CodeContext


def can_coincide(one: CodeContext, other: CodeContext) -> bool:
    """Can both be reached in one run of the function? Not in opposite branches."""
    known = {id(guard.test): guard.holds for guard in one.guards}
    return all(known.get(id(g.test), g.holds) == g.holds for g in other.guards)


ContextBlock: TypeAlias = tuple[Sequence[ast.AST], CodeContext]
"""Nodes one after the other, and what they stand in."""


def _split_if(node: Any, context: CodeContext) -> list[ContextBlock]:
    test: ast.expr = node.test
    loops, guards, tries, managers, handler, inner = context
    found: list[ContextBlock] = [([test], context)]
    parts: tuple[Any, Any] = node.body, node.orelse
    always = _find_constant_truth(test)
    for part, holds in zip(parts, (True, False), strict=True):
        if part and always in {None, holds}:
            within = guards if always is holds else (*guards, GuardCondition(test, holds))
            its = CodeContext(loops, within, tries, managers, handler, inner)
            found.append((part if isinstance(node, ast.If) else [part], its))
    return found


def _find_constant_truth(test: ast.expr) -> bool | None:
    """``if False:``, ``if True:``: does a condition hold whatever happens? None: it depends."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return False if False in map(_find_constant_truth, test.values) else None
    return None


def _split_for(node: ast.For | ast.AsyncFor, context: CodeContext) -> list[ContextBlock]:
    within = context._replace(loops=(*context.loops, node))
    head = [node.iter, node.target]
    return [(head, context), (node.body, within), (node.orelse, context)]


def _split_while(node: ast.While, context: CodeContext) -> list[ContextBlock]:
    within = context._replace(loops=(*context.loops, node))
    return [([node.test], context), (node.body, within), (node.orelse, context)]


def _split_try(node: ast.Try, context: CodeContext) -> list[ContextBlock]:
    within = context._replace(tries=(*context.tries, node))
    return [
        (node.body, within),
        (node.handlers, context._replace(handler=True)),
        (node.orelse, context),
        (node.finalbody, context),
    ]


def _split_with(node: ast.With | ast.AsyncWith, context: CodeContext) -> list[ContextBlock]:
    contexts = [item.context_expr for item in node.items]
    within = context._replace(managers=(*context.managers, *contexts))
    return [(contexts, context), (node.body, within)]


def _split_function(node: FunctionNode, context: CodeContext) -> list[ContextBlock]:
    return [(node.body, context._replace(inner=True))]


def _split_lambda(node: ast.Lambda, context: CodeContext) -> list[ContextBlock]:
    return [([node.body], context._replace(inner=True))]


BLOCK_SPLITTERS: dict[type[ast.AST], Callable[[Any, CodeContext], list[ContextBlock]]] = {
    ast.AsyncFor: _split_for,
    ast.AsyncFunctionDef: _split_function,
    ast.AsyncWith: _split_with,
    ast.For: _split_for,
    ast.FunctionDef: _split_function,
    ast.If: _split_if,
    ast.IfExp: _split_if,
    ast.Lambda: _split_lambda,
    ast.Try: _split_try,
    ast.While: _split_while,
    ast.With: _split_with,
}


def tests_for_none(guard: GuardCondition, *, present: bool) -> bool:
    """``if x is not None``, or the else of its opposite: only where something is `present`."""
    test = guard.test
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.IsNot if guard.holds is present else ast.Is)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )
