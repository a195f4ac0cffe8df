"""Names in a file: which are taken, what imports bind, where one more import goes."""

import ast
from typing import NamedTuple

from msgspec.structs import replace

from pipedoctor.facts.call_text import Call, Import
from pipedoctor.source.syntax.blocks import find_statement_path, start_with_comments
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

_USUAL_ALIASES = {"numpy": "np"}


class ModuleReference(NamedTuple):
    """How code at a place says the name of a module, and what must be done first."""

    name: str
    missing_imports: tuple[Import, ...] = ()


def reference_module(
    source: SourceText, scope: CodeScope, node: ast.AST, full: str
) -> ModuleReference | None:
    """
    The name for a module at this node: its alias, or an import to be added.

    None: the name means something else here, or nobody can tell what it means.
    """
    tree = source.module.file.tree
    line = getattr(node, "lineno", 0)
    local = _find_import_alias(tree, full)
    around = scope.node if not scope.is_module_body else None
    if local is not None:
        name, first = local
        hidden = around is not None and source.may_bind(name)
        hidden = hidden and around is not None and name in source.bound_names_in(around)
        if first >= line or hidden or _is_rebound(source, name):
            return None
        return ModuleReference(name)
    name = _USUAL_ALIASES.get(full, full)
    if source.is_name_used(name):
        return None
    place = find_import_location(source, node)
    if place is None:
        return None
    statement = f"import {full}" if name == full else f"import {full} as {name}"
    return ModuleReference(name, (place.make_import(statement),))


def _find_import_alias(tree: ast.Module, full: str) -> tuple[str, int] | None:
    """What a plain import of the module itself binds, and in which line."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for one in statement.names:
                if one.name == full:
                    return one.asname or one.name, statement.lineno
                if not one.asname and one.name.startswith(f"{full}."):
                    return full, statement.lineno
    return None


def _is_rebound(source: SourceText, name: str) -> bool:
    """Does anything but imports of one meaning give this name a value at the top?"""
    meant = {
        one.name if one.asname else one.name.partition(".")[0]
        for statement in source.module.file.tree.body
        if isinstance(statement, ast.Import)
        for one in statement.names
        if (one.asname or one.name.partition(".")[0]) == name
    }
    return len(meant) > 1 or (source.may_bind(name) and name in source.assigned_names)


def add_module_references(source: SourceText, scope: CodeScope, node: ast.Call, form: Call) -> Call:
    """The same with what its new arguments may be made of."""
    found = {
        full: how
        for full in ("os", "numpy", "torch")
        if (how := reference_module(source, scope, node, full)) is not None
    }
    path = find_statement_path(source.module.file.tree, node)
    return replace(
        form,
        modules={full: how.name for full, how in found.items()},
        imports={
            full: how.missing_imports[0] for full, how in found.items() if how.missing_imports
        },
        above=source.make_span(start_with_comments(source, path[0].statement)) if path else None,
    )


class ImportLocation(NamedTuple):
    """Where a line goes that belongs to the imports."""

    source: SourceText
    point: TextPosition
    before: str
    after: str

    def make_import(self, text: str) -> Import:
        """These words as a line there."""
        whole = f"{self.before}{text}{self.after}"
        return Import(at=self.source.make_span(self.point), text=whole)


def find_import_location(source: SourceText, node: ast.AST) -> ImportLocation | None:
    """
    After the last import before the first function, class or use.

    Without imports: after the docstring, or before all code. In a notebook within
    the cell.
    """
    first, line = _first_line_of_cell(source, node), getattr(node, "lineno", 0)
    mine = [s for s in source.module.file.tree.body if first <= s.lineno <= line]
    last: ast.stmt | None = None
    parts = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for number, one in enumerate(mine):
        ends = (one.end_lineno or one.lineno) >= line
        if isinstance(one, parts) or ends:
            break
        docstring = number == 0 and not source.module.file.cells and _is_docstring(one)
        if isinstance(one, (ast.Import, ast.ImportFrom)) or docstring:
            last = one if source.is_line_end(source.node_end(one)) else last
    if last is not None:
        end = source.node_end(last).line
        space = "\n" if _is_docstring(last) else ""
        at = TextPosition(end, len(source.lines[end - 1]))
        return ImportLocation(source, at, f"{space}\n", "")
    code = next((one for one in mine if not isinstance(one, ast.Pass)), None)
    if code is None or not source.is_line_start(source.node_start(code)) or _is_docstring(code):
        return None
    return ImportLocation(
        source,
        start_with_comments(source, code),
        "",
        "\n" if source.module.file.cells else "\n\n\n",
    )


def _is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _first_line_of_cell(source: SourceText, node: ast.AST) -> int:
    """The line in which the cell of a node begins."""
    line = getattr(node, "lineno", 0)
    return max(
        (c.first_line for c in source.module.file.cells if c.first_line <= line),
        default=1,
    )
