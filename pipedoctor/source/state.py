"""What datasets keep: handles, caches, generators, counters, lambdas."""

import ast
from collections.abc import Iterator
from typing import Any

from pipedoctor.source.constructions import possible
from pipedoctor.source.effects import NAMED
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Around, Class, Scope, Step, key_of
from pipedoctor.source.values import written

HANDLES = {
    **{name: name for name, kind in NAMED.items() if kind == "container-open"},
    "open": "open",
    "io.open": "open",
    "os.open": "open",
    "sqlite3.connect": "sqlite3.connect",
    "PIL.Image.open": "PIL.Image.open",
    "gzip.open": "gzip.open",
}
GENERATORS = {
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "random.Random",
    "torch.Generator",
}
_EMPTY = {"dict", "list", "collections.defaultdict", "collections.OrderedDict"}
_SEEDS = {
    "random.seed",
    "numpy.random.seed",
    "torch.manual_seed",
    "torch.cuda.manual_seed_all",
    "pytorch_lightning.seed_everything",
}
_MEMO = {"functools.lru_cache", "functools.cache"}


def state_events(recorder: Recorder) -> None:
    """Record what every dataset of the project keeps and changes."""
    for cls in recorder.reach.datasets.values():
        methods = list(_methods(recorder, cls))
        worker = [m for m in methods if recorder.is_item(m)]
        init = recorder.project.method(cls, "__init__")
        if init is not None:
            _kept(recorder, cls, init, worker)
            _made(recorder, cls, init)
        for scope in methods:
            if not recorder.is_item(scope) or scope is init:
                _seeds(recorder, scope)
        for scope in worker:
            if scope is not init:
                _changes(recorder, cls, scope)
        _length(recorder, cls)
        _index(recorder, cls)
    for scope in recorder.reach.items.values():
        _memoised(recorder, scope)
        _global_cache(recorder, scope)
    for scope in recorder.reach.seeders.values():
        _seeder(recorder, scope)


def _methods(recorder: Recorder, cls: Class) -> Iterator[Scope]:
    seen: set[str] = set()
    for one in recorder.project.bases(cls)[0]:
        for name, method in one.methods.items():
            if name not in seen:
                seen.add(name)
                yield method


def _uses(scopes: list[Scope], key: str) -> bool:
    """Does one of these read ``self.x``?"""
    return any(
        key_of(node) == key and isinstance(node.ctx, ast.Load)
        for scope in scopes
        for node in scope.attributes
    )


def _assigns(scopes: list[Scope], key: str) -> bool:
    return any(key in scope.bound for scope in scopes)


def _kept(recorder: Recorder, cls: Class, init: Scope, worker: list[Scope]) -> None:
    """Attributes of the dataset that a worker cannot share or gets a copy of."""
    for key, values in init.bound.items():
        if not key.startswith("self."):
            continue
        for value, step in values:
            name = (
                recorder.name(value.func, init) if isinstance(value, ast.Call) else ""
            )
            if isinstance(value, ast.Call) and not name:
                name = written(value.func) if last_name(value.func) == "open" else ""
            details: dict[str, Any] = {
                "attribute": key,
                "used": _uses(worker, key),
                "renewed": _assigns(worker, key) or "__getstate__" in cls.methods,
                "closed": _closes(init, key),
            }
            if name in HANDLES or name.endswith(".open"):
                recorder.add("keeps-handle", init, step, name, node=value, **details)
            elif name in GENERATORS:
                recorder.add("keeps-generator", init, step, name, node=value, **details)
            lambdas = _lambda(recorder, init, value)
            if lambdas is not None:
                recorder.add("keeps-lambda", init, step, key, node=lambdas, **details)


def _lambda(recorder: Recorder, init: Scope, value: ast.expr) -> ast.expr | None:
    """A lambda that stays on self: itself, a default, or handed on to an object."""
    if isinstance(value, ast.Lambda):
        return value
    if isinstance(value, ast.Name):
        default = recorder.values.default(init, value.id)
        return default if isinstance(default, ast.Lambda) else None
    if isinstance(value, ast.Call):
        found = recorder.project.found(value.func, init.module)
        stored = isinstance(found, Class)
        if stored or last_name(value.func) == "Lambda":
            for one in [*value.args, *(word.value for word in value.keywords)]:
                if isinstance(one, ast.Lambda):
                    return one
                if isinstance(one, ast.Name) and stored:
                    default = recorder.values.default(init, one.id)
                    if isinstance(default, ast.Lambda):
                        return default
    return None


def _closes(scope: Scope, key: str) -> bool:
    """``self.x.close()``, ``del self.x``, ``self.x = None`` after it."""
    for step in scope.calls:
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "close" and key_of(node.func.value) == key:
                return True
    for step in scope.of_type.get(ast.Delete, []):
        node = step.node
        if isinstance(node, ast.Delete) and key in map(key_of, node.targets):
            return True
    values = [value for value, _ in scope.bound.get(key, [])]
    last = values[-1] if values else None
    return isinstance(last, ast.Constant) and last.value is None


def _made(recorder: Recorder, cls: Class, init: Scope) -> None:
    """Lists of Python objects that grow while the dataset is made."""
    for scope in _methods(recorder, cls):
        if id(scope) not in recorder.reach.initial:
            continue
        for step in scope.calls:
            node = step.node
            if not (isinstance(node, ast.Call) and step.around.loops and node.args):
                continue
            func = node.func
            if not (isinstance(func, ast.Attribute) and func.attr == "append"):
                continue
            item = node.args[0]
            value = item
            if isinstance(item, ast.Name) and item.id in scope.bound:
                value = scope.bound[item.id][-1][0]
            key = key_of(func.value)
            kept = key.startswith("self.") or _returned_to_self(scope, init, key)
            if isinstance(value, (ast.Dict, ast.Tuple, ast.List)) and kept:
                node = _inner_list(scope, value) or value
                recorder.add("object-list", scope, step, key, node=node)


def _inner_list(scope: Scope, value: ast.expr) -> ast.expr | None:
    """A list within each record: where it is made."""
    parts = value.values if isinstance(value, ast.Dict) else []
    for part in parts:
        if isinstance(part, ast.Name) and part.id in scope.bound:
            made = scope.bound[part.id][-1][0]
            call = isinstance(made, ast.Call) and last_name(made.func) == "list"
            if call or isinstance(made, ast.ListComp):
                return made
    return None


def _returned_to_self(scope: Scope, init: Scope, key: str) -> bool:
    if scope is init:
        return any(
            isinstance(value, ast.Name) and value.id == key and name.startswith("self.")
            for name, values in init.bound.items()
            for value, _ in values
        )
    return any(
        isinstance(n, ast.Name) and n.id == key
        for step in scope.of_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )


def _seeds(recorder: Recorder, scope: Scope) -> None:
    """Global generators that are set by a dataset."""
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = recorder.name(node.func, scope)
        if name in _SEEDS:
            value = recorder.values.of(node.args[0], scope)
            recorder.add(
                "global-seed",
                scope,
                step,
                name,
                constant=value.how in {"literal", "default", "inferred"},
                method=scope.name.rpartition(".")[2],
            )


def _changes(recorder: Recorder, cls: Class, scope: Scope) -> None:
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
                recorder.add("counts", scope, step, key)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            key = key_of(node.func.value)
            if not key.startswith("self.") or not node.args:
                continue
            if node.func.attr == "append":
                _grows(recorder, cls, scope, step, node.func.value, node.args[0])
            elif node.func.attr in {"discard", "remove"} or (
                node.func.attr == "add" and _is_set(_initial(recorder, cls, key))
            ):
                recorder.add("counts", scope, step, key)
    _cached(recorder, scope)


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
        name = recorder.name(value.func, scope) or last_name(value.func)
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
    opens = any(
        isinstance(n, ast.Call)
        and (
            recorder.name(n.func, scope) in HANDLES
            or last_name(n.func) in {"open", "File"}
        )
        for n in ast.walk(value)
    )
    recorder.add("grows", scope, step, key, handles=opens, emptied=emptied)


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
                    if name in sources:
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
    if isinstance(value, ast.Subscript) and key_of(value.value).startswith("self."):
        simple = isinstance(value.slice, (ast.Name, ast.Constant))
        if simple:
            sources[target.id] = key_of(value.value)
            return
    if isinstance(value, ast.Name) and value.id in sources:
        sources[target.id] = sources[value.id]
        return
    if sources.get(target.id) and isinstance(value, ast.Subscript):
        # One branch takes it from the cache, another makes it anew: still possible.
        if isinstance(value.value, ast.Name) and value.value.id != target.id:
            return
    sources.pop(target.id, None)


def _length(recorder: Recorder, cls: Class) -> None:
    """``__len__`` that does work: torch asks for it several times an epoch."""
    scope = cls.methods.get("__len__")
    if scope is None:
        return
    heavy = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for step in scope.steps:
        node = step.node
        name = recorder.name(node.func, scope) if isinstance(node, ast.Call) else ""
        if not name and isinstance(node, ast.Call) and last_name(node.func) == "open":
            name = "open"
        if isinstance(node, heavy) or name in NAMED:
            if not step.around.guards:
                recorder.add(
                    "heavy-len",
                    scope,
                    step,
                    name or "loop",
                    text=written(node) if isinstance(node, ast.expr) else "",
                )
                return


def _index(recorder: Recorder, cls: Class) -> None:
    """``__getitem__`` that draws its item at random, whatever was asked for."""
    scope = cls.methods.get("__getitem__")
    if scope is None or len(scope.parameters) < 2:  # noqa: PLR2004  (self, index)
        return
    name = scope.parameters[1].arg
    uses = [node for node in scope.loads if node.id == name]
    parity = [
        step.node.left
        for step in scope.of_type.get(ast.BinOp, [])
        if isinstance(step.node, ast.BinOp)
        and isinstance(step.node.op, ast.Mod)
        and isinstance(step.node.right, ast.Constant)
    ]
    real = [node for node in uses if not any(node is p for p in parity)]
    draws = [
        step
        for step in scope.calls
        if isinstance(step.node, ast.Call)
        and recorder.name(step.node.func, scope).startswith(
            ("random.", "numpy.random.", "torch.rand")
        )
    ]
    if not real and draws:
        recorder.add("index-ignored", scope, draws[0], name, parity=bool(uses))


def _memoised(recorder: Recorder, scope: Scope) -> None:
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


def _global_cache(recorder: Recorder, scope: Scope) -> None:
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
                recorder.add(
                    "global-grows", scope, step, key, emptied=_emptied(scope, key)
                )


def _seeder(recorder: Recorder, scope: Scope) -> None:
    """A ``worker_init_fn``: what its seeds depend on."""
    names = {node.attr for node in scope.attributes} | {n.id for n in scope.loads}
    for step in scope.calls:
        node = step.node
        if not isinstance(node, ast.Call):
            continue
        name = recorder.name(node.func, scope)
        if name in _SEEDS:
            worker = scope.parameters[0].arg if scope.parameters else ""
            line = (
                ast.Pass(
                    lineno=scope.node.lineno,
                    col_offset=0,
                    end_lineno=node.end_lineno,
                    end_col_offset=node.end_col_offset,
                )
                if not isinstance(scope.node, ast.Module)
                else node
            )
            recorder.add(
                "worker-seed",
                scope,
                step,
                name,
                node=line,
                fresh=bool(names & {"initial_seed", "get_worker_info", "seed_all_rng"})
                or "worker_info" in names,
                by_worker=worker in names,
                by_time=bool(names & {"time", "time_ns", "now", "urandom"}),
            )
