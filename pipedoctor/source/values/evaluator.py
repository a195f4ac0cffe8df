"""
Evaluates expressions of a project to what they may be, without running anything.

It works on demand: only what a recognizer asks for is followed, through variables,
attributes, calls, containers and generators, across files. Functions are followed for
each call on its own to a bounded depth, and for all calls of the project beyond that.
What cannot be followed is unknown: an empty set, from which nothing may be concluded.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.context import GuardCondition
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder, LoopTarget
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.arguments import evaluate_parameter, list_inner_arguments
from pipedoctor.source.values.attributes import AttributeReader
from pipedoctor.source.values.callable_attributes import (
    list_callable_attributes,
    list_declared_attributes,
)
from pipedoctor.source.values.calls import CallEvaluator
from pipedoctor.source.values.chosen_classes import ChosenClasses
from pipedoctor.source.values.containers import elements_of, item_of
from pipedoctor.source.values.cyclic_evaluator import CyclicEvaluator
from pipedoctor.source.values.foreign_names import ForeignNames
from pipedoctor.source.values.frames import FrameTable
from pipedoctor.source.values.inherited_calls import is_super_call
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    BatchValue,
    ChosenValue,
    ClassValue,
    ContainerValue,
    Frame,
    FunctionValue,
    InstanceValue,
    LoaderValue,
    LocalFunctionValue,
    ModuleValue,
    Value,
    Values,
    join,
)
from pipedoctor.source.values.modules import any_of_module, read_global, read_imported, read_module
from pipedoctor.source.values.object_calls import list_object_calls

_CONTAINERS: frozenset[type[ast.expr]] = frozenset(
    (
        *(ast.Tuple, ast.List, ast.Set, ast.Dict),
        *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    )
)


class Evaluator(CyclicEvaluator):
    """Evaluates the expressions of one project."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self.project = project
        self.object_calls: dict[CodeScope, list[CallSite]] = {}
        """By ``__call__`` or ``forward``: the calls of objects that enter it."""
        self.loaders_by_call: Mapping[int, Sequence[int]] = {}
        self.loaders_by_class: dict[ClassDefinition, list[int]] = {}
        """Of classes of loaders that are made by their names: the indices of these."""
        self.variants_by_call: dict[int, set[int]] = {}
        """Of loaders that differ by the calls of a function: their indices by these calls."""
        self.loader_argument: Callable[[int, str], Values] | None = None
        """Evaluates an argument of a loader, which is its attribute of the same name."""
        self.attributes = AttributeReader(project)
        self._calls = CallEvaluator(self)
        self.definitions = DefinitionFinder()
        self._foreign_names = ForeignNames(project, self.definitions)
        self._frames = FrameTable(project)
        self._chosen_classes = ChosenClasses(project)

    def set_loaders(self, loaders_by_call: Mapping[int, Sequence[int]]) -> None:
        """Say which calls make loaders; what was found without them is forgotten."""
        self.loaders_by_call = loaders_by_call
        self.forget_values()
        self.object_calls.clear()

    def discard(self) -> None:
        """Let go of all that it knows now: a circle would wait for the collector."""
        vars(self).clear()

    def frame_of(
        self,
        scope: CodeScope,
        owner: InstanceValue | None = None,
        call: ast.Call | None = None,
        caller: Frame | None = None,
    ) -> Frame:
        """The frame of a function; of any call where none is given, or too many are nested."""
        while scope.parent is not None:  # its names are among those of the one around it
            scope, call, caller = scope.parent, None, None
        if owner is None and call is None and caller is None:
            return self._frames.find_plain(scope)
        return self._frames.find(scope, owner, call, caller)

    def is_foreign(self, node: ast.Name | ast.Attribute, scope: CodeScope) -> bool:
        """Is it a name that nothing in the project gives a value?"""
        return self._foreign_names.is_foreign(node, scope)

    def evaluate_node(self, node: ast.expr, frame: Frame) -> Values:
        """What any other expression may be."""
        if isinstance(node, ast.Call):
            return self._evaluate_call(node, frame)
        if type(node) in _CONTAINERS:
            return frozenset((ContainerValue(node, frame),))
        if isinstance(node, ast.Subscript):
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(node.slice, ast.Slice):
                return self.evaluate(node.value, frame)
            return join(self.item(one, index) for one in self.evaluate(node.value, frame))
        if isinstance(node, ast.IfExp):
            ways = ((node.body, True), (node.orelse, False))
            return join(
                self.evaluate(one, frame)
                for one, holds in ways
                if not self._calls.branches.excludes((GuardCondition(node.test, holds),), frame)
            )
        if isinstance(node, ast.BoolOp):
            return join(self.evaluate(one, frame) for one in node.values)
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
            return self.evaluate(node.value, frame)
        if isinstance(node, ast.Lambda):
            return frozenset((LocalFunctionValue(node, frame),))
        if isinstance(node, ast.BinOp):
            both = self.evaluate(node.left, frame) | self.evaluate(node.right, frame)
            return frozenset(one for one in both if isinstance(one, (BatchValue, ContainerValue)))
        return UNKNOWN

    def evaluate_name(self, node: ast.Name, frame: Frame) -> Values:
        """What a name may be: by its assignments, as a parameter, in its module."""
        scope, name = frame.scope, node.id
        if name == "self" and frame.owner is not None:
            return frozenset((frame.owner,))
        if name == "cls" and frame.owner is not None:
            if [one.arg for one in scope.parameters[:1]] == [name]:
                return frozenset((ClassValue(frame.owner.cls),))
        found = self.definitions.find(scope, name, node.lineno)
        values = UNKNOWN
        if found.assigned or found.looped:
            assigned = self._select_assignments(found.assigned, name, frame)
            if len(assigned) == 1:
                values = self.evaluate(assigned[0], frame)
            else:
                values = join([self.evaluate(one, frame) for one in assigned])
            if found.looped:
                values |= join([self._element_of_target(one, frame) for one in found.looped])
        if name in scope.filled_names:
            values |= self.evaluate(scope.filled_names[name], frame)
        if name in scope.local_functions:
            return values | {LocalFunctionValue(scope.local_functions[name], frame)}
        if found.certain or scope.is_module_body:
            return values or read_global(self, node, frame)
        if name in scope.parameter_names:
            return values | evaluate_parameter(self, name, frame)
        if scope.local_functions and not (found.assigned or found.looped):
            inner = list_inner_arguments(scope, name)  # of a function within this one
            values = join([self.evaluate(given, frame) for given in inner])
        return values or read_global(self, node, frame)

    def _select_assignments(
        self, values: list[ast.expr], name: str, frame: Frame
    ) -> list[ast.expr]:
        """Of several assignments those that a call comes to, by the constants that it gives."""
        if frame.call is None or len(values) == 1:
            return values
        steps = {id(value): step for value, step in frame.scope.bindings.get(name, ())}
        return [
            one
            for one in values
            if id(one) not in steps
            or not self._calls.branches.excludes(steps[id(one)].context.guards, frame)
        ]

    def _element_of_target(self, target: LoopTarget, frame: Frame) -> Values:
        values = join(self.iterate(one) for one in self.evaluate(target.iterated, frame))
        for index in target.path:
            values = join(self.item(one, index) for one in values)
        return values

    def evaluate_attribute_node(self, node: ast.Attribute, frame: Frame) -> Values:
        """What an attribute may be, by what it is read from."""
        if is_super_call(node.value):
            return self.attributes.read_inherited(frame, node.attr)
        owners = self.evaluate(node.value, frame)
        if node.attr == "__dict__" and any(isinstance(one, ModuleValue) for one in owners):
            return owners
        known = owners and not any(isinstance(one, ModuleValue) for one in owners)
        full = "" if known else self.project.full_name_of(node, frame.scope.module)
        if owners and not full:
            return join([self.evaluate_attribute(one, node.attr) for one in owners])
        if full:
            definition = self.project.find_by_name(full, frame.scope.module)
            if isinstance(definition, CodeScope):
                return frozenset((FunctionValue(definition),))
            if definition is not None:
                return frozenset((ClassValue(definition),))
            return read_imported(self, full, frame.scope.module)
        stores = self.attributes.stores_on_self.get(node.attr, ())
        stored = {id(scope.owner) for _, scope in stores}
        if len(stored) != 1:  # whose attribute it is cannot be told
            stores = [pair for pair in stores if "load" in node.attr]
        if not stores and "load" in node.attr:
            return self.attributes.read_any_store(self, node.attr)
        return join(self.evaluate(value, self.frame_of(scope)) for value, scope in stores)

    def find_object_calls(self) -> list[CallSite]:
        """Calls of what loops take from lists, and of variables where classes have no names."""
        return self._object_calls

    @cached_property
    def _object_calls(self) -> list[CallSite]:
        return list_object_calls(self.project)

    @cached_property
    def callable_attributes(self) -> frozenset[str]:
        """Names that an attribute needs to have for a call of it to enter the project."""
        return list_callable_attributes(self.project, self.attributes)

    @cached_property
    def declared_attributes(self) -> frozenset[str]:
        """Those of them that are more than what methods assign to ``self``."""
        return list_declared_attributes(self.project, self.attributes)

    def subclasses_of(self, cls: ClassDefinition) -> list[ClassDefinition]:
        """The classes of the project that derive from one."""
        return self.attributes.list_subclasses(cls)

    def evaluate_attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value may be."""
        if isinstance(value, InstanceValue):
            return self.attributes.read(self, value, name)
        if isinstance(value, BatchValue):
            return frozenset((value,))
        if isinstance(value, LoaderValue) and self.loader_argument is not None:
            return self.loader_argument(value.index, name)
        if isinstance(value, ContainerValue):
            return item_of(self, value, name)
        if isinstance(value, ClassValue):
            return self.attributes.read(self, InstanceValue(value.cls), name)
        if isinstance(value, ModuleValue):
            return read_module(self, value, name)
        return self._chosen_classes.read(name) if isinstance(value, ChosenValue) else UNKNOWN

    def _evaluate_call(self, node: ast.Call, frame: Frame) -> Values:
        indices = self.loaders_by_call.get(id(node))
        if indices:
            mine = self._variants_of(frame).intersection(indices)
            return frozenset(LoaderValue(n) for n in mine or indices)
        return self._calls.evaluate(node, frame)

    def _variants_of(self, frame: Frame | None) -> set[int]:
        """The loaders of the innermost call around that decides which of several is made."""
        while frame is not None:
            if id(frame.call) in self.variants_by_call:
                return self.variants_by_call[id(frame.call)]
            frame = frame.caller
        return set()

    def call_value(self, callee: Value, call: ast.Call, frame: Frame) -> Values:
        """What a call of a value returns."""
        return self._calls.call_value(callee, call, frame)

    def call_method(self, instance: InstanceValue, name: str) -> Values:
        """What a method returns that is called without arguments."""
        method = self.project.find_method(instance.cls, name)
        return self._calls.evaluate_returns(self.frame_of(method, instance)) if method else UNKNOWN

    def item(self, value: Value, index: object) -> Values:
        """What stands at an index or key; at any where that is None."""
        if isinstance(value, InstanceValue):
            return self.call_method(value, "__getitem__")
        if isinstance(value, ModuleValue):
            return any_of_module(self, value)
        return item_of(self, value, index)

    def iterate(self, value: Value) -> Values:
        """What iterating a value gives."""
        return self.solve(("elements", value), self._iterate, value, None)

    def _iterate(self, value: Value, _: None) -> Values:
        found = self._batches_of_class(value) or self._calls.iterate(value)
        if isinstance(value, InstanceValue) and not self.project.find_method(value.cls, "__iter__"):
            return found or self.call_method(value, "__getitem__")
        return found or elements_of(self, value)

    def _batches_of_class(self, value: Value) -> Values:
        """What an object of a class of loaders gives, which is made by its name."""
        indices = self.loaders_by_class.get(value.cls) if isinstance(value, InstanceValue) else ()
        return frozenset(BatchValue(index) for index in indices or ())
