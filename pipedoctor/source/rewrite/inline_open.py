"""``x = open(path).read()``: a file that has no name of its own."""

import ast
import re
from collections.abc import Sequence

from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.bindings import collect_names
from pipedoctor.source.syntax.blocks import (
    StatementPosition,
    find_indent_unit,
    is_alone_on_lines,
)
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText

_FILE_VARIABLE = "file"
_OPEN_FUNCTIONS = {"open", "io.open"}
_PREFIX_PATTERN = re.compile(r"(return |yield |[\w., ]+ = )?([\w.]+\()*")
"""What may stand before it in its statement: it is done again after the opening."""


def wrap_inline_open(
    source: SourceText,
    scope: CodeScope,
    node: ast.AST,
    path: Sequence[StatementPosition],
) -> RewritePieces:
    """A ``with`` around its statement, if the file is what is asked first there."""
    line = path[-1].statement if path else None
    value = getattr(line, "value", None)
    if not isinstance(line, (ast.Assign, ast.Return, ast.Expr)) or value is node:
        return NO_PIECES
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _OPEN_FUNCTIONS:
        return NO_PIECES
    before = source.text_between(source.node_start(line), source.node_start(node))
    if not (
        _is_evaluated_first(value, node)
        and _PREFIX_PATTERN.fullmatch(before)
        and is_alone_on_lines(source, line)
    ):
        return NO_PIECES
    if source.node_start(line).line != source.node_end(
        line
    ).line or _FILE_VARIABLE in collect_names(scope.node):
        return NO_PIECES
    inner = source.indentation(line.lineno) + find_indent_unit(source, line, path[-2].statement)
    return RewritePieces(
        {
            "begin": source.make_span(source.node_start(line), source.node_start(node)),
            "end": source.make_span(source.node_end(node)),
        },
        {
            "begin": "with ",
            "end": f" as {_FILE_VARIABLE}:\n{inner}{before}{_FILE_VARIABLE}",
        },
    )


def _is_evaluated_first(value: ast.AST | None, node: ast.AST) -> bool:
    """Is it evaluated once and before the rest: ``f(open(p).read().strip())``?"""
    while value is not None and value is not node:
        if isinstance(value, ast.Attribute):
            value = value.value
        elif isinstance(value, ast.Call):
            deep = isinstance(value.func, ast.Attribute) and _contains_call(value.func, node)
            value = value.func if deep else next(iter(value.args), None)
        else:
            value = None
    return value is not None


def _contains_call(func: ast.Attribute, node: ast.AST) -> bool:
    return any(one is node for one in ast.walk(func))
