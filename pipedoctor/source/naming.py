"""Names in a file: which are taken, what imports bind, where one more import goes."""

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from pipedoctor.facts.source import Call, Import
from pipedoctor.source.blocks import above, path_to
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.scope import Scope

_USUAL = {"numpy": "np"}
BUILTINS = frozenset(dir(builtins))


class Known(NamedTuple):
    """How code at a place says the name of a module, and what must be done first."""

    name: str
    missing: tuple[Import, ...] = ()


def names_in(node: ast.AST) -> Iterator[str]:
    """Every name that is read or bound anywhere in it; imports, parameters and all."""
    for one in ast.walk(node):
        yield from _own_names(one)


def _own_names(node: ast.AST) -> Iterator[str]:
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
    loads = {
        id(one)
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    }
    found: set[str] = set()
    for one in ast.walk(node):
        if id(one) not in loads:
            found.update(_own_names(one))
    return found


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
        hidden = around is not None and name in bound_in(around)
        if first >= line or hidden or _rebound(tree, name):
            return None
        return Known(name)
    name = _USUAL.get(full, full)
    if name in set(names_in(tree)):
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


def _rebound(tree: ast.Module, name: str) -> bool:
    """Does anything but imports of one meaning give this name a value at the top?"""
    meant = {
        one.name if one.asname else one.name.partition(".")[0]
        for statement in tree.body
        if isinstance(statement, ast.Import)
        for one in statement.names
        if (one.asname or one.name.partition(".")[0]) == name
    }
    others = (s for s in tree.body if not isinstance(s, ast.Import))
    return len(meant) > 1 or any(name in _at_top(one) for one in others)


def _at_top(statement: ast.stmt) -> set[str]:
    """What a statement of the module binds there, or by ``global`` from within."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        told = (n.names for n in ast.walk(statement) if isinstance(n, ast.Global))
        return {statement.name, *(name for names in told for name in names)}
    return bound_in(statement)


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
