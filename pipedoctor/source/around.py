"""What stands around a step within its function: loops, conditions, handlers."""

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


LoopNode: TypeAlias = ast.For | ast.AsyncFor | ast.While


class Guard(NamedTuple):
    """A condition that holds here, or whose opposite holds."""

    test: ast.expr
    holds: bool


class Around(NamedTuple):
    """What stands around a step, within its function."""

    loops: tuple[LoopNode, ...] = ()
    guards: tuple[Guard, ...] = ()
    tries: tuple[ast.Try, ...] = ()
    managers: tuple[ast.expr, ...] = ()
    handler: bool = False
    inner: bool = False
    """In a function or lambda within the function."""


class Step(NamedTuple):
    """A node, and what stands around it."""

    node: ast.AST
    around: Around


def possible(one: Around, other: Around) -> bool:
    """Can both stand on one way through the function? Not in opposite branches."""
    known = {id(guard.test): guard.holds for guard in one.guards}
    return all(known.get(id(g.test), g.holds) == g.holds for g in other.guards)


Block: TypeAlias = tuple[Sequence[ast.AST], Around]
"""Nodes one after the other, and what they stand in."""


def _if(node: Any, around: Around) -> list[Block]:
    test: ast.expr = node.test
    loops, guards, tries, managers, handler, inner = around
    found: list[Block] = [([test], around)]
    parts: tuple[Any, Any] = node.body, node.orelse
    for part, holds in zip(parts, (True, False), strict=True):
        if part:
            within = (*guards, Guard(test, holds))
            its = Around(loops, within, tries, managers, handler, inner)
            found.append((part if isinstance(node, ast.If) else [part], its))
    return found


def _for(node: ast.For | ast.AsyncFor, around: Around) -> list[Block]:
    within = around._replace(loops=(*around.loops, node))
    head = [node.iter, node.target]
    return [(head, around), (node.body, within), (node.orelse, around)]


def _while(node: ast.While, around: Around) -> list[Block]:
    within = around._replace(loops=(*around.loops, node))
    return [([node.test], around), (node.body, within), (node.orelse, around)]


def _try(node: ast.Try, around: Around) -> list[Block]:
    within = around._replace(tries=(*around.tries, node))
    return [
        (node.body, within),
        (node.handlers, around._replace(handler=True)),
        (node.orelse, around),
        (node.finalbody, around),
    ]


def _with(node: ast.With | ast.AsyncWith, around: Around) -> list[Block]:
    contexts = [item.context_expr for item in node.items]
    within = around._replace(managers=(*around.managers, *contexts))
    return [(contexts, around), (node.body, within)]


def _function(node: FunctionNode, around: Around) -> list[Block]:
    return [(node.body, around._replace(inner=True))]


def _lambda(node: ast.Lambda, around: Around) -> list[Block]:
    return [([node.body], around._replace(inner=True))]


BLOCKS: dict[type[ast.AST], Callable[[Any, Around], list[Block]]] = {
    ast.AsyncFor: _for,
    ast.AsyncFunctionDef: _function,
    ast.AsyncWith: _with,
    ast.For: _for,
    ast.FunctionDef: _function,
    ast.If: _if,
    ast.IfExp: _if,
    ast.Lambda: _lambda,
    ast.Try: _try,
    ast.While: _while,
    ast.With: _with,
}
