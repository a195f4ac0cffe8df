"""Steps without a loop of their own: whoever calls them has one, here or elsewhere."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.device_copies import is_device_copy
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.base_name import find_base_name
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope

_MODULE_CLASSES = {"torch.nn.Module", "torch.nn.modules.module.Module"}


def find_training_steps(recorder: EventRecorder) -> Iterator[tuple[CodeScope, Loop]]:
    """Functions that train by one batch, and modules that move what they are given."""
    for scope in recorder.project.scopes:
        known = id(scope) in recorder.followed_scopes or scope.module.is_test
        trains = not known and _calls_backward(scope) and _steps_optimizer(scope)
        if trains and not _is_whole_epoch(recorder, scope):
            yield scope, _make_loop(scope, _find_requested(recorder, scope), "train")
    unfed = _loaders_without_loop(recorder)
    for cls in recorder.project.classes if unfed else ():
        forward = cls.methods.get("forward")
        mine = unfed.get(cls.module.path, ())
        if forward is None or not mine or not _moves_inputs(forward):
            continue
        if _MODULE_CLASSES & set(recorder.project.find_bases(cls)[1]):
            yield forward, _make_loop(forward, mine, "")


def _find_requested(recorder: EventRecorder, scope: CodeScope) -> tuple[int, ...]:
    """The loaders of whose batches a step takes the next: ``next(self.batches)``."""
    calls = (step.node for step in scope.find_calls("next") if not step.context.inner)
    taken = (recorder.loader_flow.find_batches(n, scope) for n in calls if isinstance(n, ast.Call))
    return tuple(sorted({number for one in taken for number in one}))


def _make_loop(scope: CodeScope, loaders: tuple[int, ...], role: str) -> Loop:
    return Loop(
        at=node_location(scope.module, scope.node),
        function=scope.name,
        loaders=loaders,
        role="train" if role else "",
        single=True,
    )


def _calls_backward(scope: CodeScope) -> bool:
    """Does it call ``backward`` once, outside of any loop of its own?"""
    if scope.owner is None and not scope.parameters:
        return False
    if scope.name.rpartition(".")[2] in {"backward", "main"}:
        return False
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr == "backward"
        and find_base_name(step.node.func.value) not in {"", "ctx"}
        and not step.context.loops
        and not step.context.inner
        for step in scope.find_calls("backward")
    )


def _steps_optimizer(scope: CodeScope) -> bool:
    """Does the file take steps with an optimizer? Else the gradient is the result."""
    return any(name.endswith(".step") for name in scope.module.calls_by_name)


def _is_whole_epoch(recorder: EventRecorder, scope: CodeScope) -> bool:
    """``for epoch in range(9): train(epoch)``: is its step all that an epoch has?"""
    calls = recorder.project.find_callers(scope)
    return bool(calls) and all(map(_is_called_per_epoch, calls))


def _is_called_per_epoch(site: CallSite) -> bool:
    loop = site.step.context.loops[-1] if site.step.context.loops else None
    return (
        isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Name)
        and "epoch" in loop.target.id.lower()
    )


def _loaders_without_loop(recorder: EventRecorder) -> dict[str, tuple[int, ...]]:
    """Loaders that no loop of the project is known to iterate, by their file."""
    fed = {number for loop in recorder.loops for number in loop.loaders}
    found: dict[str, tuple[int, ...]] = {}
    for number, made in enumerate(recorder.loader_calls.calls):
        if number not in fed:
            path = made.site.scope.module.path
            found[path] = (*found.get(path, ()), number)
    return found


def _moves_inputs(forward: CodeScope) -> bool:
    """``image.to(self.device)`` of what it is given, itself or unpacked."""
    given = {one.arg for one in forward.parameters} - {"self"}
    for name, values in forward.bindings.items():
        if any(isinstance(v, ast.Subscript) and find_base_name(v) in given for v, _ in values):
            given.add(name)
    return any(
        isinstance(step.node, ast.Call)
        and is_device_copy(step.node)
        and find_base_name(step.node) in given
        and _moves_to_own_device(step.node)
        for step in forward.calls
    )


def _moves_to_own_device(node: ast.Call) -> bool:
    """To the device of the module, not to that of another of its inputs."""
    if last_name(node.func) == "cuda":
        return True
    to = [*node.args[:1], *(word.value for word in node.keywords)]
    return any(unparse_short(one) in {"self.device", "self._device"} for one in to)
