"""What modules read in ``forward``, where no loop is seen to come to them."""

from pipedoctor.facts.code_events.training import HostRead
from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.batch_flow import BatchFlow
from pipedoctor.source.detect.flow_state import FlowState
from pipedoctor.source.detect.layers import is_module
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_STEPS_TO_MODULES = 3
"""Calls that lead from a loop to a module, as a rule: what it calls is not followed far."""
_READS = (b".item(", b".tolist(", b"float(", b"int(", b"print(", b".cpu(")


def record_module_steps(recorder: EventRecorder) -> None:
    """Follow ``forward`` of modules whose calls nobody resolves, if the project trains."""
    if not any(loop.role == "train" for loop in recorder.loops):
        return
    for cls in recorder.project.classes:
        forward = cls.methods.get("forward")
        if forward is None or cls.module.is_test or id(forward) in recorder.followed_scopes:
            continue
        text = cls.module.file.content
        if any(word in text for word in _READS) and is_module(recorder.project, cls):
            _follow_forward(recorder, cls, forward)


def _follow_forward(recorder: EventRecorder, cls: ClassDefinition, forward: CodeScope) -> None:
    """Only reads of what it has computed itself count: the rest may be on the host."""
    at, before = node_location(forward.module, forward.node), len(recorder.events)
    recorder.loops.append(Loop(at=at, function=forward.name, repeats=True, single=True))
    given = {one.arg for one in forward.parameters} - {"self"}
    flow = BatchFlow(recorder, len(recorder.loops) - 1)
    flow.self_class, flow.depth = cls, _STEPS_TO_MODULES
    recorder.followed_scopes.add(id(forward))
    inside = [step for step in forward.steps if not step.context.inner]
    flow.follow_steps(forward, inside, FlowState(given))
    found = [
        event
        for event in recorder.events[before:]
        if isinstance(event.details, HostRead) and event.details.raised
    ]
    recorder.events[before:] = found
    if not found:
        recorder.loops.pop()
