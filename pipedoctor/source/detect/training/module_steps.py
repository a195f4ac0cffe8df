"""What modules read in ``forward``, where no loop is seen to come to them."""

import ast
from collections.abc import Iterator
from itertools import chain

from pipedoctor.facts.code_events.training import HostRead
from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.flow_state import FlowState, tensor_names
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_flow import BatchFlow
from pipedoctor.source.detect.training.layers import is_module
from pipedoctor.source.detect.training.requested_batches import list_entered
from pipedoctor.source.detect.training.value_uses import (
    converts_values,
    is_formatted_text,
    may_ask_for_value,
    reads_tensor,
)
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_STEPS_TO_MODULES = 3
"""Calls that lead from a loop to a module, as a rule: what it calls is not followed far."""
_LOSS_WORDS = ("loss", "criterion")
_ROUNDS = 3
_READS = (b".item(", b".tolist(", b"float(", b"int(", b"print(", b".cpu(")


def record_module_steps(recorder: EventRecorder) -> None:
    """Follow ``forward`` of modules whose calls nobody resolves, if the project trains."""
    if not any(loop.role == "train" for loop in recorder.loops):
        return
    readers: dict[CodeScope, bool] = {}
    for cls in recorder.project.classes:
        forward = cls.methods.get("forward")
        if forward is None or cls.module.is_test or id(forward) in recorder.followed_scopes:
            continue
        text = cls.module.file.content
        if any(word in text for word in _READS) and is_module(recorder.project, cls):
            if _comes_to_read(recorder, cls, forward, readers):
                _follow_forward(recorder, cls, forward)


def _comes_to_read(
    recorder: EventRecorder, cls: ClassDefinition, forward: CodeScope, known: dict[CodeScope, bool]
) -> bool:
    """Is there anything that may read a tensor, in ``forward`` or in what it calls?"""
    entered: list[CodeScope] = []
    for one in chain((forward,), _list_entered(recorder, cls, forward)):
        if one not in known:
            known[one] = _may_read(one)
        if known[one]:
            return True
        entered.append(one)
    recorder.followed_scopes.update(map(id, entered[1:]))
    return False


def _list_entered(
    recorder: EventRecorder, cls: ClassDefinition, forward: CodeScope
) -> Iterator[CodeScope]:
    """What ``forward`` calls, one after another: most answer the question before the last."""
    for step in forward.calls:
        if isinstance(step.node, ast.Call) and not step.context.inner:
            yield from (one for one, _ in list_entered(recorder, forward, step.node, cls))


def _may_read(scope: CodeScope) -> bool:
    """Does a function hold what reads a tensor, by its form alone?"""
    for step in scope.steps:
        one = step.node
        if isinstance(one, ast.Call):
            if reads_tensor(one) or converts_values(one):
                return True
        elif isinstance(one, (ast.If, ast.While, ast.Assert)):
            if may_ask_for_value(one.test):
                return True
        elif isinstance(one, (ast.Assign, ast.AugAssign)):
            if is_formatted_text(one.value):
                return True
        elif isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Constant):
            if isinstance(one.value, ast.Attribute) and one.value.attr == "data":
                return True
    return False


def _follow_forward(recorder: EventRecorder, cls: ClassDefinition, forward: CodeScope) -> None:
    """Only reads of what it has computed itself count: the rest may be on the host."""
    at, before = node_location(forward.module, forward.node), len(recorder.events)
    recorder.loops.append(Loop(at=at, function=forward.name, repeats=True, single=True))
    given = {one.arg for one in forward.parameters} - {"self"}
    flow = BatchFlow(recorder, len(recorder.loops) - 1)
    flow.self_class, flow.depth = cls, _STEPS_TO_MODULES
    recorder.followed_scopes.add(id(forward))
    inside = [step for step in forward.steps if not step.context.inner]
    moved = _list_compared(forward) if _is_loss(cls) else set[str]()
    flow.follow_steps(forward, inside, FlowState(given - moved, results=moved))
    found = [
        event
        for event in recorder.events[before:]
        if isinstance(event.details, HostRead) and event.details.raised
    ]
    recorder.events[before:] = found
    if not found:
        recorder.loops.pop()


def _is_loss(cls: ClassDefinition) -> bool:
    return any(word in cls.name.lower() for word in _LOSS_WORDS)


def _list_compared(forward: CodeScope) -> set[str]:
    """
    What a loss is given on the device: outputs first, and what it computes with these.

    Operands of one operation are on one device: the targets of ``(targets - outputs) ** 2``.
    """
    given = [one.arg for one in forward.parameters if one.arg != "self"]
    found = set(given[:1])
    pairs = [
        names
        for step in forward.steps
        for names in _list_operands(step.node)
        if not names.isdisjoint(given)
    ]
    for _ in range(_ROUNDS):
        found.update(*(names.intersection(given) for names in pairs if names & found))
    return found


def _list_operands(node: ast.AST) -> list[set[str]]:
    """The names on both sides of an operation, or in the arguments of a functional one."""
    if isinstance(node, ast.BinOp):
        return [tensor_names(node.left) | tensor_names(node.right)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        functional = last_name(owner) in {"F", "functional", "torch"}
        return [{n for one in node.args for n in tensor_names(one)}] if functional else []
    return []
