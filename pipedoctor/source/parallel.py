"""Calls of DataParallel that train a model, as far as the code around them tells."""

import ast

from pipedoctor.source.around import Step
from pipedoctor.source.project import argument, last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Module, Scope, key_of
from pipedoctor.source.values import written

_TRAINS = {"backward", "zero_grad", "train"}


def data_parallel(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, full: str
) -> None:
    """Record it, unless somebody else chose it, was warned of it, or only evaluates."""
    if recorder.tests(scope):
        return
    devices = argument(node, "device_ids", 1)
    chosen = devices is not None and key_of(devices).startswith("self.")
    if not (chosen or _warned(scope, step) or _only_used(scope.module)):
        recorder.add("data-parallel", scope, step, full)


def _warned(scope: Scope, step: Step) -> bool:
    """Does the same branch tell the user that something else is better?"""
    tests = [guard.test for guard in step.around.guards]
    return any(
        isinstance(one.node, ast.Call)
        and "warn" in written(one.node.func).lower()
        and [guard.test for guard in one.around.guards] == tests
        for one in scope.calls
        if tests
    )


def _only_used(module: Module) -> bool:
    """Does the file evaluate a model, and train none?"""
    called = {
        last_name(step.node.func)
        for scope in module.scopes
        for step in scope.calls
        if isinstance(step.node, ast.Call)
    }
    return "eval" in called and not called & _TRAINS
