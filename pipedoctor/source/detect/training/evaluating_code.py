"""Code that only evaluates: without gradients, itself or by whoever calls it."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.loader.loops import switches_off_gradients
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import unparse_short
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
        if any(map(switches_off_gradients, (*around, *_list_managers_beside(scope, step)))):
            return True
        if only_evaluates(scope, getattr(step.node, "lineno", 0)):
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


def _list_managers_beside(scope: CodeScope, step: CodeStep) -> Iterator[ast.expr]:
    """``with torch.no_grad():`` in the same turn of the innermost loop."""
    turns = step.context.loops and not counts_epochs(step.context.loops[-1])
    for other in scope.steps_by_type.get(ast.With, ()) if turns else ():
        if isinstance(other.node, ast.With) and other.context.loops == step.context.loops:
            yield from (item.context_expr for item in other.node.items)


def only_evaluates(scope: CodeScope, line: int) -> bool:
    """``net.eval()`` above, in a function that trains nothing."""
    evaluates = any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and not step.node.args
        and step.node.lineno < line
        for step in scope.find_calls("eval")
    )
    return evaluates and not any(map(scope.find_calls, _TRAINING_METHODS))


def counts_epochs(loop: LoopNode) -> bool:
    """``for epoch in range(9):``: does what stands in it happen once in each epoch?"""
    return isinstance(loop, (ast.For, ast.AsyncFor)) and "epoch" in unparse_short(loop.target)
