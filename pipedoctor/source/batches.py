"""What is done with a batch between its loader and the device."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.source.around import Around, Step, possible
from pipedoctor.source.copies import FACTORIES, is_copy, streams
from pipedoctor.source.iterators import by_hand
from pipedoctor.source.loops import BatchLoop, within
from pipedoctor.source.losses import accumulated, loss_steps
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written


def loop_events(recorder: Recorder) -> None:
    """Record what happens between loader and device, and around the loop."""
    for scope in recorder.project.scopes:
        for kind in (ast.For, ast.AsyncFor, ast.While):
            for step in scope.of_type.get(kind, []):
                node = step.node
                if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                    if id(node) in recorder.loop_of:
                        _body(recorder, scope, node)
                        loss_steps(recorder, scope, node)
        for step in scope.calls:
            if isinstance(step.node, ast.Call):
                by_hand(recorder, scope, step, step.node)
        streams(recorder, scope)


_TENSORS = {f"torch.{n}" for n in ("Tensor", "from_numpy", "tensor", "FloatTensor")}


@dataclass(slots=True)
class Known:
    """What the steps of a loop have shown so far, by the names of variables."""

    batch: set[str]
    losses: set[str]
    results: set[str]
    """Computed on the device: losses and what comes of them."""
    moved: dict[str, tuple[int, Around]] = field(default_factory=dict[str, Any])
    """On the device: since which line, and within what."""

    def moved_before(self, line: int, around: Around) -> set[str]:
        """Those that are on the device already, on this way through the loop."""
        return {
            name
            for name, (since, within) in self.moved.items()
            if since < line and possible(within, around)
        }


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _body(recorder: Recorder, scope: Scope, node: BatchLoop) -> None:
    steps = [
        step
        for step in within(scope, node)
        if [x for x in step.around.loops if id(x) in recorder.loop_of][-1] is node
    ]
    losses = set(_losses(steps))
    known = Known(_batch(node, steps), losses, set(losses))
    for step in steps:
        one = step.node
        if isinstance(one, ast.For) and _names(one.iter) & known.batch:
            known.batch |= _names(one.target)
        elif isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            for part in one.generators:
                if _names(part.iter) & known.batch:
                    known.batch |= _names(part.target)
        elif isinstance(one, ast.Assign):
            _assigned(step, one, known)
        elif isinstance(one, ast.Call):
            _in_loop(recorder, scope, step, one, known)
        elif isinstance(one, ast.AugAssign):
            accumulated(recorder, scope, step, one, losses)


def _batch(node: BatchLoop, steps: Sequence[Step]) -> set[str]:
    """The variables that the batch is bound to: by the loop, or by ``next``."""
    batch = _names(node.target) if not isinstance(node, ast.While) else set[str]()
    for step in steps:
        one = step.node
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            if last_name(one.value.func) == "next":
                batch |= {n for target in one.targets for n in _names(target)}
    return batch


def _losses(steps: Sequence[Step]) -> Iterator[str]:
    """``x`` of ``x.backward()`` and of ``scaler.backward(x)``."""
    for step in steps:
        one = step.node
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            if one.func.attr == "backward":
                yield key_of(one.func.value)
                if one.args:
                    yield root_of(one.args[0])


def _assigned(step: Step, node: ast.Assign, known: Known) -> None:
    """Names that come from the batch, those on the device, those computed there."""
    value = node.value
    copies = [n for n in ast.walk(value) if isinstance(n, ast.Call) and is_copy(n)]
    read = _names(value)
    for target in node.targets:
        names = _names(target)
        if copies:
            since = (node.end_lineno or node.lineno, step.around)
            for name in names:
                known.moved.setdefault(name, since)
        if isinstance(value, ast.Call) and not copies:
            if read & (known.moved.keys() | known.results):
                known.results |= names
        if copies or isinstance(value, (ast.Name, ast.Subscript, ast.Tuple)):
            if read & known.batch:
                known.batch |= names
        elif isinstance(value, ast.BinOp) and read & known.results:
            known.results |= names


def _in_loop(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, known: Known
) -> None:
    """Copies, waits for the device, and ways through the host."""
    func = node.func
    moved = known.moved_before(node.lineno, step.around)
    root = root_of(func.value) if isinstance(func, ast.Attribute) else ""
    if is_copy(node):
        mine = root in known.batch - moved
        _copy(recorder, scope, step, node, mine=mine)
    elif isinstance(func, ast.Attribute) and func.attr in {"item", "cpu", "tolist"}:
        host = root in known.batch - moved and root not in known.results
        raised = root in known.results
        _sync(recorder, scope, step, func.attr, host=host, raised=raised)
    elif isinstance(func, ast.Name) and func.id in {"print", "float"}:
        if _shows(node, func.id, known.results):
            _sync(recorder, scope, step, func.id, host=False, raised=True)
    elif isinstance(func, ast.Attribute) and func.attr == "numpy":
        if root in known.batch - moved:
            after = any(
                _makes_tensor(recorder, scope, s.node, root)
                for s in within(scope, step.around.loops[-1])
                if getattr(s.node, "lineno", 0) > node.lineno
            )
            recorder.add("host-array", scope, step, written(node), again=after)
    elif recorder.name(func, scope) == "torch.cuda.empty_cache":
        recorder.add("empty-cache", scope, step, "torch.cuda.empty_cache")


def _copy(
    recorder: Recorder,
    scope: Scope,
    step: Step,
    node: ast.Call,
    *,
    mine: bool,
) -> None:
    """A copy to the device: of the batch, of something made here, of something else."""
    func = node.func
    given = {word.arg: word.value for word in node.keywords}.get("non_blocking")
    if given is None and isinstance(func, ast.Attribute) and func.attr == "cuda":
        if node.args and isinstance(node.args[0], ast.Constant):
            given = node.args[0] if isinstance(node.args[0].value, bool) else None
    value = recorder.values.of(given, scope)
    inner = func.value if isinstance(func, ast.Attribute) else None
    made = recorder.name(inner.func, scope) if isinstance(inner, ast.Call) else ""
    kind = "device-copy" if mine else "other-copy"
    recorder.add(
        "created-then-moved" if made in FACTORIES else kind,
        scope,
        step,
        written(node),
        non_blocking=value.value is True,
        unknown=not value.known,
        variable=root_of(inner) if inner is not None else "",
        pins=isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory",
    )


def _sync(
    recorder: Recorder, scope: Scope, step: Step, how: str, *, host: bool, raised: bool
) -> None:
    """The host waits for the device."""
    text = written(step.node)
    recorder.add("sync", scope, step, text, how=how, host=host, raised=raised)


def _shows(node: ast.Call, how: str, results: set[str]) -> bool:
    """Does ``print`` or ``float`` ask for the value of something just computed?"""
    if how == "float":
        first = node.args[0] if node.args else None
        return isinstance(first, ast.Name) and first.id in results
    names = {n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    told = any(".item()" in written(one) for one in node.args)
    return bool(names & results) and not told


def _makes_tensor(recorder: Recorder, scope: Scope, node: ast.AST, root: str) -> bool:
    if not (isinstance(node, ast.Call) and node.args):
        return False
    return recorder.name(node.func, scope) in _TENSORS and root in _names(node.args[0])
