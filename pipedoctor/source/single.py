"""Steps without a loop of their own: whoever calls them has one, here or elsewhere."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.source import Loop
from pipedoctor.source.copies import is_copy
from pipedoctor.source.project import CallSite, last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Scope
from pipedoctor.source.values import spot, written

_MODULES = {"torch.nn.Module", "torch.nn.modules.module.Module"}


def single_steps(recorder: Recorder) -> Iterator[tuple[Scope, Loop]]:
    """Functions that train by one batch, and modules that move what they are given."""
    for scope in recorder.project.scopes:
        known = id(scope) in recorder.entered or recorder.tests(scope)
        trains = not known and _trains(scope) and _steps(scope)
        if trains and not _whole_epoch(recorder, scope):
            yield scope, _loop(scope, (), "train")
    unfed = _unfed(recorder)
    for cls in recorder.project.classes if unfed else ():
        forward = cls.methods.get("forward")
        mine = unfed.get(cls.module.path, ())
        if forward is None or not mine or not _moves_its_input(forward):
            continue
        if _MODULES & set(recorder.project.bases(cls)[1]):
            yield forward, _loop(forward, mine, "")


def _loop(scope: Scope, loaders: tuple[int, ...], role: str) -> Loop:
    return Loop(
        at=spot(scope.module, scope.node),
        function=scope.name,
        loaders=loaders,
        role="train" if role else "",
        single=True,
    )


def _trains(scope: Scope) -> bool:
    """Does it call ``backward`` once, outside of any loop of its own?"""
    if scope.owner is None and not scope.parameters:
        return False
    if scope.name.rpartition(".")[2] in {"backward", "main"}:
        return False
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr == "backward"
        and root_of(step.node.func.value) not in {"", "ctx"}
        and not step.around.loops
        and not step.around.inner
        for step in scope.calling("backward")
    )


def _steps(scope: Scope) -> bool:
    """Does the file take steps with an optimizer? Else the gradient is the result."""
    return any(name.endswith(".step") for name in scope.module.called)


def _whole_epoch(recorder: Recorder, scope: Scope) -> bool:
    """``for epoch in range(9): train(epoch)``: is its step all that an epoch has?"""
    calls = recorder.project.callers(scope)
    return bool(calls) and all(map(_each_epoch, calls))


def _each_epoch(site: CallSite) -> bool:
    loop = site.step.around.loops[-1] if site.step.around.loops else None
    return (
        isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Name)
        and "epoch" in loop.target.id.lower()
        and "range(" in written(loop.iter)
    )


def _unfed(recorder: Recorder) -> dict[str, tuple[int, ...]]:
    """Loaders that no loop of the project is known to iterate, by their file."""
    fed = {number for loop in recorder.loops for number in loop.loaders}
    found: dict[str, tuple[int, ...]] = {}
    for number, made in enumerate(recorder.constructions.made):
        if number not in fed:
            path = made.site.scope.module.path
            found[path] = (*found.get(path, ()), number)
    return found


def _moves_its_input(forward: Scope) -> bool:
    """``image.to(self.device)`` of what it is given, itself or unpacked."""
    given = {one.arg for one in forward.parameters} - {"self"}
    for name, values in forward.bound.items():
        if any(isinstance(v, ast.Subscript) and root_of(v) in given for v, _ in values):
            given.add(name)
    return any(
        isinstance(step.node, ast.Call)
        and is_copy(step.node)
        and root_of(step.node) in given
        and _by_itself(step.node)
        for step in forward.calls
    )


def _by_itself(node: ast.Call) -> bool:
    """To the device of the module, not to that of another of its inputs."""
    if last_name(node.func) == "cuda":
        return True
    to = [*node.args[:1], *(word.value for word in node.keywords)]
    return any(written(one) in {"self.device", "self._device"} for one in to)
