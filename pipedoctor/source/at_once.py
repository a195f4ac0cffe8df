"""``x = open(path).read()``: a file that has no name of its own."""

import ast
import re
from collections.abc import Sequence

from pipedoctor.source.bindings import names_in
from pipedoctor.source.blocks import Place, alone, unit_of
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen
from pipedoctor.source.scope import Scope

_NAME = "file"
_OPENERS = {"open", "io.open"}
_BEFORE = re.compile(r"(return |yield |[\w., ]+ = )?([\w.]+\()*")
"""What may stand before it in its statement: it is done again after the opening."""


def at_once(pen: Pen, scope: Scope, node: ast.AST, path: Sequence[Place]) -> Pieces:
    """A ``with`` around its statement, if the file is what is asked first there."""
    line = path[-1].statement if path else None
    value = getattr(line, "value", None)
    if not isinstance(line, (ast.Assign, ast.Return, ast.Expr)) or value is node:
        return NONE
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _OPENERS:
        return NONE
    before = pen.text(pen.start(line), pen.start(node))
    if not (_first(value, node) and _BEFORE.fullmatch(before) and alone(pen, line)):
        return NONE
    if pen.start(line).line != pen.end(line).line or _NAME in names_in(scope.node):
        return NONE
    inner = pen.indent(line.lineno) + unit_of(pen, line, path[-2].statement)
    return Pieces(
        {
            "begin": pen.span(pen.start(line), pen.start(node)),
            "end": pen.span(pen.end(node)),
        },
        {"begin": "with ", "end": f" as {_NAME}:\n{inner}{before}{_NAME}"},
    )


def _first(value: ast.AST | None, node: ast.AST) -> bool:
    """Is it evaluated once and before the rest: ``f(open(p).read().strip())``?"""
    while value is not None and value is not node:
        if isinstance(value, ast.Attribute):
            value = value.value
        elif isinstance(value, ast.Call):
            deep = isinstance(value.func, ast.Attribute) and _asks(value.func, node)
            value = value.func if deep else next(iter(value.args), None)
        else:
            value = None
    return value is not None


def _asks(func: ast.Attribute, node: ast.AST) -> bool:
    return any(one is node for one in ast.walk(func))
