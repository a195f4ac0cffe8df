"""What calls return: functions, classes, methods, generators, wrappers of libraries."""

import ast
from collections.abc import Iterator

from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.branch_conditions import BranchConditions
from pipedoctor.source.values.chosen_classes import (
    builds_by_name,
    chooses_class,
    find_named_classes,
)
from pipedoctor.source.values.containers import (
    call_container_method,
    is_dictionary_method,
    list_given,
)
from pipedoctor.source.values.dynamic_imports import find_imported_modules
from pipedoctor.source.values.function_results import is_generator, own_returns
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    BatchValue,
    ChosenValue,
    ClassValue,
    ContainerValue,
    Evaluating,
    ExternalValue,
    Frame,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    IteratorValue,
    LoaderValue,
    LocalFunctionValue,
    ModuleValue,
    PartialValue,
    StreamValue,
    TupleValue,
    Value,
    Values,
    any_object,
    is_sequence,
    join,
)
from pipedoctor.source.values.library import (
    ITEM_TAKERS,
    KNOWN_BUILTINS,
    MODULE_IMPORTERS,
    NAMESPACES,
    OBJECT_MAKERS,
    OBJECT_PARSERS,
    PARAMETER_NAMES,
    PASSED_ON,
    SELF_RETURNING,
    SEVERAL_PASSED_ON,
    SPLITS,
    WRAPPERS,
)
from pipedoctor.source.values.modules import list_module_items
from pipedoctor.source.values.named_attributes import read_by_name

_MANAGER_DECORATORS = {"contextmanager", "asynccontextmanager"}
_MAX_RETURNS, _MAX_PARTS = 8, 4
"""Returns of a function; parts that a dataset is split into, told apart."""


class CallEvaluator:
    """Evaluates calls for one evaluator."""

    def __init__(self, model: Evaluating) -> None:
        self.model = model
        self.branches = BranchConditions()
        self._active_partials: set[PartialValue] = set()
        self._known_returns: dict[int, list[ast.expr]] = {}
        """What functions return, by the identity of the scope."""
        self._known_results: dict[int, list[ast.expr]] = {}
        """What functions within functions return and yield, by the identity of the node."""

    def evaluate(self, node: ast.Call, frame: Frame) -> Values:
        """What a call returns."""
        name = last_name(node.func)
        full = self.model.project.full_name_of(node.func, frame.scope.module)
        if name in KNOWN_BUILTINS and isinstance(node.func, ast.Name) and not full:
            found = self._call_builtin(name, node, frame)
            if found is not None:
                return found
        if full in NAMESPACES:
            return frozenset((ContainerValue(node, frame),))
        if full in MODULE_IMPORTERS:
            return find_imported_modules(self.model, node, frame)
        if full == "functools.partial" and node.args:
            return frozenset((PartialValue(node, frame),))
        if is_dictionary_method(self.model, node.func, frame):
            return self._call_library(name, full, node, frame)
        callees = self.model.evaluate(node.func, frame)
        returned = join(self.call_value(one, node, frame) for one in callees)
        if not returned and (builds_by_name(full) or chooses_class(node.func, frame.scope)):
            return find_named_classes(self.model, frame) or frozenset((ChosenValue(node, frame),))
        if callees:
            return returned
        return self._call_library(full.rpartition(".")[2] or name, full, node, frame)

    def _call_builtin(self, name: str, node: ast.Call, frame: Frame) -> Values | None:
        given = [self.model.evaluate(one, frame) for one in node.args]
        if name == "iter" and given:
            return join(self._make_iterator(one) for one in given[0])
        if name in {"next", "anext"} and given:
            return join(self._take_next(one) for one in given[0])
        if name == "enumerate" and given:
            return frozenset((StreamValue((UNKNOWN, given[0])),))
        if name == "zip" and given:
            pairs = zip(node.args, given, strict=True)
            parts = (self._items_of(one) if isinstance(x, ast.Starred) else one for x, one in pairs)
            return frozenset((StreamValue(tuple(parts)),))
        if name == "getattr" and len(node.args) > 1:
            return read_by_name(self.model, given[0], node.args[1], frame)
        if name == "vars" and given:
            return frozenset(one for one in given[0] if isinstance(one, ModuleValue))
        if name in {"dict", "OrderedDict"}:
            return frozenset((ContainerValue(node, frame),))
        return frozenset((frame.owner,)) if name == "super" and frame.owner is not None else None

    def _make_iterator(self, value: Value) -> Values:
        if isinstance(value, (LoaderValue, IteratorValue)):
            return frozenset((IteratorValue(value.index),))
        if isinstance(value, InstanceValue):
            own = self.model.call_method(value, "__iter__")
            return own or frozenset((value,))
        return frozenset((value,))

    def _take_next(self, value: Value) -> Values:
        if isinstance(value, InstanceValue):
            return self.model.call_method(value, "__next__") or self.model.iterate(value)
        return self.model.iterate(value)

    def call_value(self, callee: Value, call: ast.Call, frame: Frame) -> Values:
        """What a call of a value returns."""
        if isinstance(callee, FunctionValue):
            owner = callee.owner
            inner = self.model.frame_of(callee.scope, owner, call, frame)
            return self.evaluate_returns(inner)
        if isinstance(callee, LocalFunctionValue):
            return self._evaluate_local_returns(callee)
        if isinstance(callee, ClassValue):
            return frozenset((InstanceValue(callee.cls, call, frame),))
        if isinstance(callee, PartialValue):
            return self._call_partial(callee)
        if isinstance(callee, ExternalValue) and callee.name == "collections.namedtuple":
            return frozenset((ContainerValue(call, frame),))
        if isinstance(callee, InstanceValue):
            for name in ("__call__", "forward"):
                method = self.model.project.find_method(callee.cls, name)
                if method is not None:
                    return self.evaluate_returns(self.model.frame_of(method, callee, call, frame))
        return frozenset((callee,)) if isinstance(callee, BatchValue) else UNKNOWN

    def _call_partial(self, callee: PartialValue) -> Values:
        """What a partial returns; nothing where it is made of itself."""
        if callee in self._active_partials:
            return UNKNOWN
        self._active_partials.add(callee)
        found = join(
            self.model.call_value(one, callee.call, callee.frame)
            for one in self.model.evaluate(callee.call.args[0], callee.frame)
            if not isinstance(one, FunctionValue)
        )
        self._active_partials.discard(callee)
        return found

    def evaluate_returns(self, frame: Frame) -> Values:
        """What a function returns in one frame; a generator where it yields."""
        node = frame.scope.node
        if is_generator(frame.scope):
            decorators: list[ast.expr] = getattr(node, "decorator_list", [])
            if any(last_name(one) in _MANAGER_DECORATORS for one in decorators):
                return join(self._evaluate_yields(frame))
            return frozenset((GeneratorValue(frame),))
        values = self._known_returns.get(id(frame.scope))
        if values is None:
            values = self._known_returns[id(frame.scope)] = own_returns(node)[:_MAX_RETURNS]
        taken = self._taken_returns(values, frame) if len(values) > 1 else values
        return join(self.model.evaluate(value, frame) for value in taken)

    def _taken_returns(self, values: list[ast.expr], frame: Frame) -> list[ast.expr]:
        """Those that a call comes to, by the constants that it gives."""
        if frame.call is None:
            return values
        never = {
            id(step.node.value)
            for step in frame.scope.steps_by_type.get(ast.Return, ())
            if isinstance(step.node, ast.Return)
            if self.branches.excludes(step.context.guards, frame)
        }
        return [one for one in values if id(one) not in never]

    def _evaluate_local_returns(self, callee: LocalFunctionValue) -> Values:
        node, frame = callee.node, callee.frame
        if isinstance(node, ast.Lambda):
            return self.model.evaluate(node.body, frame)
        values = self._known_results.get(id(node))
        if values is None:
            yielded = [one.value for one in find_nodes(node, (ast.Yield,))]
            values = own_returns(node)[:_MAX_RETURNS] + [one for one in yielded if one is not None]
            self._known_results[id(node)] = values
        return join(self.model.evaluate(value, frame) for value in values)

    def iterate(self, value: Value) -> Values:
        """What iterating a generator or an object with ``__iter__`` gives."""
        if isinstance(value, GeneratorValue):
            return join(self._evaluate_yields(value.frame))
        if isinstance(value, InstanceValue):
            made = self.model.call_method(value, "__iter__")
            others = [one for one in made if one != value]
            if made and len(others) < len(made):
                return self.model.call_method(value, "__next__")
            return join(self.model.iterate(one) for one in others)
        return UNKNOWN

    def _evaluate_yields(self, frame: Frame) -> Iterator[Values]:
        for step in frame.scope.steps_by_type.get(ast.Yield, ()):
            node = step.node
            if isinstance(node, ast.Yield) and not step.context.inner:
                yield self.model.evaluate(node.value, frame)
        for step in frame.scope.steps_by_type.get(ast.YieldFrom, ()):
            node = step.node
            if isinstance(node, ast.YieldFrom) and not step.context.inner:
                yield join(self.model.iterate(v) for v in self.model.evaluate(node.value, frame))

    def _call_library(self, name: str, full: str, node: ast.Call, frame: Frame) -> Values:
        """A function of a library: what it passes on of what it is given."""
        if isinstance(node.func, ast.Attribute):
            owners = self.model.evaluate(node.func.value, frame)
            found = self._call_method(owners, name, node)
            if found is not None:
                return found
        given = list(list_given(self.model, node, frame))
        if full in OBJECT_MAKERS:
            given += [self.model.evaluate(word.value, frame) for word in node.keywords]
            return frozenset(any_object(join(iter(given))))
        if name in WRAPPERS and given:
            parts = (self.model.item(one, None) for one in given[0] if is_sequence(one))
            return frozenset(one for one in given[0] if not is_sequence(one)) | join(parts)
        if name in SPLITS and given:
            return frozenset((TupleValue((given[0],) * _MAX_PARTS),))
        if name in SEVERAL_PASSED_ON and len(given) > 1:
            return frozenset((TupleValue(tuple(given)),))
        if name in PASSED_ON:
            words = [w.value for w in node.keywords if w.arg in PARAMETER_NAMES]
            given += [self.model.evaluate(one, frame) for one in words]
            return join(iter(given))
        if (full or name) in ITEM_TAKERS:
            return self._items_of(given[0]) if given else UNKNOWN
        held = [self.model.item(o, None) for part in given for o in part if is_sequence(o)]
        every = (one for part in (*given, *held) for one in part)
        batches = frozenset(one for one in every if isinstance(one, BatchValue))
        return batches or frozenset((ExternalValue(full or name, node, frame),))

    def _call_method(self, owners: Values, name: str, node: ast.Call) -> Values | None:
        """A method of what is no object of the project; none: nothing is known of it."""
        held = [one for one in owners if is_sequence(one)]
        if held:
            return join(call_container_method(self.model, one, node) for one in held)
        found = [self._call_method_of(owner, name) for owner in owners]
        return join(one for one in found if one) if any(x is not None for x in found) else None

    def _call_method_of(self, owner: Value, name: str) -> Values | None:
        if isinstance(owner, BatchValue):
            return frozenset((owner,))
        if isinstance(owner, ModuleValue) and name in {"items", "values"}:
            return list_module_items(self.model, owner, name)
        if isinstance(owner, (LoaderValue, IteratorValue)):
            if name in {"next", "__next__"}:
                return frozenset((BatchValue(owner.index),))
            made = name == "__iter__"
            return frozenset((IteratorValue(owner.index),)) if made else UNKNOWN
        if isinstance(owner, (InstanceValue, ChosenValue)) and name in SELF_RETURNING:
            return frozenset((owner,))
        if isinstance(owner, ExternalValue) and name in OBJECT_PARSERS:
            return self._parsed_objects(owner)
        return None

    def _items_of(self, values: Values) -> Values:
        return join(self.model.item(one, None) for one in values)

    def _parsed_objects(self, parser: ExternalValue) -> Values:
        """``HfArgumentParser((Data, Training)).parse_args_into_dataclasses()``."""
        written = [*parser.call.args[:1], *(word.value for word in parser.call.keywords)]
        parts: list[Values] = []
        for value in self.model.evaluate(written[0], parser.frame) if written else ():
            if isinstance(value, ContainerValue) and isinstance(value.node, (ast.Tuple, ast.List)):
                held = (self.model.item(value, n) for n in range(len(value.node.elts)))
                parts += [frozenset(any_object(one)) for one in held]
            else:
                parts.append(frozenset(any_object(frozenset((value,)))))
        return frozenset((TupleValue(tuple(parts)),)) if parts else UNKNOWN
