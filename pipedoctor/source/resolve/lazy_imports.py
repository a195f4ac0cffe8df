"""Modules that a function imports when they are used."""

import ast

from pipedoctor.source.syntax.scope import Module


def find_lazy_import(name: str, module: Module) -> str | None:
    """``h5py = lazy_import("h5py")``: a function imports it when it is used."""
    for value, _ in module.body.bindings.get(name, ()):
        call = value.value if isinstance(value, ast.Subscript) else value
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            importer = _last_part(call.func).lower()
            name_given = call.args[0].value
            if isinstance(name_given, str) and ("import" in importer or "lazy" in importer):
                return name_given
    return None


def _last_part(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
