"""The functions of the project that a call enters, with the objects that they belong to."""

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from pipedoctor.source.syntax.dead_branches import runs_never
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.lattice import (
    ClassValue,
    ContainerValue,
    ExternalValue,
    Frame,
    FunctionValue,
    InstanceValue,
    LocalFunctionValue,
    PartialValue,
    TupleValue,
    Value,
    Values,
)
from pipedoctor.source.values.loader_forms import CALLING_NAMES, ForeignForms

_CALLING_METHODS = ("__call__", "forward")
_MAX_NESTING = 4
_PROPERTIES = frozenset(("property", "cached_property"))


_CALLERS = frozenset(
    (
        *("map", "imap", "imap_unordered", "starmap", "map_async", "starmap_async", "filter"),
        *("submit", "apply", "apply_async", "run_in_executor", "reduce", "accumulate"),
        *("Thread", "Process", "Timer", "vectorize", "apply_along_axis", "retry", "call"),
    )
)
"""Functions of libraries that call what they are given, whatever holds it."""


def _may_be_function(value: ast.expr) -> bool:
    """``lambda``, another name, or a partial."""
    partial = isinstance(value, ast.Call) and last_name(value.func) == "partial"
    return partial or isinstance(value, (ast.Lambda, ast.Name, ast.Attribute))


def _may_ask_object(node: ast.Subscript) -> bool:
    """May it be read from an object of a class: not ``x[:, 0]`` nor ``x[x > 0]``, of arrays?"""
    index = node.slice
    parts = index.elts if isinstance(index, ast.Tuple) else ()
    array = isinstance(index, ast.Compare) or any(isinstance(one, ast.Slice) for one in parts)
    return isinstance(node.ctx, ast.Load) and not array


def _is_property(method: CodeScope) -> bool:
    decorators: list[ast.expr] = getattr(method.node, "decorator_list", [])
    names = {getattr(one, "id", getattr(one, "attr", "")) for one in decorators}
    return not names.isdisjoint(_PROPERTIES)


class Callee(NamedTuple):
    """A function, and what `self` is in it."""

    scope: CodeScope
    owner: InstanceValue | None = None


def _place_of(callee: Callee) -> tuple[str | int, ...]:
    """Where it stands, whoever has asked for it first: the function, then its object."""
    scope, owner = callee
    place = (scope.module.path, getattr(scope.node, "lineno", 0), scope.name)
    if owner is None:
        return (*place, "", 0, 0)
    made = owner.call.lineno if owner.call is not None else 0
    return (*place, owner.cls.module.path, owner.cls.node.lineno, made)


class CallableFinder:
    """Finds what calls enter."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self._known_calls: dict[Callee, tuple[Callee, ...]] = {}
        self._known_properties: dict[ClassDefinition, dict[str, CodeScope]] = {}

    @cached_property
    def _called_forms(self) -> ForeignForms:
        return ForeignForms(self.evaluator, called=True)

    @cached_property
    def _object_forms(self) -> ForeignForms:
        return ForeignForms(self.evaluator, called=False)

    @cached_property
    def _iterates_itself(self) -> bool:
        """Does any class of the project say how its objects are iterated?"""
        return any("__iter__" in cls.methods for cls in self.project.classes)

    def called_from(self, callee: Callee) -> tuple[Callee, ...]:
        """The functions that a function calls, by calls, subscripts and properties."""
        known = self._known_calls.get(callee)
        if known is None:
            known = self._known_calls[callee] = tuple(dict.fromkeys(self._find_called(callee)))
        return known

    def _find_called(self, callee: Callee) -> Iterator[Callee]:
        scope = callee.scope
        frame = self.evaluator.frame_of(scope, callee.owner)
        for step in scope.calls:
            node = step.node
            if isinstance(node, ast.Call) and not runs_never(scope, step.context):
                found = list(self.callees_of(node.func, frame))
                yield from found
                if not found:
                    yield from self._callbacks(node, frame)
        for step in scope.steps_by_type.get(ast.Subscript, ()):
            sub = step.node
            if isinstance(sub, ast.Subscript) and _may_ask_object(sub):
                yield from self._methods(sub.value, frame, "__getitem__")
        for step in scope.steps_by_type.get(ast.For, ()) if self._iterates_itself else ():
            if isinstance(step.node, ast.For):
                yield from self._methods(step.node.iter, frame, "__iter__")
        if callee.owner is not None:
            yield from self._properties(scope, callee.owner)

    def _methods(self, node: ast.expr, frame: Frame, name: str) -> Iterator[Callee]:
        """A method that the language calls of objects of the project."""
        if self._object_forms.excludes(node, frame.scope):
            return
        for value in self.evaluator.evaluate(node, frame):
            if isinstance(value, InstanceValue):
                method = self.project.find_method(value.cls, name)
                if method is not None:
                    yield Callee(method, value)

    def _properties(self, scope: CodeScope, owner: InstanceValue) -> Iterator[Callee]:
        properties = self._properties_of(owner.cls)
        for node in scope.attribute_nodes if properties else ():
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                if node.attr in properties:
                    yield Callee(properties[node.attr], owner)

    def _properties_of(self, cls: ClassDefinition) -> dict[str, CodeScope]:
        """The properties of a class, its own and inherited, by their names."""
        known = self._known_properties.get(cls)
        if known is None:
            known = self._known_properties[cls] = {
                method.name.rpartition(".")[2]: method
                for method in self.project.all_methods(cls)
                if _is_property(method)
            }
        return known

    def _callbacks(self, node: ast.Call, frame: Frame) -> Iterator[Callee]:
        """``pool.map(self.load, names)``: functions that a library is given."""
        calls = last_name(node.func) in _CALLERS
        for given in (*node.args, *(word.value for word in node.keywords)):
            if isinstance(given, (ast.Name, ast.Attribute)):
                if not calls and not self._names_function(given, frame):
                    continue
                if self._called_forms.excludes(given, frame.scope):
                    continue
                for value in self.evaluator.evaluate(given, frame):
                    if isinstance(value, (FunctionValue, PartialValue)):
                        yield from self._enter(value)

    def _names_function(self, node: ast.Name | ast.Attribute, frame: Frame) -> bool:
        """Is it a function by its name alone? Most arguments are data, and many to follow."""
        scope = frame.scope
        if isinstance(node, ast.Name):
            made = [value for value, _ in scope.bindings.get(node.id, ())]
            if node.id in scope.local_functions or any(map(_may_be_function, made)):
                return True
        elif frame.owner is not None and isinstance(node.value, ast.Name):
            if self.project.find_method(frame.owner.cls, node.attr) is not None:
                return True
        return isinstance(self.project.find_definition(node, scope.module), CodeScope)

    def callees_of(self, func: ast.expr, frame: Frame) -> Iterator[Callee]:
        """What a call of an expression enters, in the order of the text."""
        if self._called_forms.excludes(func, frame.scope):
            return
        values = self.evaluator.evaluate(func, frame)
        found = {callee: None for value in values for callee in self._enter(value)}
        yield from found if len(found) < 2 else sorted(found, key=_place_of)  # noqa: PLR2004

    def callables_in(self, node: ast.expr, frame: Frame) -> Iterator[Callee]:
        """The callables of the project that a value is or holds, however nested."""
        yield from self._enter_all(self.evaluator.evaluate(node, frame), _MAX_NESTING)

    def _enter_all(self, values: Values, depth: int) -> Iterator[Callee]:
        for value in values:
            if isinstance(value, (ContainerValue, TupleValue)) and depth:
                yield from self._enter_all(self.evaluator.item(value, None), depth - 1)
            elif not isinstance(value, ClassValue):
                yield from self._enter(value, depth)

    def _enter_lambda(self, node: ast.Lambda, frame: Frame, depth: int) -> Iterator[Callee]:
        """What is called in ``lambda batch: collate(batch, size)``; it is no scope of its own."""
        given = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        for call in find_nodes(node.body, (ast.Call,)):
            names = {one.id for one in find_nodes(call.func, (ast.Name,))}
            for one in self.evaluator.evaluate(call.func, frame) if not names & given else ():
                yield from self._enter(one, depth)

    def _enter(self, value: Value, depth: int = _MAX_NESTING) -> Iterator[Callee]:
        if isinstance(value, FunctionValue):
            yield Callee(value.scope, value.owner)
        elif isinstance(value, LocalFunctionValue):
            scope = value.frame.scope.inner_scopes.get(id(value.node))
            if scope is not None:
                yield Callee(scope, value.frame.owner)
            elif isinstance(value.node, ast.Lambda) and depth:
                yield from self._enter_lambda(value.node, value.frame, depth - 1)
        elif isinstance(value, ClassValue):
            init = self.project.find_method(value.cls, "__init__")
            if init is not None:
                yield Callee(init, InstanceValue(value.cls))
        elif isinstance(value, InstanceValue):
            for name in _CALLING_METHODS:
                method = self.project.find_method(value.cls, name)
                if method is not None:
                    yield Callee(method, value)
        elif isinstance(value, PartialValue) and depth:
            for one in self.evaluator.evaluate(value.call.args[0], value.frame):
                yield from self._enter(one, depth - 1)
        elif isinstance(value, ExternalValue) and depth:
            if value.name.rpartition(".")[2] in CALLING_NAMES:
                for given in (*value.call.args, *(w.value for w in value.call.keywords)):
                    inner = self.evaluator.evaluate(given, value.frame)
                    yield from self._enter_all(inner, depth - 1)
