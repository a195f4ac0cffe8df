"""Caches of datasets: those that grow, those that are written to, those that miss."""

import ast

from pipedoctor.facts.code_events.dataset import (
    CacheGrowth,
    CounterUpdate,
    GlobalCacheGrowth,
    MemoizedFunction,
)
from pipedoctor.source.detect.dataset.cached_samples import record_cached_mutations
from pipedoctor.source.detect.dataset.handles import (
    early_return_conditions,
    is_opt_in,
    opens_handle,
)
from pipedoctor.source.detect.dataset.record_changes import record_changed_records
from pipedoctor.source.detect.loader.samplers import never_ends
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.views import find_own_key, strip_subscripts

_CONTAINER_FUNCTIONS = {
    "dict",
    "list",
    "collections.defaultdict",
    "collections.OrderedDict",
}
_OPPOSITES: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_CACHE_DECORATORS = {"functools.lru_cache", "functools.cache"}


def record_state_changes(
    recorder: EventRecorder, cls: ClassDefinition, scope: CodeScope, *, held: bool = False
) -> None:
    """
    Caches that grow, counters that count, cached arrays that are written to.

    `held`: the object is one that a dataset holds; what it adds up, but does not count, is its
    own value (`self.position += step`).
    """
    for step in scope.steps:
        node = step.node
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript):
                    _record_growth(recorder, cls, scope, step, target.value, node.value)
        elif isinstance(node, ast.AugAssign):
            key = binding_key(node.target)
            counts = not held or isinstance(node.value, ast.Constant)
            own = counts and key.startswith("self.") and not _is_endless(recorder, cls)
            if own and not _is_balanced(recorder, cls, key, node.op):
                tests = [guard.test for guard in step.context.guards]
                tests += [one.test for one in early_return_conditions(scope, step)]
                shared = any(_tests_type(test, key) for test in tests)
                recorder.add_event(
                    CounterUpdate(spare=shared or is_failure_path(step)), scope, step, key
                )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            key = find_own_key(node.func.value, scope)
            if not key.startswith("self.") or not node.args:
                continue
            if node.func.attr in {"append", "setdefault"}:
                _record_growth(recorder, cls, scope, step, node.func.value, node.args[-1])
            elif node.func.attr in {"discard", "remove"} or (
                node.func.attr == "add" and _is_set(_initial_value(recorder, cls, key))
            ):
                recorder.add_event(CounterUpdate(spare=is_failure_path(step)), scope, step, key)
    record_cached_mutations(recorder, scope)
    record_changed_records(recorder, scope)


def _is_endless(recorder: EventRecorder, cls: ClassDefinition) -> bool:
    """Does a stream of its own never end in a worker, which then loses nothing?"""
    method = recorder.project.find_method(cls, "__iter__")
    return method is not None and never_ends(recorder, method)


def _is_balanced(
    recorder: EventRecorder, cls: ClassDefinition, key: str, operator: ast.operator
) -> bool:
    """Do items take away, too, what they add to it: the size of what a worker keeps itself?"""
    opposite = _OPPOSITES.get(type(operator))
    return opposite is not None and any(
        isinstance(step.node, ast.AugAssign)
        and isinstance(step.node.op, opposite)
        and binding_key(step.node.target) == key
        for scope in cls.methods.values()
        if recorder.is_item_code(scope)
        for step in scope.steps_by_type.get(ast.AugAssign, [])
    )


def _tests_type(test: ast.expr, key: str) -> bool:
    """``isinstance(self.epoch, Shared)``: is it shared where somebody asks for that?"""
    return _calls_in_test(test, "isinstance", key) or _calls_in_test(test, "hasattr", key)


def _calls_in_test(test: ast.expr, function: str, key: str) -> bool:
    """Is this function called with it in a condition?"""
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) == function
        and bool(node.args)
        and binding_key(node.args[0]) == key
        for node in ast.walk(test)
    )


def is_failure_path(step: CodeStep) -> bool:
    """Does it run only for samples that fail: in a handler or in a retry loop?"""
    loops = any(isinstance(one, ast.While) for one in step.context.loops)
    return step.context.handler or loops


def _initial_value(recorder: EventRecorder, cls: ClassDefinition, key: str) -> ast.expr | None:
    for one in recorder.project.find_bases(cls)[0]:
        init = one.methods.get("__init__")
        if init is not None and key in init.bindings:
            return init.bindings[key][0][0]
        if (value := one.class_attributes.get(key.removeprefix("self."))) is not None:
            return value
    return None


def _is_set(value: ast.expr | None) -> bool:
    called = isinstance(value, ast.Call) and last_name(value.func) == "set"
    return called or isinstance(value, (ast.Set, ast.SetComp))


def _is_empty(recorder: EventRecorder, value: ast.expr | None, scope: CodeScope) -> bool:
    if isinstance(value, ast.IfExp):
        return any(_is_empty(recorder, one, scope) for one in (value.body, value.orelse))
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    if isinstance(value, ast.Call):
        name = recorder.full_name_of(value.func, scope)
        plain = isinstance(value.func, ast.Name)
        name = name or (last_name(value.func) if plain else "")
        return name in _CONTAINER_FUNCTIONS or name.rpartition(".")[2] in {
            "defaultdict",
            "OrderedDict",
        }
    if isinstance(value, ast.ListComp):  # a place for each item
        return isinstance(value.elt, ast.Constant) and value.elt.value is None
    return isinstance(value, ast.BinOp) and isinstance(value.left, ast.List)


def _record_growth(
    recorder: EventRecorder,
    cls: ClassDefinition,
    scope: CodeScope,
    step: CodeStep,
    container: ast.expr,
    value: ast.expr,
) -> None:
    key = find_own_key(strip_subscripts(container), scope)  # ``self.cache[folder][name] = x``
    initial = _initial_value(recorder, cls, key) if key.startswith("self.") else None
    replaced = isinstance(initial, ast.List) and isinstance(step.node, ast.Assign)
    if replaced or not _is_empty(recorder, initial, scope):
        return  # the elements of a list are replaced by an index, and never become more
    growth = CacheGrowth(
        emptied=_is_emptied(scope, key) or _is_consumed(recorder, cls, key),
        handles=opens_handle(recorder, scope, value),
        bounded=any(_tests_length(guard.test, key) for guard in step.context.guards),
        asked=is_opt_in(recorder, cls, step),
    )
    if step.context.handler and _fills_missing(scope, step):
        step = step._replace(context=step.context._replace(handler=False))
    recorder.add_event(growth, scope, step, key)


def _fills_missing(scope: CodeScope, step: CodeStep) -> bool:
    """``except KeyError: self.cache[name] = load(name)``, which is no failure."""
    line: int = getattr(step.node, "lineno", 0)
    handlers = (one.node for one in scope.steps_by_type.get(ast.ExceptHandler, ()))
    return any(
        isinstance(one, ast.ExceptHandler)
        and one.lineno <= line <= (one.end_lineno or 0)
        and any(last_name(kind) == "KeyError" for kind in _list_caught(one))
        for one in handlers
    )


def _list_caught(handler: ast.ExceptHandler) -> list[ast.expr]:
    """What a handler names: nothing, one class, or a tuple of them."""
    if isinstance(handler.type, ast.Tuple):
        return handler.type.elts
    return [handler.type] if handler.type is not None else []


def _tests_length(test: ast.expr, key: str) -> bool:
    """``len(self.cache) < self.cache_size``: is it asked how large it is?"""
    return _calls_in_test(test, "len", key)


def _is_emptied(scope: CodeScope, key: str) -> bool:
    for step in scope.calls:
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if binding_key(node.func.value) == key and node.func.attr in {
                "clear",
                "pop",
                "popitem",
            }:
                return True
    if key in scope.bindings:
        return True
    return any(
        key in unparse_short(target)
        for step in scope.steps_by_type.get(ast.Delete, [])
        if isinstance(step.node, ast.Delete)
        for target in step.node.targets
    )


def _is_consumed(recorder: EventRecorder, cls: ClassDefinition, key: str) -> bool:
    """``return self.queue.pop()``: does another function that runs for items take from it?"""
    return any(
        recorder.is_item_code(scope)
        and any(
            isinstance(step.node, ast.Call)
            and binding_key(getattr(step.node.func, "value", ast.Constant(value=0))) == key
            for name in ("pop", "popleft", "popitem", "clear")
            for step in scope.find_calls(name)
        )
        for scope in recorder.project.all_methods(cls)
    )


def record_unbounded_caches(recorder: EventRecorder, scope: CodeScope) -> None:
    """Record functions whose results are cached without limit, by their arguments."""
    if isinstance(scope.node, ast.Module):
        return
    for one in scope.node.decorator_list:
        call = one.func if isinstance(one, ast.Call) else one
        name = recorder.full_name_of(call, scope)
        if name not in _CACHE_DECORATORS:
            continue
        size = None
        if isinstance(one, ast.Call):
            words = [w.value for w in one.keywords if w.arg == "maxsize"]
            first = (words or one.args or [ast.Constant(value=128)])[0]
            size = first.value if isinstance(first, ast.Constant) else 0
        if size is None and len(scope.parameters) > (scope.owner is not None):
            step = CodeStep(one, CodeContext())
            recorder.add_event(MemoizedFunction(), scope, step, name)


def record_global_caches(recorder: EventRecorder, scope: CodeScope) -> None:
    """A dictionary of the module that grows by what is asked for."""
    body = scope.module.body
    own = {one.arg for one in scope.parameters}
    for step in scope.steps_by_type.get(ast.Assign, []):
        node = step.node
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                continue
            key = binding_key(target.value)
            if not key or key in own or key in scope.bindings or key.startswith("self."):
                continue
            initial = [value for value, _ in body.bindings.get(key, [])]
            named = isinstance(target.slice, ast.Name)
            if initial and named and _is_empty(recorder, initial[0], scope):
                flag = isinstance(node.value, ast.Constant)
                emptied = flag or _is_emptied(scope, key)
                recorder.add_event(GlobalCacheGrowth(emptied=emptied), scope, step, key)
