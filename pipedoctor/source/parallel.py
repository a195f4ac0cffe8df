"""Calls of DataParallel that train a model, as far as the code around them tells."""

import ast

from pipedoctor.source.around import Guard, Step
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
    given = {one.arg for one in scope.parameters}
    key = key_of(devices) if devices is not None else ""
    chosen = key.startswith("self.") or key in given
    chosen = chosen or any(map(_asked_for, step.around.guards))
    if not (chosen or _warned(scope, step) or _only_used(scope.module)):
        recorder.add("data-parallel", scope, step, full)


def _asked_for(guard: Guard) -> bool:
    """Does it hold, or does it say that nothing was asked for, and is not so?"""
    test = guard.test
    if guard.holds or not (
        isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    ):
        return guard.holds and _asked(test)
    nots = [one for one in test.values if isinstance(one, ast.UnaryOp)]
    return len(nots) == len(test.values) and _asked(test)


def _asked(test: ast.expr) -> bool:
    """``self.data_parallel``: did whoever made the object ask for it?"""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(map(_asked, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand)
    return key_of(test).startswith("self.")


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
