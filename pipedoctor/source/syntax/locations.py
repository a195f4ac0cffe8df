"""Where a node stands, as reports say it."""

import ast

from pipedoctor.facts.source import Spot
from pipedoctor.source.syntax.scope import Module


def node_location(module: Module, node: ast.AST) -> Spot:
    """The location of a node; in a notebook relative to its cell."""
    line = getattr(node, "lineno", 1)
    end = getattr(node, "end_lineno", None)
    offset = getattr(node, "col_offset", 0)
    column = module.character_column(line, offset) + 1
    end_offset = getattr(node, "end_col_offset", None)
    end_column = None
    if end is not None and end_offset is not None:
        end_column = module.character_column(end, end_offset) + 1
    number, first = 0, 1
    for cell in module.file.cells:
        if cell.first_line <= line:
            number, first = cell
    return Spot(
        path=module.path,
        line=line - first + 1,
        column=column,
        end_line=end - first + 1 if end is not None else None,
        end_column=end_column,
        cell=number,
    )
