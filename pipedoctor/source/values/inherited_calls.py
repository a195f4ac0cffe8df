"""Calls of what a class inherits: by ``super()``, and of classes that derive from it."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import Evaluating

_MAX_SUBCLASSES = 12


def is_super_call(node: ast.expr) -> bool:
    """``super()``."""
    return isinstance(node, ast.Call) and last_name(node.func) == "super"


def find_inherited_calls(model: Evaluating, scope: CodeScope) -> Iterator[CallSite]:
    """
    Calls of a method that do not name its class.

    ``super().__init__(rows)`` in a class that derives from it, and ``Special(rows)`` where
    that inherits the constructor.
    """
    name = scope.name.rpartition(".")[2]
    for cls in model.subclasses_of(scope.owner)[:_MAX_SUBCLASSES] if scope.owner else ():
        own = cls.methods.get(name)
        if own is not None:
            for step in own.find_calls(name):
                node = step.node
                if isinstance(node, ast.Call) and _is_inherited(model, node.func, cls, scope):
                    yield CallSite(own, step, node)
        elif name == "__init__" and model.project.find_method(cls, name) is scope:
            for site in model.project.find_call_sites(cls.name):
                if model.project.find_definition(site.node.func, site.scope.module) is cls:
                    yield site


def _is_inherited(
    model: Evaluating, func: ast.expr, cls: ClassDefinition, scope: CodeScope
) -> bool:
    """Does ``super().name`` in a class mean this method?"""
    if not (isinstance(func, ast.Attribute) and is_super_call(func.value)):
        return False
    above = (one.methods.get(func.attr) for one in model.project.find_bases(cls)[0][1:])
    return next((one for one in above if one is not None), None) is scope
