"""What is done with a batch between its loader and the device."""

import ast
from collections.abc import Iterable, Sequence

from pipedoctor.facts.code_events.training import DeviceCopy
from pipedoctor.source.detect.bound_parts import drop_count
from pipedoctor.source.detect.device_copies import record_side_streams
from pipedoctor.source.detect.flow_state import FlowState, flow_names
from pipedoctor.source.detect.loader.fresh_iterators import record_fresh_iterators
from pipedoctor.source.detect.loader.iterators import record_manual_iteration
from pipedoctor.source.detect.loader.loop_steps import BatchLoop, steps_in_loop
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_flow import BatchFlow
from pipedoctor.source.detect.training.created_tensors import record_created_tensors
from pipedoctor.source.detect.training.engine_steps import record_engine_steps
from pipedoctor.source.detect.training.losses import find_losses, record_loss_syncs
from pipedoctor.source.detect.training.module_steps import record_module_steps
from pipedoctor.source.detect.training.requested_batches import find_requested_names
from pipedoctor.source.detect.training.returned_batches import yields_copies
from pipedoctor.source.detect.training.step_hooks import record_step_hooks
from pipedoctor.source.detect.training.trainer_hooks import record_trainer_hooks
from pipedoctor.source.detect.training.training_step import find_training_steps
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.scope import CodeScope


def record_loop_events(recorder: EventRecorder) -> None:
    """Record what happens between loader and device, and around the loop."""
    for scope in recorder.project.scopes:
        if scope.module.is_test:
            continue
        for kind in (ast.For, ast.AsyncFor, ast.While):
            for step in scope.steps_by_type.get(kind, []):
                node = step.node
                if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                    if id(node) in recorder.loop_indices:
                        _follow_loop_body(recorder, scope, node)
                        record_loss_syncs(recorder, scope, node)
        for step in scope.find_calls("next"):
            if isinstance(step.node, ast.Call):
                record_manual_iteration(recorder, scope, step, step.node)
        record_fresh_iterators(recorder, scope)
        record_side_streams(recorder, scope)
    _record_prepared_loaders(recorder)
    record_trainer_hooks(recorder)
    record_step_hooks(recorder)
    record_engine_steps(recorder)
    for scope, loop in list(find_training_steps(recorder)):
        recorder.loops.append(loop)
        _follow_training_step(recorder, scope, len(recorder.loops) - 1)
    record_module_steps(recorder)
    record_created_tensors(recorder)


def _record_prepared_loaders(recorder: EventRecorder) -> None:
    """``accelerator.prepare(loader)``: copies each batch, and leaves the loader's arguments."""
    for site in recorder.project.find_call_sites("prepare"):
        module = site.scope.module
        if not any(one.startswith("accelerate") for one in module.imported_names.values()):
            continue
        for given in site.node.args:
            loaders = recorder.loader_flow.find_loaders(given, site.scope)
            for number, loop in enumerate(recorder.loops):
                if loaders.intersection(loop.loaders):
                    copy = DeviceCopy(
                        in_loop=number,
                        non_blocking=False,
                        unknown=True,
                        fresh=False,
                        variable="",
                        pins=False,
                    )
                    recorder.add_event(copy, site.scope, site.step, "accelerator.prepare")


def _follow_loop_body(recorder: EventRecorder, scope: CodeScope, node: BatchLoop) -> None:
    steps = [
        step
        for step in steps_in_loop(scope, node)
        if [x for x in step.context.loops if id(x) in recorder.loop_indices][-1] is node
    ]
    losses = set(find_losses(scope, steps))
    known = FlowState(_batch_variables(recorder, scope, node, steps), losses, set(losses))
    flow = BatchFlow(recorder, recorder.loop_indices[id(node)])
    take_requested(flow, scope, steps, known)
    if not isinstance(node, ast.While):
        take_iterated(flow, scope, node, known)
    flow.follow_steps(scope, steps, known)


def _follow_training_step(recorder: EventRecorder, scope: CodeScope, number: int) -> None:
    """A function that makes one step; whoever calls it has the loop."""
    recorder.step_scopes.add(id(scope))
    recorder.followed_scopes.add(id(scope))
    losses = set(find_losses(scope, scope.steps))
    given = {one.arg for one in scope.parameters} - {"self", "cls"}
    inside = [step for step in scope.steps if not step.context.inner]
    known = FlowState(set() if losses else given, losses, set(losses))
    BatchFlow(recorder, number).follow_steps(scope, inside, known)


def _batch_variables(
    recorder: EventRecorder, scope: CodeScope, node: BatchLoop, steps: Sequence[CodeStep]
) -> set[str]:
    """The variables that the batch is bound to: by the loop, or by ``next``."""
    batch = expression_names(node.target) if not isinstance(node, ast.While) else set[str]()
    return batch | find_requested_names(recorder, scope, steps)


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
    """``for batch in Prefetcher(loader)``: what an object or a generator does with each."""
    target, iterated = drop_count(node.target, node.iter)
    found: set[str] = set()
    evaluator = flow.recorder.loader_flow.evaluator
    if yields_copies(evaluator, iterated, evaluator.frame_of(scope)):
        found.add("device")
    for cls in flow.recorder.call_graph.infer_classes(iterated, scope, scope.owner):
        method = flow.recorder.project.find_method(cls, "__next__")
        if method is not None:
            found |= flow.enter_function(method, cls, [], FlowState(set()))
    if "device" in found:
        _put_on_device(flow_names(target), state)


def _put_on_device(names: Iterable[str], state: FlowState) -> None:
    for name in names:
        state.on_device.setdefault(name, (0, CodeContext()))
