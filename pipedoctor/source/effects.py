"""What code for items does: reads, parses, prints, draws at random, and so on."""

import ast
from typing import Any

from pipedoctor.source.around import Guard, Step
from pipedoctor.source.caches import missed_keys, spare
from pipedoctor.source.failures import handlers, retries
from pipedoctor.source.handles import own_file
from pipedoctor.source.kinds import DRAWS, NAMED, READING, SAVES
from pipedoctor.source.managed import READS
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written

_BUILTIN = {"print", "open"}
_CACHES = {"lru_cache", "cache", "cached_property"}


_WORK = ("transform", "augment", "load", "read", "open", "token", "encode", "parse")


def item_events(recorder: Recorder) -> None:
    """Record what happens per item; elsewhere nobody waits for it."""
    for scope in list(recorder.reach.items.values()):
        for step in scope.calls:
            if isinstance(step.node, ast.Call):
                _call(recorder, scope, step, step.node)
        handlers(recorder, scope)
        retries(recorder, scope)
        missed_keys(recorder, scope)


def _call(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    full = recorder.name(node.func, scope)
    if not full and isinstance(node.func, ast.Name) and node.func.id in _BUILTIN:
        full = node.func.id
    if full == "print":
        refuses = _refuses(recorder, scope, step, node)
        recorder.add("print", scope, step, full, refuses=refuses)
    kind = NAMED.get(full)
    if kind == "read" and full == "numpy.load" and _true(node, "allow_pickle"):
        kind = "unpickle"
    if kind is not None:
        details: dict[str, Any] = {
            "managed": _managed(scope, node),
            "lazy": _lazy(scope, step, node) or _fills(scope, step),
            "own": kind == "container-open" and own_file(recorder, scope, node),
            "kept": _kept(scope, node),
            "used": _closed(scope, node),
            "once": _once(recorder, scope),
            "saved": kind == "unpickle" and _saves(recorder, scope),
            "by_type": kind == "dir-scan" and _by_type(recorder, scope),
        }
        recorder.add(kind, scope, step, full, text=written(node), **details)
    elif isinstance(node.func, ast.Attribute):
        if node.func.attr in {"glob", "rglob", "iterdir"} and not full.startswith(
            "re."
        ):
            recorder.add("dir-scan", scope, step, written(node.func))
        _device(recorder, scope, step, node, full)
    _random(recorder, scope, step, full)


def _refuses(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> bool:
    """Does it say why this goes no further, or what nobody should have asked for?"""
    block = recorder.pen(scope.module).blocks.get(id(node))
    last = block[0][-1] if block and step.around.guards else None
    if isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Assert)):
        return True
    if spare(step) or (step.around.guards and _fails(step.around.guards[-1])):
        return True
    otherwise = bool(step.around.guards) and not step.around.guards[-1].holds
    plain = all(isinstance(one, ast.Constant) for one in node.args)
    return (otherwise and plain) or scope.name.endswith("__init__")


def _fails(guard: Guard) -> bool:
    """``if sample is None``: nothing could be loaded."""
    test = guard.test
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Is if guard.holds else ast.IsNot)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )


def _saves(recorder: Recorder, scope: Scope) -> bool:
    """Does the same function or class write what it reads here: a cache of its own?"""
    mine = [*scope.owner.methods.values()] if scope.owner else [scope]
    return any(
        isinstance(step.node, ast.Call) and recorder.name(step.node.func, one) in SAVES
        for one in mine
        for step in one.calls
    )


def _by_type(recorder: Recorder, scope: Scope) -> bool:
    """Is it only for arguments of another type than items give, or may give?"""
    sites = [
        site for site in recorder.project.callers(scope) if recorder.is_item(site.scope)
    ]
    return bool(sites) and all(
        any("isinstance(" in written(guard.test) for guard in site.step.around.guards)
        for site in sites
    )


def _once(recorder: Recorder, scope: Scope) -> bool:
    """Only where nothing is there yet: at every call of it, or by a cache."""
    decorators = getattr(scope.node, "decorator_list", ())
    names = [one.func if isinstance(one, ast.Call) else one for one in decorators]
    if any(last_name(one) in _CACHES for one in names):
        return True
    sites = [
        site
        for site in recorder.project.callers(scope)
        if scope.owner is None or key_of(site.node.func).startswith("self.")
    ]
    return bool(sites) and all(_lazy(s.scope, s.step, s.node) for s in sites)


def _true(node: ast.Call, name: str) -> bool:
    return any(
        w.arg == name and isinstance(w.value, ast.Constant) and w.value.value is True
        for w in node.keywords
    )


def _managed(scope: Scope, node: ast.Call) -> bool:
    """Is it what a ``with`` closes again?"""
    return any(
        part is node
        for step in scope.of_type.get(ast.With, [])
        if isinstance(step.node, ast.With)
        for item in step.node.items
        for part in ast.walk(item.context_expr)
    )


def _lazy(scope: Scope, step: Step, node: ast.Call) -> bool:
    """Only where nothing is there yet: ``if self.file is None: self.file = ...``."""
    kept = _kept(scope, node).startswith("self.") or any(
        isinstance(one, ast.Assign)
        and one.value is node
        and any("self." in written(target) for target in one.targets)
        for one in (s.node for s in scope.of_type.get(ast.Assign, []))
    )
    return kept and bool(step.around.guards)


def _fills(scope: Scope, step: Step) -> bool:
    """``if self.rows is None:``, and then gives it a value: only the first time."""
    return any(
        guard.holds
        and isinstance(guard.test, ast.Compare)
        and isinstance(guard.test.ops[0], ast.Is)
        and key_of(guard.test.left) in scope.bound
        and key_of(guard.test.left).startswith("self.")
        for guard in step.around.guards
    )


def _kept(scope: Scope, node: ast.Call) -> str:
    """The variable that keeps it: ``x`` or ``self.x``."""
    for key, values in scope.bound.items():
        if any(value is node for value, _ in values):
            return key
    return ""


def _closed(scope: Scope, node: ast.Call) -> bool:
    """Is what is opened closed, returned or handed on in this function?"""
    key = _kept(scope, node)
    if not key:
        return not any(n.value is node and n.attr in READS for n in scope.attributes)
    for step in scope.steps:
        one = step.node
        if isinstance(one, ast.Call):
            if isinstance(one.func, ast.Attribute) and key_of(one.func.value) == key:
                if one.func.attr == "close":
                    return True
            parts = [*one.args, *(word.value for word in one.keywords)]
            if any(key_of(part) == key for part in parts):
                return True
        elif isinstance(one, (ast.Return, ast.Yield)) and one.value is not None:
            if _gives(one.value, key):
                return True
    return any(key_of(m) == key for s in scope.steps for m in s.around.managers)


def _gives(value: ast.AST, key: str) -> bool:
    """Does it hold the file itself, or what will read it later?"""
    if isinstance(value, (ast.Name, ast.Lambda, ast.GeneratorExp)):
        return any(isinstance(n, ast.Name) and n.id == key for n in ast.walk(value))
    read = value.func if isinstance(value, ast.Call) else None
    if isinstance(read, ast.Attribute) and read.attr in READS:
        if key_of(read.value) == key:
            return False
    return any(_gives(child, key) for child in ast.iter_child_nodes(value))


def _device(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, full: str
) -> None:
    """Does it touch the GPU? Certain where it says cuda itself."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    harmless = ("is_available", "device_count", "amp", "manual_seed", "nvtx", "is_cuda")
    if full.startswith("torch.cuda.") and not any(w in full for w in harmless):
        recorder.add("cuda", scope, step, full, sure=True)
    elif func.attr == "cuda" and not full.startswith("torch"):
        recorder.add("cuda", scope, step, written(func), sure=True)
    elif func.attr == "to" and node.args:
        value = recorder.values.of(node.args[0], scope)
        if isinstance(value.value, str) and value.value.startswith("cuda"):
            recorder.add("cuda", scope, step, written(node), sure=True)


def _random(recorder: Recorder, scope: Scope, step: Step, full: str) -> None:
    head, _, last = full.rpartition(".")
    if last in DRAWS and head in {"numpy.random", "random"}:
        recorder.add("draw", scope, step, full)
    elif last == "seed" and head in {"numpy.random", "random"}:
        node = step.node
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        value = recorder.values.of(given, scope)
        recorder.add("seed", scope, step, full, constant=value.how == "literal")


def works(recorder: Recorder, scope: Scope, node: ast.Call) -> bool:
    """Does a call read, decode, parse, tokenise or transform something?"""
    name = last_name(node.func).lower()
    known = NAMED.get(recorder.name(node.func, scope)) in READING
    return known or any(word in name for word in _WORK)


def _counts(scope: Scope) -> bool:
    """Are all its loops over a ``range``? What else is iterated may do anything."""
    loops = [s.node for s in scope.of_type.get(ast.For, [])]
    others = any(scope.of_type.get(kind) for kind in (ast.YieldFrom, ast.While))
    return (
        bool(loops)
        and not others
        and all(
            isinstance(one, ast.For)
            and isinstance(one.iter, ast.Call)
            and last_name(one.iter.func) == "range"
            for one in loops
        )
    )


def _inherited(func: ast.Attribute) -> bool:
    """``super().__getitem__``: what a class does that it is made from."""
    return isinstance(func.value, ast.Call) and last_name(func.value.func) == "super"


def light(recorder: Recorder, dataset: str) -> bool:
    """Do its items only pick from memory? Who knows of a class that is no Dataset."""
    scopes = [
        scope
        for key in recorder.reach.of_dataset.get(dataset, set())
        if (scope := recorder.reach.items.get(key)) is not None
    ]
    style = recorder.reach.style[dataset]
    if style == "given" or (style == "iterable" and not all(map(_counts, scopes))):
        return False
    for scope in scopes:
        for step in scope.calls:
            node = step.node
            if not isinstance(node, ast.Call):
                continue
            name = last_name(node.func).lower()
            unknown = isinstance(node.func, ast.Attribute) and (
                (key_of(node.func).startswith("self.") or _inherited(node.func))
                and not list(recorder.reach.targets(node.func, scope, scope.owner))
            )
            if works(recorder, scope, node):
                return False
            if unknown or name in {"iter", "next"}:
                return False
    return bool(scopes)
