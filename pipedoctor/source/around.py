"""What stands around a step within its function: loops, conditions, handlers."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


LoopNode: TypeAlias = ast.For | ast.AsyncFor | ast.While


class Guard(NamedTuple):
    """A condition that holds here, or whose opposite holds."""

    test: ast.expr
    holds: bool


@dataclass(frozen=True, slots=True)
class Around:
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


def children(node: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """The parts of a node; blocks know what they stand in."""
    if isinstance(node, ast.If):
        yield node.test, around
        yield from _block(node.body, _guarded(around, node.test, holds=True))
        yield from _block(node.orelse, _guarded(around, node.test, holds=False))
    elif isinstance(node, ast.IfExp):
        yield node.test, around
        yield node.body, _guarded(around, node.test, holds=True)
        yield node.orelse, _guarded(around, node.test, holds=False)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        yield from _loop(node, around)
    elif isinstance(node, ast.Try):
        yield from _try(node, around)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        contexts = [item.context_expr for item in node.items]
        yield from _block(contexts, around)
        within = (*around.managers, *contexts)
        yield from _block(node.body, _with(around, managers=within))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        body = node.body if isinstance(node.body, list) else [node.body]
        yield from _block(body, _with(around, inner=True))
    else:
        for child in ast.iter_child_nodes(node):
            yield child, around


def _block(
    nodes: "list[ast.stmt] | list[ast.expr]", around: Around
) -> Iterator[tuple[ast.AST, Around]]:
    return ((node, around) for node in nodes)


def _loop(node: LoopNode, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    within = _with(around, loops=(*around.loops, node))
    if isinstance(node, ast.While):
        yield node.test, around
    else:
        yield node.iter, around
        yield node.target, around
    yield from _block(node.body, within)
    yield from _block(node.orelse, around)


def _try(node: ast.Try, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    yield from _block(node.body, _with(around, tries=(*around.tries, node)))
    for handler in node.handlers:
        yield handler, _with(around, handler=True)
    yield from _block(node.orelse, around)
    yield from _block(node.finalbody, around)


def _guarded(around: Around, test: ast.expr, *, holds: bool) -> Around:
    return _with(around, guards=(*around.guards, Guard(test, holds)))


def _with(around: Around, **changed: Any) -> Around:
    known = {name: getattr(around, name) for name in Around.__slots__}
    return Around(**(known | changed))
