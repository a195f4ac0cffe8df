"""Batches that are on the device when a step begins: an object has copied them."""

import ast
from collections.abc import Iterable

from pipedoctor.source.detect.batch_flow import BatchFlow
from pipedoctor.source.detect.bound_parts import drop_count
from pipedoctor.source.detect.flow_state import FlowState, flow_names
from pipedoctor.source.detect.requested_batches import find_requested_names
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.scope import CodeScope


def take_requested(
    flow: BatchFlow, scope: CodeScope, steps: Iterable[CodeStep], state: FlowState
) -> None:
    """Batches that each step leaves for the next: ``batch = prefetcher.next()``."""
    for step in steps:
        one = step.node
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
            names = find_requested_names(flow.recorder, scope, (step,))
            if names and "device" in flow.enter_call(scope, step, one.value, state):
                _put_on_device(names, state)


def take_iterated(
    flow: BatchFlow, scope: CodeScope, node: ast.For | ast.AsyncFor, state: FlowState
) -> None:
    """``for batch in Prefetcher(loader)``: what ``__next__`` of an object does with each."""
    target, iterated = drop_count(node.target, node.iter)
    found: set[str] = set()
    for cls in flow.recorder.call_graph.infer_classes(iterated, scope, scope.owner):
        method = flow.recorder.project.find_method(cls, "__next__")
        if method is not None:
            found |= flow.enter_function(method, cls, [], FlowState(set()))
    if "device" in found:
        _put_on_device(flow_names(target), state)


def _put_on_device(names: Iterable[str], state: FlowState) -> None:
    for name in names:
        state.on_device.setdefault(name, (0, CodeContext()))
