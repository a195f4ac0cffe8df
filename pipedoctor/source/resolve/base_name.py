"""Whose value an expression takes: the name that it begins with."""

import ast

from pipedoctor.source.syntax.expressions import last_name


def find_base_name(node: ast.expr) -> str:
    """``x`` of ``x[0].data.item()``, and of ``Variable(x)``, which does nothing."""
    while True:
        if isinstance(node, ast.Call):
            wraps = last_name(node.func) == "Variable" and len(node.args) == 1
            node = node.args[0] if wraps else node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else ""
