"""What is done with a batch between its loader and the device."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.source.around import Step
from pipedoctor.source.copies import streams
from pipedoctor.source.flow import Flow, Known, names_of
from pipedoctor.source.iterators import by_hand
from pipedoctor.source.loops import BatchLoop, within
from pipedoctor.source.losses import loss_steps
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.single import single_steps


def loop_events(recorder: Recorder) -> None:
    """Record what happens between loader and device, and around the loop."""
    for scope in recorder.project.scopes:
        if recorder.tests(scope):
            continue
        for kind in (ast.For, ast.AsyncFor, ast.While):
            for step in scope.of_type.get(kind, []):
                node = step.node
                if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                    if id(node) in recorder.loop_of:
                        _body(recorder, scope, node)
                        loss_steps(recorder, scope, node)
        for step in scope.calling("next"):
            if isinstance(step.node, ast.Call):
                by_hand(recorder, scope, step, step.node)
        streams(recorder, scope)
    for scope, loop in list(single_steps(recorder)):
        recorder.loops.append(loop)
        _step(recorder, scope, len(recorder.loops) - 1)


def _body(recorder: Recorder, scope: Scope, node: BatchLoop) -> None:
    steps = [
        step
        for step in within(scope, node)
        if [x for x in step.around.loops if id(x) in recorder.loop_of][-1] is node
    ]
    losses = set(losses_of(scope, steps))
    known = Known(_batch(node, steps), losses, set(losses))
    Flow(recorder, recorder.loop_of[id(node)]).follow(scope, steps, known)


def _step(recorder: Recorder, scope: Scope, number: int) -> None:
    """A function that makes one step; whoever calls it has the loop."""
    losses = set(losses_of(scope, scope.steps))
    given = {one.arg for one in scope.parameters} - {"self", "cls"}
    inside = [step for step in scope.steps if not step.around.inner]
    known = Known(set() if losses else given, losses, set(losses))
    Flow(recorder, number).follow(scope, inside, known)


def _batch(node: BatchLoop, steps: Sequence[Step]) -> set[str]:
    """The variables that the batch is bound to: by the loop, or by ``next``."""
    batch = names_of(node.target) if not isinstance(node, ast.While) else set[str]()
    for step in steps:
        one = step.node
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            if last_name(one.value.func) == "next":
                batch |= {n for target in one.targets for n in names_of(target)}
    return batch


def losses_of(scope: Scope, steps: Sequence[Step]) -> Iterator[str]:
    """``x`` of ``x.backward()``, of ``scaler.backward(x)``; and what it is made of."""
    for step in steps:
        one = step.node
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            if one.func.attr == "backward":
                for name in (key_of(one.func.value), *map(root_of, one.args[:1])):
                    yield name
                    yield from _made_of(scope, name)


def _made_of(scope: Scope, name: str) -> Iterator[str]:
    """Results that a loss is computed from, themselves computed: ``scale(loss)``."""
    for value, _ in scope.bound.get(name, []):
        for one in names_of(value) if isinstance(value, ast.Call) else ():
            made = [v for v, _ in scope.bound.get(one, [])]
            if any(isinstance(v, ast.Call) for v in made):
                yield one
