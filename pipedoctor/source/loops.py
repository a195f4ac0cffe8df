"""Loops over batches: which loader feeds them, and what slows or breaks them."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from pipedoctor.facts.source import Loop
from pipedoctor.source.constructions import possible
from pipedoctor.source.origin import returned
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Around, Scope, Step, key_of
from pipedoctor.source.values import spot, written

_LOADERLIKE = ("loader", "_dl", "dataloader")
_DTYPES = {
    "float",
    "float16",
    "float32",
    "float64",
    "half",
    "bfloat16",
    "int",
    "int32",
    "int64",
    "long",
    "bool",
    "uint8",
    "double",
}
_EVAL = ("eval", "valid", "val_", "_val", "test", "infer", "predict")
_FACTORIES = {
    f"torch.{name}"
    for name in (
        [
            "zeros",
            "ones",
            "empty",
            "full",
            "rand",
            "randn",
            "arange",
            "randint",
            "eye",
            "linspace",
            "tensor",
        ]
    )
}
_DEEP = 3


BatchLoop: TypeAlias = ast.For | ast.AsyncFor | ast.While


def find_loops(recorder: Recorder) -> None:
    """Number the loops over batches, before anything refers to them."""
    for scope in recorder.project.scopes:
        _taken(recorder, scope)
        for kind in (ast.For, ast.AsyncFor):
            for step in scope.of_type.get(kind, []):
                if isinstance(step.node, (ast.For, ast.AsyncFor)):
                    _loop(recorder, scope, step, step.node)


def _loop(
    recorder: Recorder, scope: Scope, step: Step, node: ast.For | ast.AsyncFor
) -> None:
    loaders = recorder.origins.of(node.iter, scope)
    if not loaders and not _like_a_loader(node.iter):
        return
    recorder.loop_of[id(node)] = len(recorder.loops)
    recorder.loops.append(
        Loop(
            at=spot(scope.module, node),
            function=scope.name,
            loaders=tuple(sorted(loaders)),
            role="train"
            if _trains(node)
            else "eval"
            if _evaluates(node, scope)
            else "",
            repeats=repeats(recorder, scope, step),
        )
    )


def _taken(recorder: Recorder, scope: Scope) -> None:
    """``while True: batch = next(it)`` is a loop over batches too."""
    for step in scope.calls:
        node = step.node
        if not (isinstance(node, ast.Call) and step.around.loops and node.args):
            continue
        if not (isinstance(node.func, ast.Name) and node.func.id == "next"):
            continue
        around = step.around.loops[-1]
        loaders: set[int] = set()
        for one in _iters(recorder, node.args[0], scope):
            loaders |= recorder.origins.of(one.args[0], scope)
        if loaders and id(around) not in recorder.loop_of and not step.around.handler:
            recorder.loop_of[id(around)] = len(recorder.loops)
            recorder.loops.append(
                Loop(
                    at=spot(scope.module, around),
                    function=scope.name,
                    loaders=tuple(sorted(loaders)),
                    role="train" if _trains(around) else "",
                    repeats=False,
                )
            )


def _like_a_loader(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        wraps = last_name(node.func) in {"enumerate", "tqdm", "zip", "iter"}
        return wraps and any(_like_a_loader(one) for one in node.args[:1])
    name = last_name(node).lower()
    return name.endswith(_LOADERLIKE)


def _trains(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr in {"backward", "zero_grad"}
        for n in ast.walk(node)
    )


def _evaluates(node: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    name = f"{scope.name} {written(node.iter)}".lower()
    return any(word in name for word in _EVAL)


def repeats(recorder: Recorder, scope: Scope, step: Step, depth: int = _DEEP) -> bool:
    """Does this happen again and again: in a loop, here or around a call of it?"""
    outer = [x for x in step.around.loops if x is not step.node]
    if any(_counts(one) for one in outer):
        return True
    if depth <= 0 or scope.at_top:
        return False
    return any(
        site.scope is not scope and repeats(recorder, site.scope, site.step, depth - 1)
        for site in recorder.project.callers(scope)[:6]
    )


def _counts(node: ast.AST) -> bool:
    """A loop over epochs: a range, or a variable that is called so."""
    if isinstance(node, ast.While):
        return True
    if isinstance(node, (ast.For, ast.AsyncFor)):
        target = written(node.target).lower()
        return "range(" in written(node.iter) or "epoch" in target
    return False


def loop_events(recorder: Recorder) -> None:
    """Record what happens between loader and device, and around the loop."""
    for scope in recorder.project.scopes:
        for kind in (ast.For, ast.AsyncFor, ast.While):
            for step in scope.of_type.get(kind, []):
                node = step.node
                if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                    if id(node) in recorder.loop_of:
                        _body(recorder, scope, node)
                        _steps(recorder, scope, node)
        for step in scope.calls:
            if isinstance(step.node, ast.Call):
                _iterator(recorder, scope, step, step.node)
        _streams(recorder, scope)


def _within(scope: Scope, node: ast.AST) -> list[Step]:
    """Steps whose innermost loop over batches this is."""
    return [step for step in scope.steps if node in step.around.loops]


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _steps(recorder: Recorder, scope: Scope, node: BatchLoop) -> None:
    """A function that makes one step, and gives its loss back as a number."""
    number = recorder.loop_of[id(node)]
    seen: set[int] = set()
    for step in _within(scope, node):
        call = step.node
        if not isinstance(call, ast.Call) or any(
            x is not node for x in step.around.loops[-1:]
        ):
            continue
        for target, _ in recorder.reach.targets(call.func, scope, scope.owner):
            if id(target) in seen or not any(map(_backs, target.calls)):
                continue
            seen.add(id(target))
            for value in returned(target):
                for part in ast.walk(value):
                    if isinstance(part, ast.Call) and last_name(part.func) in {
                        "item",
                        "cpu",
                    }:
                        where = Step(part, Around())
                        recorder.add(
                            "sync",
                            target,
                            where,
                            written(part),
                            how=last_name(part.func),
                            host=False,
                            raised=True,
                            in_loop=number,
                        )


def _backs(step: Step) -> bool:
    return isinstance(step.node, ast.Call) and last_name(step.node.func) == "backward"


def _body(recorder: Recorder, scope: Scope, node: BatchLoop) -> None:
    steps = [
        step
        for step in _within(scope, node)
        if [x for x in step.around.loops if id(x) in recorder.loop_of][-1] is node
    ]
    batch = _names(node.target) if not isinstance(node, ast.While) else set[str]()
    for step in steps:
        one = step.node
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            if last_name(one.value.func) == "next":
                batch |= {n for target in one.targets for n in _names(target)}
    moved: dict[str, tuple[int, Around]] = {}
    losses = {
        key_of(n.func.value)
        for s in steps
        if isinstance(n := s.node, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "backward"
    }
    losses |= {
        _root(n.args[0])
        for s in steps
        if isinstance(n := s.node, ast.Call)
        and n.args
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "backward"
    }
    results: set[str] = set(losses)
    for step in steps:
        one = step.node
        if isinstance(one, (ast.For, ast.comprehension)) and _names(one.iter) & batch:
            batch |= _names(one.target)
        elif isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            for part in one.generators:
                if _names(part.iter) & batch:
                    batch |= _names(part.target)
        elif isinstance(one, ast.Assign):
            _assigned(step, one, batch, moved, results)
        elif isinstance(one, ast.Call):
            _in_loop(recorder, scope, step, one, batch, moved, results)
        elif isinstance(one, ast.AugAssign):
            _accumulated(recorder, scope, step, one, losses)


def _assigned(
    step: Step,
    node: ast.Assign,
    batch: set[str],
    moved: dict[str, tuple[int, Around]],
    results: set[str],
) -> None:
    """Names that come from the batch, those on the device, those computed there."""
    copies = [n for n in ast.walk(node.value) if isinstance(n, ast.Call) and is_copy(n)]
    for target in node.targets:
        names = _names(target)
        if copies:
            for name in names:
                moved.setdefault(name, (node.end_lineno or node.lineno, step.around))
        if isinstance(node.value, ast.Call) and not copies:
            if _names(node.value) & (moved.keys() | results):
                results |= names
        if isinstance(node.value, (ast.Name, ast.Subscript, ast.Tuple)):
            if _names(node.value) & batch:
                batch |= names
        elif copies and _names(node.value) & batch:
            batch |= names
        elif isinstance(node.value, ast.BinOp) and _names(node.value) & results:
            results |= names


def is_copy(node: ast.Call) -> bool:
    """``x.to(device)`` or ``x.cuda()``, and no change of type."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return False
    if func.attr == "cuda":
        return not (isinstance(func.value, ast.Name) and func.value.id == "torch")
    if func.attr != "to":
        return False
    words = {word.arg: word.value for word in node.keywords}
    if "device" in words:
        return True
    if not node.args:
        return False
    first = node.args[0]
    text = written(first)
    if isinstance(first, ast.Constant):
        return isinstance(first.value, (str, int)) and first.value != "cpu"
    return last_name(first) not in _DTYPES and "dtype" not in text and text != "cpu"


def _root(node: ast.expr) -> str:
    """``x`` of ``x[0].data.item()``."""
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else ""


def _in_loop(
    recorder: Recorder,
    scope: Scope,
    step: Step,
    node: ast.Call,
    batch: set[str],
    on_device: dict[str, tuple[int, Around]],
    results: set[str],
) -> None:
    moved = {
        name
        for name, (line, around) in on_device.items()
        if line < node.lineno and possible(around, step.around)
    }
    func = node.func
    full = recorder.name(func, scope)
    root = _root(func.value) if isinstance(func, ast.Attribute) else ""
    if is_copy(node):
        given = {word.arg: word.value for word in node.keywords}.get("non_blocking")
        if given is None and isinstance(func, ast.Attribute) and func.attr == "cuda":
            if node.args and isinstance(node.args[0], ast.Constant):
                given = node.args[0] if isinstance(node.args[0].value, bool) else None
        value = recorder.values.of(given, scope)
        inner = func.value if isinstance(func, ast.Attribute) else None
        made = recorder.name(inner.func, scope) if isinstance(inner, ast.Call) else ""
        pins = isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory"
        kind = "device-copy" if root in batch else "other-copy"
        if made in _FACTORIES:
            kind = "created-then-moved"
        elif kind == "device-copy" and root in moved:
            kind = "other-copy"
        recorder.add(
            kind,
            scope,
            step,
            written(node),
            non_blocking=value.value is True,
            unknown=not value.known,
            variable=root,
            pins=pins,
        )
    elif isinstance(func, ast.Attribute) and func.attr in {"item", "cpu", "tolist"}:
        recorder.add(
            "sync",
            scope,
            step,
            written(node),
            how=func.attr,
            host=root in batch - moved and root not in results,
            raised=root in results,
        )
    elif isinstance(func, ast.Name) and func.id == "print":
        tensors = {
            n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)
        }
        if tensors & results and not any(".item()" in written(a) for a in node.args):
            recorder.add(
                "sync", scope, step, written(node), how="print", host=False, raised=True
            )
    elif isinstance(func, ast.Name) and func.id == "float" and node.args:
        if isinstance(node.args[0], ast.Name) and node.args[0].id in results:
            recorder.add(
                "sync", scope, step, written(node), how="float", host=False, raised=True
            )
    elif isinstance(func, ast.Attribute) and func.attr == "numpy":
        if root in batch - moved:
            after = any(
                _makes_tensor(recorder, scope, s.node, root)
                for s in _within(scope, step.around.loops[-1])
                if getattr(s.node, "lineno", 0) > node.lineno
            )
            recorder.add("host-array", scope, step, written(node), again=after)
    elif full == "torch.cuda.empty_cache":
        recorder.add("empty-cache", scope, step, full)


_TENSORS = {f"torch.{n}" for n in ("Tensor", "from_numpy", "tensor", "FloatTensor")}


def _makes_tensor(recorder: Recorder, scope: Scope, node: ast.AST, root: str) -> bool:
    if not (isinstance(node, ast.Call) and node.args):
        return False
    return recorder.name(node.func, scope) in _TENSORS and root in _names(node.args[0])


def _accumulated(
    recorder: Recorder,
    scope: Scope,
    step: Step,
    node: ast.AugAssign,
    losses: set[str],
) -> None:
    """``total += loss``: keeps the graph of every step."""
    value = node.value
    names = {value.id} if isinstance(value, ast.Name) else set[str]()
    if isinstance(value, ast.BinOp):
        names = {n.id for n in (value.left, value.right) if isinstance(n, ast.Name)}
    hit = names & losses
    if isinstance(node.op, ast.Add) and hit and key_of(node.target) not in losses:
        if not _inside_backward(scope, key_of(node.target)) and not _summed(step):
            recorder.add("graph-kept", scope, step, key_of(node.target), loss=min(hit))


def _summed(step: Step) -> bool:
    return any("no_grad" in written(one) for one in step.around.managers)


def _inside_backward(scope: Scope, key: str) -> bool:
    return any(
        isinstance(s.node, ast.Call)
        and isinstance(s.node.func, ast.Attribute)
        and s.node.func.attr == "backward"
        and key_of(s.node.func.value) == key
        for s in scope.calls
    )


def _iterator(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    """``next(iter(loader))`` and ``next(it)``."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "next" and not node.args:
        made = list(_iters(recorder, func.value, scope))
        if made:
            recorder.add("old-next", scope, step, written(node))
        return
    if not (isinstance(func, ast.Name) and func.id == "next" and node.args):
        return
    inner = node.args[0]
    if isinstance(inner, ast.Call) and last_name(inner.func) == "iter" and inner.args:
        loaders = recorder.origins.of(inner.args[0], scope)
        like = _like_a_loader(inner.args[0])
        if loaders or like:
            recorder.add(
                "fresh-iterator",
                scope,
                step,
                written(node),
                repeats=repeats(recorder, scope, step),
                known=bool(loaders),
                loader=min(loaders, default=-1),
            )
        return
    made = list(_iters(recorder, inner, scope))
    if len(node.args) == 1 and made:
        fed = [n for one in made for n in recorder.origins.of(one.args[0], scope)]
        given = [recorder.constructions.made[n].given for n in fed]
        recorder.add(
            "next",
            scope,
            step,
            written(node),
            endless=any({"sampler", "batch_sampler"} & one.keys() for one in given),
            tried=bool(step.around.tries),
            looped=bool(step.around.loops) and not step.around.inner,
        )


def _iters(recorder: Recorder, node: ast.expr, scope: Scope) -> Iterator[ast.Call]:
    """The ``iter(loader)`` behind an expression, made outside of this loop."""
    values: list[ast.expr] = [node]
    key = key_of(node)
    if key:
        values = [value for value, _ in recorder.values.assigned(key, scope)]
    for value in values:
        if isinstance(value, ast.Call) and last_name(value.func) == "iter":
            if value.args and recorder.origins.of(value.args[0], scope):
                yield value


def _streams(recorder: Recorder, scope: Scope) -> None:
    """Copies on a stream of their own, with nothing that keeps the memory alive."""
    within = [
        step
        for step in scope.calls
        if any(_is_stream(recorder, scope, m) for m in step.around.managers)
    ]
    if not within:
        return
    source = [*scope.owner.methods.values()] if scope.owner else [scope]
    recorded = any(
        node.attr == "record_stream" for one in source for node in one.attributes
    )
    for step in within:
        node = step.node
        if not isinstance(node, ast.Call) or not is_copy(node):
            continue
        words = {word.arg: word.value for word in node.keywords}
        value = recorder.values.of(words.get("non_blocking"), scope)
        if value.value is True and not recorded:
            recorder.add("side-stream", scope, step, written(node))


def _is_stream(recorder: Recorder, scope: Scope, node: ast.expr) -> bool:
    text = written(node)
    if "cuda.stream(" in text:
        return True
    if isinstance(node, ast.Call) and key_of(node.func):
        values = recorder.values.assigned(key_of(node.func), scope)
        return any("cuda.stream" in written(value) for value, _ in values)
    return False
