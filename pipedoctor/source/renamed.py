"""Old and private names of torch: the call, the import, and what both are called."""

import ast

from pipedoctor.facts.source import Span
from pipedoctor.source.call_form import call_form
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.project import last_name
from pipedoctor.source.scope import Scope

_PUBLIC = {"default_collate", "default_convert", "get_worker_info"}
_AMP = {"autocast", "GradScaler"}


def renamed(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """The call and the import of old names; by other ways nobody can tell."""
    if isinstance(node, ast.ImportFrom):
        return _amp_import(pen, node)
    if not isinstance(node, ast.Call):
        return NONE
    func, name = node.func, last_name(node.func)
    form = call_form(pen, node)
    shifted = name == "autocast" and bool(node.args)
    if form is None or name not in _AMP or (shifted and len(node.args) > 1):
        return NONE
    if any(isinstance(one, ast.Starred) for one in node.args):
        return NONE
    spans = {"first": _first(pen, node)}
    if isinstance(func, ast.Attribute):
        middle = func.value.value if isinstance(func.value, ast.Attribute) else None
        if not (isinstance(middle, ast.Attribute) and middle.attr == "cuda"):
            return NONE
        spans["cuda"] = pen.span(pen.end(middle.value), pen.end(middle))
    more = ", " if node.args or node.keywords else ""
    text = f"{pen.quote}cuda{pen.quote}{more}{'enabled=' if shifted else ''}"
    return Pieces(spans, {"first": text})


def _first(pen: Pen, node: ast.Call) -> Span:
    at = pen.next(pen.end(node.func))
    return pen.span(Point(at.line, at.column + 1))


def _amp_import(pen: Pen, node: ast.ImportFrom) -> Pieces:
    names = {item.name for item in node.names}
    local = {item.asname or item.name for item in node.names}
    top = node in pen.module.text.tree.body
    if (
        not top
        or not names <= _AMP
        or local != names
        or node.module != "torch.cuda.amp"
    ):
        return NONE
    calls = {
        id(one.func)
        for one in ast.walk(pen.module.text.tree)
        if isinstance(one, ast.Call)
    }
    for one in ast.walk(pen.module.text.tree):
        if isinstance(one, ast.Name) and one.id in local and id(one) not in calls:
            return NONE
    return _module_of(pen, node)


def public(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """An import of private names that all have public ones."""
    if not isinstance(node, ast.ImportFrom):
        return NONE
    known = {item.name for item in node.names} <= _PUBLIC
    return _module_of(pen, node) if known else NONE


def _module_of(pen: Pen, node: ast.ImportFrom) -> Pieces:
    """The name of the module in ``from torch.cuda.amp import autocast``."""
    start = pen.start(node)
    if not pen.says(start, f"from {node.module} import"):
        return NONE
    begin = Point(start.line, start.column + len("from "))
    end = Point(start.line, begin.column + len(node.module or ""))
    return Pieces({"module": pen.span(begin, end)})
