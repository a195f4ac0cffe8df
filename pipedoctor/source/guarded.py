"""Lines of a script that start workers, and all after them, behind a main guard."""

import ast

from pipedoctor.source.blocks import Place, blocks_of, lines_to_indent, path_to, unit_of
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.naming import heading, known
from pipedoctor.source.pen import Pen
from pipedoctor.source.scope import Scope
from pipedoctor.source.walk import branches

_MOST = 1_000
"""Lines that are moved."""
_PARTS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def started(pen: Pen, _scope: Scope, node: ast.AST) -> Pieces:
    """From the line of the module that starts them: what a worker must not run."""
    tree = pen.module.text.tree
    path = path_to(tree, node)
    if not path or pen.module.text.cells:
        return NONE
    first: Place = path[0]
    rest = [first.statement, *first.rest]
    begin = pen.start(first.statement)
    if begin.column or not _movable(rest):
        return NONE
    lines = lines_to_indent(pen, rest)
    if lines is None:
        return NONE
    unit = _unit(pen, tree)
    guard = f"if __name__ == {pen.quote}__main__{pen.quote}:\n"
    return Pieces(
        {"guard": pen.span(begin)},
        {"guard": guard, "lines": lines, "unit": unit},
    )


def _movable(rest: list[ast.stmt]) -> bool:
    """Nothing among it that workers may need by name, or that ends the file early."""
    size = (rest[-1].end_lineno or 0) - rest[0].lineno
    if size > _MOST or any(isinstance(one, _PARTS) for one in rest):
        return False
    inner = [node for one in rest for node in branches(one)]
    star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in inner)
    return not star and not any(isinstance(n, _PARTS) for n in inner)


def _unit(pen: Pen, tree: ast.Module) -> str:
    """By what the file indents its blocks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = next((block[0] for block in blocks_of(node) if block), node)
            if first.lineno > node.lineno:
                return unit_of(pen, first, node)
    return "    "


def threads(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """Where the file can say how many threads OpenCV may use."""
    local = known(pen, scope, node, "cv2")
    place = heading(pen, node)
    if local is None or local.missing or place is None or pen.module.text.cells:
        return NONE
    line = place.of(f"\n{local.name}.setNumThreads(0)")
    return Pieces({"heading": line.at}, {"heading": line.text})
