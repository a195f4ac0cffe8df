"""Whether a training or an evaluation comes to a function in each of its steps."""

import ast
from collections.abc import Iterator
from itertools import islice

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.source.detect.positions import is_initializer
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.evaluating_code import EvaluatingCode
from pipedoctor.source.detect.training.layers import is_module
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.context import GuardCondition, tests_for_none
from pipedoctor.source.syntax.expressions import is_self_expression, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 3
"""Calls between a step and what it comes to."""
_MAX_CALLERS = 12
_KEEPING_WORDS, _SIZE_WORDS = ("hasattr", "first", "cache"), ("shape", "size(", "len(")
_RARE = compile_lazily(
    r"%|== 0\b|(?:(?<![a-z])(?i:intervals?|freq|frequency|every|verbose|verbosity|debug|debugging"
    r"|print|printed|printing|logs?|logged|logger|logging|display|show|shown|vis|visuali[sz]e"
    r"|plots?|plotting|save|saved|saving|profile|profiler|profiling)"
    r"|[a-z](?:Interval|Freq|Frequency|Every))(?![a-z])"
)
"""Words of a condition that holds at intervals, or where somebody asks for more."""


class StepReach:
    """Knows of the functions of one project whether each step comes to them."""

    def __init__(self, recorder: EventRecorder, evaluating: EvaluatingCode) -> None:
        self.recorder = recorder
        self.evaluating = evaluating
        self._known: dict[CodeScope, bool] = {}

    def comes_to(self, scope: CodeScope, depth: int = _MAX_DEPTH) -> bool:
        """Does a step call it, directly or through others, and not now and then only?"""
        known = self._known.get(scope)
        if known is None:
            self._known[scope] = False  # while it is asked for: a circle of calls says nothing
            sites = islice(list_callers(self.recorder, scope), _MAX_CALLERS)
            known = any(self._passes(site, depth) for site in sites)
            if known or depth == _MAX_DEPTH:
                self._known[scope] = known
            else:
                del self._known[scope]
        return known

    def _passes(self, site: CallSite, depth: int) -> bool:
        scope, context = site.scope, site.step.context
        if scope.module.is_test or context.inner or context.handler or is_initializer(scope):
            return False
        if self.is_in_loop(site):
            return True
        if any(may_be_rare(guard, scope) for guard in context.guards):
            return False
        if id(scope) in self.recorder.followed_scopes or self._is_forward(scope):
            return True
        return depth > 0 and not scope.is_module_body and self.comes_to(scope, depth - 1)

    def is_in_loop(self, site: CallSite) -> bool:
        """In the body of a loop over batches, or of one without gradients."""
        scope, context = site.scope, site.step.context
        within = [one for one in context.loops if id(one) in self.recorder.loop_indices]
        if context.loops and not within and self.evaluating.holds(scope, site.step):
            within = [*context.loops]
        if not within or context.inner or context.handler or scope.module.is_test:
            return False
        inside = (one for one in context.guards if one.test.lineno > within[-1].lineno)
        return not any(may_be_rare(guard, scope) for guard in inside)

    def _is_forward(self, scope: CodeScope) -> bool:
        """Is it what a module does with each batch?"""
        called = scope.name.rpartition(".")[2] in {"forward", "__call__"}
        return called and scope.owner is not None and is_module(self.recorder.project, scope.owner)


def list_callers(recorder: EventRecorder, scope: CodeScope) -> Iterator[CallSite]:
    """The calls that enter a function; of a method by any object of its class."""
    for site in recorder.project.find_call_sites(scope.name.rpartition(".")[2]):
        if _is_own_call(recorder, scope, site):
            yield site
            continue
        entered = recorder.call_graph.resolve_call(site.node.func, site.scope, site.scope.owner)
        if any(target is scope for target, _ in entered):
            yield site


def _is_own_call(recorder: EventRecorder, scope: CodeScope, site: CallSite) -> bool:
    """``self.encode(x)`` in a class above the one that has the method."""
    func, owner, above = site.node.func, scope.owner, site.scope.owner
    if owner is None or above is None or not isinstance(func, ast.Attribute):
        return False
    return is_self_expression(func.value) and above in recorder.project.find_bases(owner)[0]


def may_be_rare(guard: GuardCondition, scope: CodeScope) -> bool:
    """``if step % 9 == 0``, ``if self.grid is None``: does what follows happen now and then?"""
    return may_be_kept(guard, scope) or bool(_RARE.search(unparse_short(guard.test)))


def may_be_kept(guard: GuardCondition, scope: CodeScope) -> bool:
    """``if self.grid is None``, ``if key not in self.grids``: is it made for a new size only?"""
    test = guard.test
    if isinstance(test, ast.BoolOp):
        return any(may_be_kept(GuardCondition(one, guard.holds), scope) for one in test.values)
    if tests_for_none(guard, present=False) and isinstance(test, ast.Compare):
        given = isinstance(test.left, ast.Name) and test.left.id in scope.parameter_names
        return not given
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return isinstance(test.ops[0], ast.NotIn) is guard.holds
    text = unparse_short(test)
    return any(word in text for word in _KEEPING_WORDS) or (
        "self." in text and any(word in text for word in _SIZE_WORDS)
    )
