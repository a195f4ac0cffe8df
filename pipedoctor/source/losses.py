"""Losses on their way out of a step: as numbers, or with their whole graph."""

import ast
from operator import itemgetter

from msgspec.structs import replace

from pipedoctor.source.around import Around, Step
from pipedoctor.source.loops import BatchLoop, within
from pipedoctor.source.origin import returned
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written

_OFF = {"detach", "item", "data"}


def loss_steps(recorder: Recorder, scope: Scope, node: BatchLoop) -> None:
    """A function that makes one step, and gives its loss back as a number."""
    number = recorder.loop_of[id(node)]
    seen: set[int] = set()
    for step in within(scope, node):
        call = step.node
        if not isinstance(call, ast.Call) or any(
            x is not node for x in step.around.loops[-1:]
        ):
            continue
        for target, _ in recorder.reach.targets(call.func, scope, scope.owner):
            if id(target) in seen or not any(map(_backs, target.calls)):
                continue
            seen.add(id(target))
            recorder.entered.add(id(target))
            recorder.loops[number] = replace(recorder.loops[number], role="train")
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


def accumulated(
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
        off = all(_taken_off(scope, name, node.lineno) for name in hit)
        if not _inside_backward(scope, key_of(node.target)) and not (
            _summed(step) or off
        ):
            recorder.add("graph-kept", scope, step, key_of(node.target), loss=min(hit))


def _taken_off(scope: Scope, name: str, line: int) -> bool:
    """``loss = loss.detach()``: has it lost its graph before this line?"""
    before = [(v.lineno, v) for v, _ in scope.bound.get(name, ()) if v.lineno < line]
    last = max(before, key=itemgetter(0), default=(0, None))[1]
    return last is not None and any(
        (isinstance(n, ast.Attribute) and n.attr in _OFF) for n in ast.walk(last)
    )


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
