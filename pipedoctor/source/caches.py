"""Caches of datasets: those that grow, those that are written to, those that miss."""

import ast
from typing import Any

from pipedoctor.source.around import Around, Step, possible
from pipedoctor.source.handles import asked_for, left_before, opens
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Class, Scope, key_of
from pipedoctor.source.values import shape, written
from pipedoctor.source.views import container_of, uncut

_EMPTY = {"dict", "list", "collections.defaultdict", "collections.OrderedDict"}
_MEMO = {"functools.lru_cache", "functools.cache"}


def changes(recorder: Recorder, cls: Class, scope: Scope) -> None:
    """Caches that grow, counters that count, cached arrays that are written to."""
    for step in scope.steps:
        node = step.node
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript):
                    _grows(recorder, cls, scope, step, target.value, node.value)
        elif isinstance(node, ast.AugAssign):
            key = key_of(node.target)
            if key.startswith("self."):
                tests = [guard.test for guard in step.around.guards]
                tests += [one.test for one in left_before(scope, step)]
                shared = any(_by_type(test, key) for test in tests)
                recorder.add("counts", scope, step, key, spare=shared or spare(step))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            key = key_of(node.func.value)
            if not key.startswith("self.") or not node.args:
                continue
            if node.func.attr == "append":
                _grows(recorder, cls, scope, step, node.func.value, node.args[0])
            elif node.func.attr in {"discard", "remove"} or (
                node.func.attr == "add" and _is_set(_initial(recorder, cls, key))
            ):
                recorder.add("counts", scope, step, key, spare=spare(step))
    _cached(recorder, scope)


def _by_type(test: ast.expr, key: str) -> bool:
    """``isinstance(self.epoch, Shared)``: is it shared where somebody asks for that?"""
    return _asks(test, "isinstance", key) or _asks(test, "hasattr", key)


def _asks(test: ast.expr, function: str, key: str) -> bool:
    """Is this function called with it in a condition?"""
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) == function
        and bool(node.args)
        and key_of(node.args[0]) == key
        for node in ast.walk(test)
    )


def spare(step: Step) -> bool:
    """Is it done for samples that fail: in a handler, or in a loop of retries?"""
    loops = any(isinstance(one, ast.While) for one in step.around.loops)
    return step.around.handler or loops


def _initial(recorder: Recorder, cls: Class, key: str) -> ast.expr | None:
    for one in recorder.project.bases(cls)[0]:
        init = one.methods.get("__init__")
        if init is not None and key in init.bound:
            return init.bound[key][0][0]
    return None


def _is_set(value: ast.expr | None) -> bool:
    called = isinstance(value, ast.Call) and last_name(value.func) == "set"
    return called or isinstance(value, (ast.Set, ast.SetComp))


def _is_empty(recorder: Recorder, value: ast.expr | None, scope: Scope) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List):
        return not value.elts
    if isinstance(value, ast.Call):
        name = recorder.name(value.func, scope)
        plain = isinstance(value.func, ast.Name)
        name = name or (last_name(value.func) if plain else "")
        return name in _EMPTY or name.rpartition(".")[2] in {
            "defaultdict",
            "OrderedDict",
        }
    return isinstance(value, (ast.BinOp,)) and isinstance(value.left, ast.List)


def _grows(
    recorder: Recorder,
    cls: Class,
    scope: Scope,
    step: Step,
    container: ast.expr,
    value: ast.expr,
) -> None:
    key = key_of(container)
    initial = _initial(recorder, cls, key) if key.startswith("self.") else None
    if not _is_empty(recorder, initial, scope):
        return
    emptied = _emptied(scope, key)
    handles = opens(recorder, scope, value)
    bounded = any(_measures(guard.test, key) for guard in step.around.guards)
    asked = asked_for(recorder, cls, step)
    how: dict[str, Any] = {"emptied": emptied, "bounded": bounded, "asked": asked}
    recorder.add("grows", scope, step, key, handles=handles, **how)


def _measures(test: ast.expr, key: str) -> bool:
    """``len(self.cache) < self.cache_size``: is it asked how large it is?"""
    return _asks(test, "len", key)


def _emptied(scope: Scope, key: str) -> bool:
    for step in scope.calls:
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if key_of(node.func.value) == key and node.func.attr in {
                "clear",
                "pop",
                "popitem",
            }:
                return True
    if key in scope.bound:
        return True
    return any(
        key in written(target)
        for step in scope.of_type.get(ast.Delete, [])
        if isinstance(step.node, ast.Delete)
        for target in step.node.targets
    )


def _wraps(recorder: Recorder, scope: Scope, key: str) -> bool:
    """Is ``self.x`` another data set, whose items are made anew each time?"""
    if key.endswith(("dataset", "_ds", ".ds", "datasets", "loader")):
        return True
    return any(
        recorder.reach.types(value, its, its.owner) or _asked(value)
        for value, its in recorder.values.assigned(key, scope)
    )


def _asked(value: ast.expr) -> bool:
    """``self.base = self.get_base()``: nobody knows what that is."""
    return isinstance(value, ast.Call) and key_of(value.func).startswith("self.")


def _cached(recorder: Recorder, scope: Scope) -> None:
    """``x = self.items[i]``, and later ``x[...] = ...``: the cached one changes."""
    sources: dict[str, str] = {}
    since: dict[str, Step] = {}
    for step in scope.steps:
        node = step.node
        if isinstance(node, ast.Assign):
            for target in node.targets:
                before = dict(sources)
                _follow(sources, target, node.value)
                for name in before.keys() - sources.keys():
                    if not possible(since[name].around, step.around):
                        sources[name] = before[name]
                since.update(dict.fromkeys(sources.keys() - before.keys(), step))
                if isinstance(target, ast.Subscript):
                    name = key_of(target.value)
                    if name in sources and _wraps(recorder, scope, sources[name]):
                        del sources[name]
                    elif name in sources:
                        recorder.add(
                            "mutates-cached", scope, step, sources[name], variable=name
                        )
                        del sources[name]
        elif isinstance(node, ast.AugAssign):
            base: ast.expr = node.target
            if isinstance(base, ast.Subscript):
                base = base.value
            name = key_of(base)
            if name in sources and isinstance(node.target, ast.Subscript):
                recorder.add(
                    "mutates-cached", scope, step, sources[name], variable=name
                )
                del sources[name]


def _follow(sources: dict[str, str], target: ast.expr, value: ast.expr) -> None:
    """Names that stand for an element of a container on self."""
    if isinstance(target, (ast.Tuple, ast.List)):
        pairs = (
            zip(target.elts, value.elts, strict=False)
            if isinstance(value, (ast.Tuple, ast.List))
            else ((one, value) for one in target.elts)
        )
        for one, its in pairs:
            _follow(sources, one, its)
        return
    if not isinstance(target, ast.Name):
        return
    container = container_of(value)
    if container.startswith("self."):
        sources[target.id] = container
        return
    same = uncut(value)
    if isinstance(same, ast.Name) and same.id in sources:
        sources[target.id] = sources[same.id]
        return
    if sources.get(target.id) and isinstance(value, ast.Subscript):
        # One branch takes it from the cache, another makes it anew: still possible.
        if isinstance(value.value, ast.Name) and value.value.id != target.id:
            return
    sources.pop(target.id, None)


def memoised(recorder: Recorder, scope: Scope) -> None:
    """Results that are kept for ever, by what they were asked for."""
    if isinstance(scope.node, ast.Module):
        return
    for one in scope.node.decorator_list:
        call = one.func if isinstance(one, ast.Call) else one
        name = recorder.name(call, scope)
        if name not in _MEMO:
            continue
        size = None
        if isinstance(one, ast.Call):
            words = [w.value for w in one.keywords if w.arg == "maxsize"]
            first = (words or one.args or [ast.Constant(value=128)])[0]
            size = first.value if isinstance(first, ast.Constant) else 0
        if size is None and len(scope.parameters) > (scope.owner is not None):
            step = Step(one, Around())
            recorder.add("memoised", scope, step, name)


def global_cache(recorder: Recorder, scope: Scope) -> None:
    """A dictionary of the module that grows by what is asked for."""
    body = scope.module.body
    own = {one.arg for one in scope.parameters}
    for step in scope.of_type.get(ast.Assign, []):
        node = step.node
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                continue
            key = key_of(target.value)
            if not key or key in own or key in scope.bound or key.startswith("self."):
                continue
            initial = [value for value, _ in body.bound.get(key, [])]
            named = isinstance(target.slice, ast.Name)
            if initial and named and _is_empty(recorder, initial[0], scope):
                flag = isinstance(node.value, ast.Constant)
                emptied = flag or _emptied(scope, key)
                recorder.add("global-grows", scope, step, key, emptied=emptied)


def missed_keys(recorder: Recorder, scope: Scope) -> None:
    """``if a not in cache: cache[b] = ...``: looked up by one key, kept by another."""
    for step in scope.of_type.get(ast.If, []):
        node = step.node
        if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
            continue
        test = node.test
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.NotIn):
            continue
        cache, key = shape(test.comparators[0]), shape(test.left)
        stored = [
            (target, one)
            for part in node.body
            for one in ast.walk(part)
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Subscript) and shape(target.value) == cache
        ]
        if len(stored) == 1 and shape(stored[0][0].slice) != key:
            target, one = stored[0]
            if isinstance(test.left, (ast.Name, ast.Attribute)) and not isinstance(
                target.slice, (ast.Name, ast.Attribute)
            ):
                where = ast.Pass(
                    lineno=test.lineno,
                    col_offset=test.col_offset,
                    end_lineno=one.end_lineno,
                    end_col_offset=one.end_col_offset,
                )
                recorder.add(
                    "missed-key",
                    scope,
                    step,
                    written(test.comparators[0]),
                    node=where,
                    asked=written(test.left),
                    kept=written(target.slice),
                )
