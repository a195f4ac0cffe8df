"""Lines of a script that start workers, and all after them, behind a main guard."""

import ast

from pipedoctor.facts.code_events.details import RewriteDetails
from pipedoctor.source.resolve.bound_names import find_import_location, reference_module
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.bindings import bound_names
from pipedoctor.source.syntax.blocks import (
    StatementPosition,
    find_indent_unit,
    find_statement_path,
    lines_to_indent,
)
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText
from pipedoctor.source.syntax.walk import find_nodes, statement_blocks, walk_branches

_MAX_LINES = 1_000
"""Lines that are moved."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def add_main_guard(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """From the line of the module that starts them: what a worker must not run."""
    tree = source.module.file.tree
    path = find_statement_path(tree, node)
    if not path or source.module.file.cells:
        return NO_PIECES
    first = _begin_of_work(path[0], tree)
    rest = [first.statement, *first.next_statements]
    begin = source.node_start(first.statement)
    if begin.column or not _is_movable(rest):
        return NO_PIECES
    lines = lines_to_indent(source, rest)
    if lines is None:
        return NO_PIECES
    unit = _find_file_indent(source, tree)
    guard = f"if __name__ == {source.preferred_quote}__main__{source.preferred_quote}:\n"
    return RewritePieces(
        {"guard": source.make_span(begin)},
        {"guard": guard},
        RewriteDetails(lines=lines, unit=unit),
    )


def _begin_of_work(first: StatementPosition, tree: ast.Module) -> StatementPosition:
    """
    The first statement of those before it that each worker would repeat for nothing.

    Calls that make a model or read a file belong under the guard too, unless functions or
    classes of the file need the names that they bind.
    """
    needed = {name for one in tree.body if isinstance(one, _DEFINITIONS) for name in _reads(one)}
    start = number = first.block_index
    while number > 0:
        statement = first.block[number - 1]
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.If, ast.Try, *_DEFINITIONS)):
            break
        if bound_names(statement) & needed or _changes_environment(statement):
            break
        number -= 1
        if find_nodes(statement, (ast.Call,)):
            start = number
    return StatementPosition(first.block, start)


def _reads(node: ast.AST) -> set[str]:
    return {one.id for one in find_nodes(node, (ast.Name,))}


def _changes_environment(statement: ast.stmt) -> bool:
    """``os.environ[...] = ...``, ``sys.path.append(...)``: workers need it as well."""
    text = ast.unparse(statement)
    return text.startswith(("os.", "sys.", "cv2.set", "matplotlib.", "warnings."))


def _is_movable(rest: list[ast.stmt]) -> bool:
    """Nothing among it that workers may need by name, or that ends the file early."""
    size = (rest[-1].end_lineno or 0) - rest[0].lineno
    if size > _MAX_LINES or any(isinstance(one, _DEFINITIONS) for one in rest):
        return False
    inner = [node for one in rest for node in walk_branches(one)]
    star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in inner)
    return not star and not any(isinstance(n, _DEFINITIONS) for n in inner)


def _find_file_indent(source: SourceText, tree: ast.Module) -> str:
    """By what the file indents its blocks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = next((block[0] for block in statement_blocks(node) if block), node)
            if first.lineno > node.lineno:
                return find_indent_unit(source, first, node)
    return "    "


def limit_opencv_threads(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """Where the file can set how many threads OpenCV may use."""
    local = reference_module(source, scope, node, "cv2")
    place = find_import_location(source, node)
    if local is None or local.missing_imports or place is None or source.module.file.cells:
        return NO_PIECES
    line = place.make_import(f"\n{local.name}.setNumThreads(0)")
    return RewritePieces({"heading": line.at}, {"heading": line.text})
