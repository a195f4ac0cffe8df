"""
Objects of classes that a text chooses: ``REGISTRY.get(name)(options)``, ``eval(name)()``.

Which class it is cannot be told. What is asked of such an object may be answered by each class
of the project that nobody makes by its name: these are what texts choose among.
"""

import ast
from functools import cached_property

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.containers import written_items
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    ContainerValue,
    Evaluating,
    Frame,
    FunctionValue,
    InstanceValue,
    Values,
)

_CHOOSERS = frozenset(("get", "getattr", "eval", "locate", "get_class", "get_method"))
"""Functions and methods that give a class by its name."""
BUILDERS = frozenset(("instantiate", "build_from_cfg"))
"""Functions of libraries that make the object which a configuration names."""
_TYPE_KEYS = ("type", "name", "class")
"""Keys of a configuration under which the class of what it describes is named."""
_MAX_METHODS = 8
_MAX_DEPTH = 2


class ChosenClasses:
    """The classes of one project that are made by no name, by their methods."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[str, Values] = {}

    def read(self, name: str) -> Values:
        """What an attribute of an object may be that is of any of these classes."""
        known = self._known.get(name)
        if known is None:
            found = {m: cls for cls in self._classes if (m := self._method_of(cls, name))}
            few = len(found) <= _MAX_METHODS
            methods = (FunctionValue(m, InstanceValue(cls)) for m, cls in found.items() if few)
            known = self._known[name] = frozenset(methods)
        return known

    def _method_of(self, cls: ClassDefinition, name: str) -> CodeScope | None:
        method = self.project.find_method(cls, name)
        return None if method is None or is_abstract(method) else method

    @cached_property
    def _classes(self) -> list[ClassDefinition]:
        return [
            cls
            for cls in self.project.classes
            if cls.methods and not cls.module.is_test and not self.project.find_call_sites(cls.name)
        ]


def find_named_classes(model: Evaluating, frame: Frame) -> Values:
    """``DATASETS.build("Rows", root)``, ``build({"type": "Rows"})``: the class that is named."""
    if frame.call is None or frame.caller is None:
        return UNKNOWN
    texts = set[str]()
    for one in (*frame.call.args, *(word.value for word in frame.call.keywords)):
        texts |= _list_texts(model, one, frame.caller)
    found = [cls for cls in model.project.classes if cls.name in texts] if texts else []
    return frozenset((InstanceValue(found[0]),)) if len(found) == 1 else UNKNOWN


def _list_texts(model: Evaluating, node: ast.expr, frame: Frame) -> set[str]:
    """A text, or that which a configuration has as the type of what it describes."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    texts = set[str]()
    described = (one for one in model.evaluate(node, frame) if isinstance(one, ContainerValue))
    for value in described:
        for key in _TYPE_KEYS:
            for one in written_items(value.node, value.frame.scope, key):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    texts.add(one.value)
    return texts


def chooses_class(node: ast.expr, scope: CodeScope, depth: int = _MAX_DEPTH) -> bool:
    """``CLASSES[name]``, ``registry.get(name)``, ``eval(name)``: a class by its name."""
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp))
    if isinstance(node, ast.Call):
        given = node.args[-1:] if last_name(node.func) == "getattr" else node.args[:1]
        varies = any(not isinstance(one, ast.Constant) for one in given)
        return varies and last_name(node.func) in _CHOOSERS
    if isinstance(node, ast.Name) and depth:
        given_values = scope.bindings.get(binding_key(node), ())
        return any(chooses_class(value, scope, depth - 1) for value, _ in given_values)
    return False


def builds_by_name(full: str) -> bool:
    """Does a function of a library make what a configuration names: ``hydra.utils.instantiate``?"""
    return full.rpartition(".")[2] in BUILDERS
