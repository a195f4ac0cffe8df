"""Names in a file: which are taken, what imports bind, where one more import goes."""

import ast
from typing import NamedTuple

from msgspec.structs import replace

from pipedoctor.facts.source import Call, Import
from pipedoctor.source.blocks import above, path_to
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.scope import Scope

_USUAL = {"numpy": "np"}


class Known(NamedTuple):
    """How code at a place says the name of a module, and what must be done first."""

    name: str
    missing: tuple[Import, ...] = ()


def known(pen: Pen, scope: Scope, node: ast.AST, full: str) -> Known | None:
    """
    How to say a module at this node: by its alias, or by an import to be added.

    None: the name means something else here, or nobody can tell what it means.
    """
    tree = pen.module.text.tree
    line = getattr(node, "lineno", 0)
    local = _alias(tree, full)
    around = scope.node if not scope.at_top else None
    if local is not None:
        name, first = local
        hidden = around is not None and name in pen.bound(around)
        if first >= line or hidden or _rebound(pen, name):
            return None
        return Known(name)
    name = _USUAL.get(full, full)
    if pen.takes(name):
        return None
    place = heading(pen, node)
    if place is None:
        return None
    statement = f"import {full}" if name == full else f"import {full} as {name}"
    return Known(name, (place.of(statement),))


def _alias(tree: ast.Module, full: str) -> tuple[str, int] | None:
    """What a plain import of the module itself binds, and in which line."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for one in statement.names:
                if one.name == full:
                    return one.asname or one.name, statement.lineno
                if not one.asname and one.name.startswith(f"{full}."):
                    return full, statement.lineno
    return None


def _rebound(pen: Pen, name: str) -> bool:
    """Does anything but imports of one meaning give this name a value at the top?"""
    meant = {
        one.name if one.asname else one.name.partition(".")[0]
        for statement in pen.module.text.tree.body
        if isinstance(statement, ast.Import)
        for one in statement.names
        if (one.asname or one.name.partition(".")[0]) == name
    }
    return len(meant) > 1 or name in pen.assigned


def with_modules(pen: Pen, scope: Scope, node: ast.Call, form: Call) -> Call:
    """The same with what its new arguments may be made of."""
    found = {
        full: how
        for full in ("os", "numpy", "torch")
        if (how := known(pen, scope, node, full)) is not None
    }
    path = path_to(pen.module.text.tree, node)
    return replace(
        form,
        modules={full: how.name for full, how in found.items()},
        imports={full: how.missing[0] for full, how in found.items() if how.missing},
        above=pen.span(above(pen, path[0].statement)) if path else None,
    )


class Heading(NamedTuple):
    """Where a line goes that belongs to the imports."""

    pen: Pen
    at: Point
    before: str
    after: str

    def of(self, text: str) -> Import:
        """These words as a line there."""
        whole = f"{self.before}{text}{self.after}"
        return Import(at=self.pen.span(self.at), text=whole)


def heading(pen: Pen, node: ast.AST) -> Heading | None:
    """
    After the last import before the first function, class or use.

    Without imports: after the docstring, or before all code. In a notebook within
    the cell.
    """
    first, line = _cell(pen, node), getattr(node, "lineno", 0)
    mine = [s for s in pen.module.text.tree.body if first <= s.lineno <= line]
    last: ast.stmt | None = None
    parts = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for number, one in enumerate(mine):
        ends = (one.end_lineno or one.lineno) >= line
        if isinstance(one, parts) or ends:
            break
        docstring = number == 0 and not pen.module.text.cells and _is_text(one)
        if isinstance(one, (ast.Import, ast.ImportFrom)) or docstring:
            last = one if pen.ends(pen.end(one)) else last
    if last is not None:
        end = pen.end(last).line
        space = "\n" if _is_text(last) else ""
        at = Point(end, len(pen.lines[end - 1]))
        return Heading(pen, at, f"{space}\n", "")
    code = next((one for one in mine if not isinstance(one, ast.Pass)), None)
    if code is None or not pen.opens(pen.start(code)) or _is_text(code):
        return None
    return Heading(
        pen, above(pen, code), "", "\n" if pen.module.text.cells else "\n\n\n"
    )


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _cell(pen: Pen, node: ast.AST) -> int:
    """The line in which the cell of a node begins."""
    line = getattr(node, "lineno", 0)
    return max((c.first for c in pen.module.text.cells if c.first <= line), default=1)
