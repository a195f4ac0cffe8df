"""What an Engine of Ignite does: it calls a function of the project with each batch."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.flow_state import FlowState
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_flow import BatchFlow
from pipedoctor.source.detect.training.losses import find_losses
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import ExternalValue

_ENGINE_CLASSES = frozenset(
    ("ignite.engine.Engine", "ignite.engine.engine.Engine", "ignite.engine.DeterministicEngine")
)
_BATCH_POSITION = 1
"""``process_function(engine, batch)``."""


def record_engine_steps(recorder: EventRecorder) -> None:
    """
    Loops that ``Engine(process_function).run(loader)`` makes: the function is their body.

    Source: https://docs.pytorch.org/ignite/generated/ignite.engine.engine.Engine.html
    """
    for name in sorted({one.rpartition(".")[2] for one in _ENGINE_CLASSES}):
        for site in recorder.project.find_call_sites(name):
            full = recorder.full_name_of(site.node.func, site.scope)
            if full in _ENGINE_CLASSES and not site.scope.module.is_test:
                runs = list(_find_runs(recorder, site))
                for step in _find_process_functions(recorder, site):
                    _record_step(recorder, step, runs)


def _find_process_functions(recorder: EventRecorder, site: CallSite) -> Iterator[CodeScope]:
    given = [*site.node.args[:1], *(one.value for one in site.node.keywords if one.arg)]
    for one in given[:1]:
        mine = site.scope.owner
        yield from recorder.call_graph.resolve_callables(one, site.scope, mine)


def _find_runs(recorder: EventRecorder, made: CallSite) -> Iterator[CallSite]:
    """``trainer.run(loader, max_epochs=9)``, of the engine that a call makes."""
    for site in recorder.project.find_call_sites("run"):
        func = site.node.func
        if not isinstance(func, ast.Attribute):
            continue
        evaluator = recorder.loader_flow.evaluator
        values = evaluator.evaluate(func.value, evaluator.frame_of(site.scope))
        if any(isinstance(one, ExternalValue) and one.call is made.node for one in values):
            yield site


def _record_step(recorder: EventRecorder, step: CodeScope, runs: list[CallSite]) -> None:
    """The function's body is the loop's; it moves the batch itself."""
    if id(step) in recorder.followed_scopes or step.module.is_test:
        return
    given = [one.arg for one in step.parameters if one.arg not in {"self", "cls"}]
    batch = given[_BATCH_POSITION : _BATCH_POSITION + 1]
    losses = set(find_losses(step, step.steps))
    recorder.followed_scopes.add(id(step))
    loaders = {index for run in runs for index in _given_loaders(recorder, run)}
    repeats = bool(losses) or any(map(_runs_again, runs))
    recorder.loops.append(
        Loop(
            at=node_location(step.module, step.node),
            function=step.name,
            loaders=tuple(sorted(loaders)),
            role="train" if losses else "eval",
            repeats=repeats,
            single=True,
        )
    )
    if any(map(_runs_again, runs)):
        recorder.repeated_loaders |= loaders
    inside = [one for one in step.steps if not one.context.inner]
    flow = BatchFlow(recorder, len(recorder.loops) - 1)
    flow.self_class = step.owner
    flow.follow_steps(step, inside, FlowState(set(batch), losses, set(losses)))


def _given_loaders(recorder: EventRecorder, run: CallSite) -> frozenset[int]:
    given = [*run.node.args[:1], *(one.value for one in run.node.keywords if one.arg == "data")]
    found = (recorder.loader_flow.find_loaders(one, run.scope) for one in given[:1])
    return frozenset(index for loaders in found for index in loaders)


def _runs_again(run: CallSite) -> bool:
    """Several epochs, or a handler that an engine calls: ``@trainer.on(...)``."""
    epochs = next((one.value for one in run.node.keywords if one.arg == "max_epochs"), None)
    once = isinstance(epochs, ast.Constant) and epochs.value in {None, 1}
    line = run.node.lineno
    within = [
        one
        for one in run.scope.local_functions.values()
        if one.lineno <= line <= (one.end_lineno or one.lineno)
    ]
    around = [run.scope.node, *within] if run.step.context.inner else [run.scope.node]
    decorators = [made for one in around for made in getattr(one, "decorator_list", ())]
    handler = any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "on"
        for one in decorators
    )
    return handler or (epochs is not None and not once)
