"""What datasets keep: handles, generators, lambdas; and how they answer."""

import ast
from typing import Any

from pipedoctor.source.caches import changes, global_cache, memoised, spare
from pipedoctor.source.kinds import GENERATORS, HANDLES, NAMED
from pipedoctor.source.pickled import drops
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.records import object_lists
from pipedoctor.source.scope import Class, Scope, key_of
from pipedoctor.source.seeding import in_items, seeder, seeds
from pipedoctor.source.values import written
from pipedoctor.source.views import views


def state_events(recorder: Recorder) -> None:
    """Record what every dataset of the project keeps and changes."""
    for cls in recorder.reach.datasets.values():
        methods = list(recorder.project.methods(cls))
        worker = [m for m in methods if recorder.is_item(m)]
        init = recorder.project.method(cls, "__init__")
        if init is not None:
            _kept(recorder, cls, init, worker)
            _opened_early(recorder, init, worker)
            object_lists(recorder, methods)
        for scope in methods:
            if not recorder.is_item(scope) or scope is init:
                seeds(recorder, scope)
        for scope in worker:
            if scope is not init:
                changes(recorder, cls, scope)
        _length(recorder, cls)
        _index(recorder, cls)
    for scope in recorder.reach.items.values():
        memoised(recorder, scope)
        global_cache(recorder, scope)
        in_items(recorder, scope)
    for scope in recorder.reach.seeders.values():
        seeder(recorder, scope)


def _uses(scopes: list[Scope], key: str) -> bool:
    """Does one of these read ``self.x``?"""
    return any(
        key_of(node) == key and isinstance(node.ctx, ast.Load)
        for scope in scopes
        for node in scope.attributes
    )


def _spare(scopes: list[Scope], key: str) -> bool:
    """Is ``self.x`` read for samples that fail, and for nothing else?"""
    reads = {
        id(node)
        for scope in scopes
        for node in scope.attributes
        if key_of(node) == key and isinstance(node.ctx, ast.Load)
    }
    late = {
        id(node)
        for scope in scopes
        for step in scope.calls
        if spare(step)
        for node in ast.walk(step.node)
    }
    return bool(reads) and reads <= late


def _assigns(scopes: list[Scope], key: str) -> bool:
    return any(key in scope.bound for scope in scopes)


def _renews(scopes: list[Scope], key: str) -> bool:
    """Is it made anew in a worker, and not only where there is none yet?"""
    return any(
        "pid" in said or key not in said
        for scope in scopes
        for _, step in scope.bound.get(key, [])
        for said in [" ".join(written(guard.test) for guard in step.around.guards)]
    )


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
            dropped = drops(recorder, cls, key)
            details: dict[str, Any] = {
                "attribute": key,
                "used": _uses(worker, key),
                "renewed": _assigns(worker, key) or dropped or _seeds(worker, key),
                "closed": _closes(init, key),
                "spare": _spare(worker, key),
            }
            if name in HANDLES or name.endswith(".open"):
                parts = [one for one in views(init, key) if _uses(worker, one)]
                renewed = any(_renews(worker, one) for one in (key, *parts))
                details |= {"renewed": renewed, "dropped": dropped}
                details |= {"used": details["used"] or bool(parts)}
                details["part"] = parts[0] if parts else ""
                details["unlocked"] = _unlocked(value)
                recorder.add("keeps-handle", init, step, name, node=value, **details)
            elif name in GENERATORS:
                recorder.add("keeps-generator", init, step, name, node=value, **details)
            lambdas = _lambda(recorder, init, value)
            if lambdas is not None:
                moved = step._replace(node=lambdas)
                recorder.add("keeps-lambda", init, moved, key, **details)


def _seeds(scopes: list[Scope], key: str) -> bool:
    """``self.rng.seed(...)``: does the worker give a generator a seed of its own?"""
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr in {"seed", "manual_seed"}
        and key_of(step.node.func.value) == key
        for scope in scopes
        for step in scope.calls
    )


def _unlocked(node: ast.expr) -> bool:
    """``lmdb.open(path, lock=False)``."""
    return isinstance(node, ast.Call) and any(
        word.arg == "lock" and getattr(word.value, "value", None) is False
        for word in node.keywords
    )


def _opened_early(recorder: Recorder, init: Scope, worker: list[Scope]) -> None:
    """``if self.file is None: self.file = open(...)``, which __init__ already does."""
    for scope in worker:
        if id(scope) not in recorder.reach.initial or scope is init:
            continue
        for key, values in scope.bound.items():
            for value, step in values:
                made = isinstance(value, ast.Call) and recorder.name(value.func, scope)
                if made in HANDLES and key.startswith("self.") and step.around.guards:
                    recorder.add(
                        "keeps-handle",
                        scope,
                        step,
                        str(made),
                        node=value,
                        attribute=key,
                        used=True,
                        renewed="getpid" in written(step.around.guards[-1].test),
                        closed=_shuts(init, key),
                    )


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


def _shuts(scope: Scope, key: str) -> bool:
    """``self.x.close()``, or ``self.close()``."""
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr == "close"
        and (key_of(step.node.func.value) == key or _is_self(step.node.func.value))
        for step in scope.calls
    )


def _is_self(node: ast.expr) -> bool:
    """Is it ``self`` itself?"""
    return isinstance(node, ast.Name) and node.id == "self"


def _closes(scope: Scope, key: str) -> bool:
    """``self.x.close()``, ``del self.x``, ``self.x = None`` after it."""
    if _shuts(scope, key):
        return True
    for step in scope.of_type.get(ast.Delete, []):
        node = step.node
        if isinstance(node, ast.Delete) and key in map(key_of, node.targets):
            return True
    values = [value for value, _ in scope.bound.get(key, [])]
    last = values[-1] if values else None
    return isinstance(last, ast.Constant) and last.value is None


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


_MADE_UP = {"randn", "rand", "normal", "standard_normal", "randn_like", "rand_like"}
"""What is drawn so is the item itself, for a test, and not which one it is."""


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
        and last_name(step.node.func) not in _MADE_UP
    ]
    if not real and draws:
        recorder.add("index-ignored", scope, draws[0], name, parity=bool(uses))
