"""``f = open(path)``: what becomes the body of a ``with``."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.code_events.details import RewriteDetails
from pipedoctor.source.rewrite.inline_open import wrap_inline_open
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.blocks import (
    find_indent_unit,
    find_statement_path,
    is_alone_on_lines,
    lines_to_indent,
)
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText

FILE_METHODS = {"read", "readline", "readlines", "seek", "tell", "write", "writelines"}
"""Methods of a file whose result is not the file."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


def wrap_in_with(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """
    Everything up to its last use, if none of these can outlive the line it is on.

    So it is closed where nobody reads it any more, and nothing else changes.
    """
    path = find_statement_path(source.module.file.tree, node)
    place = path[-1] if path else None
    line = place.statement if place else None
    if place is None or not isinstance(line, ast.Assign) or line.value is not node:
        return wrap_inline_open(source, scope, node, path)
    name = line.targets[0]
    named = len(line.targets) == 1 and isinstance(name, ast.Name)
    if not named or not isinstance(name, ast.Name) or not is_alone_on_lines(source, line):
        return NO_PIECES
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _OPEN_FUNCTIONS:
        return NO_PIECES
    body = [one for one in place.next_statements if name.id in _names_in(one)]
    body = place.next_statements[: place.next_statements.index(body[-1]) + 1] if body else []
    if not body or not _is_used_directly(scope.node, body, name.id):
        return NO_PIECES
    lines = lines_to_indent(source, body, line)
    ends = source.text_between(source.node_end(node), source.node_end(line))
    if lines is None or ends:
        return NO_PIECES
    unit = find_indent_unit(source, path[-1].block[0], path[-2].statement)
    return RewritePieces(
        {
            "begin": source.make_span(source.node_start(line), source.node_start(node)),
            "end": source.make_span(source.node_end(node)),
        },
        {
            "begin": "with ",
            "end": f" as {name.id}:",
        },
        RewriteDetails(lines=lines, unit=unit),
    )


_OPEN_FUNCTIONS = {"open", "io.open"}


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_used_directly(function: ast.AST, body: list[ast.stmt], name: str) -> bool:
    """Is it bound once, and read directly wherever it is used?"""
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    harmless = {id(one) for line in body for one in _direct_uses(line, name)}
    later = [n for n in uses if id(n) not in harmless]
    told = (ast.Global, ast.Nonlocal)
    outer = any(isinstance(n, told) and name in n.names for n in ast.walk(function))
    once = len(later) == 1 and isinstance(later[0].ctx, ast.Store)
    return once and not outer and not _is_parameter(function, name)


def _is_parameter(function: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.arg) and n.arg == name for n in ast.walk(function))


def _direct_uses(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """``f.read()``, ``for x in f``, ``[... for x in f]``; nothing that waits."""
    if isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.FunctionDef, ast.ClassDef)):
        return
    found: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = node.func.value if node.func.attr in FILE_METHODS else None
    elif isinstance(node, ast.For):
        found = node.iter
    elif isinstance(node, _COMPREHENSIONS):
        found = node.generators[0].iter
    if isinstance(found, ast.Name) and found.id == name:
        yield found
    for child in ast.iter_child_nodes(node):
        yield from _direct_uses(child, name)
