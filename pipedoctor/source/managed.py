"""``f = open(path)``: what becomes the body of a ``with``."""

import ast
from collections.abc import Iterator

from pipedoctor.source.at_once import at_once
from pipedoctor.source.blocks import alone, lines_to_indent, path_to, unit_of
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen
from pipedoctor.source.scope import Scope

READS = {"read", "readline", "readlines", "seek", "tell", "write", "writelines"}
"""Methods of a file whose result is not the file."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


def opened(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """
    Everything up to its last use, if none of these can outlive the line it is on.

    So it is closed where nobody reads it any more, and nothing else changes.
    """
    path = path_to(pen.module.text.tree, node)
    place = path[-1] if path else None
    line = place.statement if place else None
    if place is None or not isinstance(line, ast.Assign) or line.value is not node:
        return at_once(pen, scope, node, path)
    name = line.targets[0]
    named = len(line.targets) == 1 and isinstance(name, ast.Name)
    if not named or not isinstance(name, ast.Name) or not alone(pen, line):
        return NONE
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _NAMES:
        return NONE
    body = [one for one in place.rest if name.id in _loads(one)]
    body = place.rest[: place.rest.index(body[-1]) + 1] if body else []
    if not body or not _only_here(scope.node, body, name.id):
        return NONE
    lines = lines_to_indent(pen, body, line)
    ends = pen.text(pen.end(node), pen.end(line))
    if lines is None or ends:
        return NONE
    unit = unit_of(pen, path[-1].block[0], path[-2].statement)
    return Pieces(
        {
            "begin": pen.span(pen.start(line), pen.start(node)),
            "end": pen.span(pen.end(node)),
        },
        {
            "begin": "with ",
            "end": f" as {name.id}:",
            "lines": lines,
            "unit": unit,
        },
    )


_NAMES = {"open", "io.open"}


def _loads(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _only_here(function: ast.AST, body: list[ast.stmt], name: str) -> bool:
    """Is it bound once, and asked at once wherever it is used?"""
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    harmless = {id(one) for line in body for one in _asked(line, name)}
    later = [n for n in uses if id(n) not in harmless]
    told = (ast.Global, ast.Nonlocal)
    outer = any(isinstance(n, told) and name in n.names for n in ast.walk(function))
    once = len(later) == 1 and isinstance(later[0].ctx, ast.Store)
    return once and not outer and not _given(function, name)


def _given(function: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.arg) and n.arg == name for n in ast.walk(function))


def _asked(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """``f.read()``, ``for x in f``, ``[... for x in f]``; nothing that waits."""
    if isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.FunctionDef, ast.ClassDef)):
        return
    found: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = node.func.value if node.func.attr in READS else None
    elif isinstance(node, ast.For):
        found = node.iter
    elif isinstance(node, _COMPREHENSIONS):
        found = node.generators[0].iter
    if isinstance(found, ast.Name) and found.id == name:
        yield found
    for child in ast.iter_child_nodes(node):
        yield from _asked(child, name)
