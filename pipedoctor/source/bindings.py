"""Which names a piece of code reads and binds, wherever in it."""

import ast
import builtins
from collections.abc import Iterator

from pipedoctor.source.walk import nodes

BUILTINS = frozenset(dir(builtins))
_NAMED = frozenset(
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
    if {"id", "arg", "name", "names", "rest"} & set(kind._fields)
)
"""Kinds of nodes that may read or bind a name."""


def names_in(node: ast.AST) -> Iterator[str]:
    """Every name that is read or bound anywhere in it; imports, parameters and all."""
    for one in nodes(node, _NAMED):
        yield from own_names(one)


def own_names(node: ast.AST) -> Iterator[str]:
    """Those that this node itself names, apart from what is within it."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    else:  # functions, classes, ``except ... as``, and patterns
        named = (getattr(node, field, None) for field in ("name", "rest"))
        yield from (name for name in named if isinstance(name, str))


def bound_in(node: ast.AST) -> set[str]:
    """Names that it binds, in itself and in what is nested in it."""
    found: set[str] = set()
    for one in nodes(node, _NAMED):
        if not (isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)):
            found.update(own_names(one))
    return found


def bound_at_top(statement: ast.stmt, *, deep: bool = True) -> set[str]:
    """What a statement of the module binds there; `deep`: by ``global`` from within."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        if not deep:
            return {statement.name}
        told = (n.names for n in nodes(statement, (ast.Global,)))
        return {statement.name, *(name for names in told for name in names)}
    return bound_in(statement)
