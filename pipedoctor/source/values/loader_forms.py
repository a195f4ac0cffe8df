"""
Expressions that give nothing of the project, by their form and their names alone.

Most loops are over files, numbers or parts of a module, and most calls are of layers: what
these are made of need not be followed to its end to know that they give no batches, and that
they enter no function of the project.
"""

import ast

from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.chosen_classes import BUILDERS
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.library import (
    ITEM_TAKERS,
    MODULE_IMPORTERS,
    OBJECT_MAKERS,
    OBJECT_PARSERS,
    PASSED_ON,
    SELF_RETURNING,
    SEVERAL_PASSED_ON,
    SPLITS,
    WRAPPERS,
)

_MAX_DEPTH = 6
_FOLLOWED = (
    *(ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp),
    *(ast.NamedExpr, ast.Await, ast.Starred, ast.GeneratorExp),
)
"""Expressions that may stand for a loader; a list of loaders is none."""
_HANDED_ON = frozenset(("enumerate", "zip", "list", "sorted", "tuple", "reversed"))
"""Builtins that give what their arguments give."""
_BUILTINS = frozenset(("iter", "next", "anext", "getattr", "vars", "super", "partial"))
_METHODS = frozenset(("get", "pop", "copy", "next", "__next__", "__iter__"))
"""Not ``items`` and ``values``: these give a list, which is no loader, nor is it called."""
_LAST_NAMES = frozenset(
    one.rpartition(".")[2]
    for names in (ITEM_TAKERS, MODULE_IMPORTERS, OBJECT_MAKERS, OBJECT_PARSERS)
    for one in names
)
_GIVING = frozenset[str]().union(
    *(_BUILTINS, _METHODS, _LAST_NAMES, BUILDERS, PASSED_ON, SELF_RETURNING, SEVERAL_PASSED_ON),
    *(SPLITS, WRAPPERS),
)
"""Functions and methods of libraries that may give a loader which they are given."""
CALLING_NAMES = frozenset(("Compose", "Lambda", "Sequential", "OneOf", "SomeOf", "RandomApply"))
"""Objects of libraries that call what they are made with."""


class ForeignForms:
    """
    Tells what gives neither a loader nor an object of one project.

    With `called`, also nothing that enters a function of the project when it is called.
    """

    def __init__(self, evaluator: Evaluator, *, called: bool) -> None:
        self.project = evaluator.project
        self._is_foreign = evaluator.is_foreign
        self._called = called
        self._giving = _GIVING | CALLING_NAMES if called else _GIVING
        self._loader_calls = evaluator.loaders_by_call
        self._definitions = evaluator.definitions
        self._callable_names = evaluator.callable_attributes
        self._declared_names = evaluator.declared_attributes
        self._stores_on_self = evaluator.attributes.stores_on_self
        self._known_attributes: dict[str, bool] = {}

    def excludes(self, node: ast.expr, scope: CodeScope, depth: int = _MAX_DEPTH) -> bool:
        """Is it nothing of the project, whatever its parts are?"""
        if not isinstance(node, _FOLLOWED):
            return not (self._called and isinstance(node, ast.Lambda))
        if isinstance(node, ast.Call):
            return self._excludes_call(node, scope, depth)
        if isinstance(node, ast.GeneratorExp):
            given = (one.iter for one in node.generators)
            return not depth or all(self.excludes(one, scope, depth - 1) for one in given)
        if isinstance(node, ast.Attribute):
            return self._excludes_attribute(node.attr, depth)
        return isinstance(node, ast.Name) and self._excludes_name(node.id, scope, depth)

    def _excludes_attribute(self, name: str, depth: int) -> bool:
        """An attribute that nothing of the project has, or that methods give nothing of it."""
        if name not in self._callable_names:
            return True
        if name in self._declared_names or not depth:
            return False
        known = self._known_attributes.get(name)
        if known is None:
            self._known_attributes[name] = False  # where it comes back to itself
            stores = self._stores_on_self.get(name, ())
            known = all(self.excludes(value, scope, depth - 1) for value, scope in stores)
            self._known_attributes[name] = known
        return known

    def _excludes_call(self, node: ast.Call, scope: CodeScope, depth: int) -> bool:
        """A call of a library, that hands on nothing or only what is no loader either."""
        if id(node) in self._loader_calls or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return False
        full = self.project.full_name_of(node.func, scope.module)
        names = {last_name(node.func), full.rpartition(".")[2]} - {""}
        if not self._is_foreign(node.func, scope):
            if not names.isdisjoint(self._callable_names):
                return False
            if isinstance(node.func, ast.Name) and self._is_bound(node.func.id, scope):
                return False
        if names.isdisjoint(self._giving) and names.isdisjoint(_HANDED_ON):
            return True
        if isinstance(node.func, ast.Name) and names <= _HANDED_ON and depth:
            given = [*node.args, *(word.value for word in node.keywords)]
            return all(self.excludes(one, scope, depth - 1) for one in given)
        return False

    def _excludes_name(self, name: str, scope: CodeScope, depth: int) -> bool:
        """A variable of a function that is only ever given what is no loader."""
        if not depth or name in self._callable_names or name in {"self", "cls"}:
            return False
        return self._definitions.is_only_assigned(scope, name) and all(
            self.excludes(value, scope, depth - 1) for value, _ in scope.bindings[name]
        )

    def _is_bound(self, name: str, scope: CodeScope) -> bool:
        """Is the name of a function that of a variable, so that it may be anything?"""
        known = (scope.bindings, scope.local_functions, scope.parameter_names)
        return any(name in names for names in known) or name in scope.module.body.bindings
