"""What runs only when a switch is on that is off by default, or that is for debugging."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep, GuardCondition
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope

_DEBUG_NAMES = frozenset(("debug", "debugging", "is_debug", "debug_mode"))


def is_switched_off(recorder: EventRecorder, scope: CodeScope, guard: GuardCondition) -> bool:
    """``if args.debug``, which is False by default, or that switches itself off."""
    test = guard.test
    if not guard.holds or not isinstance(test, (ast.Name, ast.Attribute)):
        return False
    if _switches_itself_off(scope, test):
        return True
    value = recorder.values.resolve(test, scope)
    return value.how == "default" and value.value is False


def _switches_itself_off(scope: CodeScope, test: ast.expr) -> bool:
    """``if self.report: self.report = False``: once for each time that somebody asks for it."""
    branch = scope.branches.get(id(test))
    return any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Constant)
        and one.value.value is False
        and any(binding_key(target) == binding_key(test) for target in one.targets)
        for one in (branch.body if branch is not None else ())
    )


def is_for_debugging(recorder: EventRecorder, scope: CodeScope, step: CodeStep) -> bool:
    """Does a step run only where ``self.debug`` or the like holds, which nobody sets here?"""
    for guard in step.context.guards:
        if guard.holds and last_name(guard.test).lower() in _DEBUG_NAMES:
            value = recorder.values.resolve(guard.test, scope)
            if not (value.is_known and value.value):
                return True
    return False
