"""Nodes of a syntax tree, quicker than `ast` hands them out."""

import ast
from collections.abc import Callable, Collection, Iterator
from operator import attrgetter
from typing import Any, TypeVar, cast

NodeType = TypeVar("NodeType", bound=ast.AST)

LEAF_TYPES: frozenset[type] = frozenset(
    (
        ast.Name,
        ast.Constant,
        str,
        int,
        bool,
        type(None),
        *ast.expr_context.__subclasses__(),
        *ast.operator.__subclasses__(),
        *ast.unaryop.__subclasses__(),
        *ast.cmpop.__subclasses__(),
        *ast.boolop.__subclasses__(),
    )
)
"""What has no parts that anybody asks for."""
_UNNAMED_LEAVES: frozenset[type] = LEAF_TYPES - {ast.Name, ast.Constant}
_NAMELESS_LEAVES: frozenset[type] = LEAF_TYPES - {ast.Name}


_PARTLESS_FIELDS = frozenset(
    (
        *("ctx", "op", "ops", "id", "attr", "arg", "kind", "conversion", "type_comment"),
        *("simple", "is_async", "level", "module", "asname", "type_ignores", "tag"),
    )
)
"""Fields that hold no nodes with names or parts, in no type of node."""


class _PartGetters(dict[type, Callable[[Any], Collection[Any]]]):
    """For each type of node what gives the fields that may hold its parts, in their order."""

    def __missing__(self, kind: type[ast.AST]) -> Callable[[Any], Collection[Any]]:
        fields = [name for name in kind._fields if name not in _PARTLESS_FIELDS]
        if kind is ast.Constant or not fields:
            self[kind] = _no_parts
        elif len(fields) == 1:
            only = attrgetter(*fields)
            self[kind] = lambda node: (only(node),)
        else:
            self[kind] = attrgetter(*fields)
        return self[kind]


def _no_parts(_node: ast.AST) -> Collection[Any]:
    return ()


_PART_GETTERS = _PartGetters()


def walk_branches(top: ast.AST) -> list[ast.AST]:
    """All that `ast.walk` gives, in its order, but for the leaves."""
    return _walk_tree(top, LEAF_TYPES)


def find_nodes(top: ast.AST, node_types: Collection[type[NodeType]]) -> list[NodeType]:
    """Those of some kinds that `ast.walk` gives, in its order."""
    found = [node for node in _walk_tree(top, _UNNAMED_LEAVES) if type(node) in node_types]
    return cast("list[NodeType]", found)


def contains_node(value: ast.expr | ast.stmt, part: ast.AST) -> bool:
    """Is it this expression or statement, or within it? Nothing is, on other lines."""
    first, last = value.lineno, value.end_lineno or value.lineno
    line: int = getattr(part, "lineno", 0)
    return first <= line <= last and any(n is part for n in ast.walk(value))


def statement_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks that a statement or a module holds."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for name in ("handlers", "cases"):
        for one in getattr(node, name, ()):
            yield one.body


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that have names or parts themselves; constants do not."""
    found: list[ast.AST] = []
    for value in _PART_GETTERS[type(node)](node):
        kind = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is list:
            many = cast("list[ast.AST]", value)
            found += [one for one in many if type(one) not in _NAMELESS_LEAVES]
        elif kind not in _NAMELESS_LEAVES:
            found.append(value)
    return found


def _walk_tree(top: ast.AST, leaves: frozenset[type]) -> list[ast.AST]:
    found = [top]
    for node in found:
        for value in _PART_GETTERS[type(node)](node):
            kind = type(value)  # pyright: ignore[reportUnknownVariableType]
            if kind is list:
                many = cast("list[ast.AST]", value)
                found.extend([one for one in many if type(one) not in leaves])
            elif kind not in leaves:
                found.append(value)
    return found
