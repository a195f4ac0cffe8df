"""Code that only evaluates: without gradients, itself or by whoever calls it."""

import ast

from pipedoctor.source.detect.loader.loops import switches_off_gradients
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH, _MAX_CALLERS = 3, 6
_TRAINING_METHODS = ("backward", "zero_grad", "train")


class EvaluatingCode:
    """Knows of the functions of one project whether all who call them evaluate."""

    def __init__(self, recorder: EventRecorder) -> None:
        self.recorder = recorder
        self._known: dict[CodeScope, bool] = {}

    def holds(self, scope: CodeScope, step: CodeStep, depth: int = _MAX_DEPTH) -> bool:
        """Is a step without gradients: by a context, after ``net.eval()``, or by all callers?"""
        around = (*step.context.managers, *getattr(scope.node, "decorator_list", ()))
        if any(map(switches_off_gradients, around)):
            return True
        if _only_evaluates(scope, getattr(step.node, "lineno", 0)):
            return True
        return depth > 0 and not scope.is_module_body and self._is_called_so(scope, depth)

    def _is_called_so(self, scope: CodeScope, depth: int) -> bool:
        known = self._known.get(scope)
        if known is None:
            self._known[scope] = False  # while it is asked for: a circle of calls says nothing
            sites = self.recorder.project.find_callers(scope)[:_MAX_CALLERS]
            known = bool(sites) and all(
                self.holds(site.scope, site.step, depth - 1) for site in sites
            )
            self._known[scope] = known
        return known


def _only_evaluates(scope: CodeScope, line: int) -> bool:
    """``net.eval()`` above, in a function that trains nothing."""
    evaluates = any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and not step.node.args
        and step.node.lineno < line
        for step in scope.find_calls("eval")
    )
    return evaluates and not any(map(scope.find_calls, _TRAINING_METHODS))
