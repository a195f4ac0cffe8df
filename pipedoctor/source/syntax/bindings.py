"""Which names a piece of code reads and binds, wherever in it."""

import ast
import builtins
from collections.abc import Iterator

from pipedoctor.source.syntax.walk import find_nodes

BUILTIN_NAMES = frozenset(dir(builtins))
_NAMING_NODES = frozenset(
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
    if {"id", "arg", "name", "names", "rest"} & set(kind._fields)
)
"""Kinds of nodes that may read or bind a name."""


def collect_names(node: ast.AST) -> Iterator[str]:
    """Every name that is read or bound anywhere in it; imports, parameters and all."""
    for one in find_nodes(node, _NAMING_NODES):
        yield from names_of_node(one)


def names_of_node(node: ast.AST) -> Iterator[str]:
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


def expression_names(node: ast.expr) -> set[str]:
    """The variables in an expression, by their names."""
    return {one.id for one in find_nodes(node, (ast.Name,))}


def bound_names(node: ast.AST) -> set[str]:
    """Names that it binds, in itself and in what is nested in it."""
    found: set[str] = set()
    for one in find_nodes(node, _NAMING_NODES):
        if not (isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)):
            found.update(names_of_node(one))
    return found


def module_level_names(statement: ast.stmt, *, include_globals: bool = True) -> set[str]:
    """What a statement of the module binds there; `deep`: by ``global`` from within."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        if not include_globals:
            return {statement.name}
        told = (n.names for n in find_nodes(statement, (ast.Global,)))
        return {statement.name, *(name for names in told for name in names)}
    return bound_names(statement)
