"""The way of a loader from where it is made to the loop over its batches."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from pipedoctor.facts.source import Spot
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import ClassValue, FunctionValue, InstanceValue

_MAX_STEPS = 12
_MAX_CALLERS = 6
_SILENT = frozenset(("enumerate", "iter", "zip", "list", "tuple", "next", "reversed", "cast"))
"""Functions that change nothing of where a loader comes from."""
FlowStep: TypeAlias = tuple[Spot, str]


class FlowTracer:
    """Follows one loader backwards."""

    def __init__(self, recorder: EventRecorder, index: int) -> None:
        self.recorder = recorder
        self.index = index
        self.made = recorder.loader_calls.calls[index].site
        self._left = _MAX_STEPS

    def trace(self, loop: Spot, node: ast.expr, scope: CodeScope) -> tuple[FlowStep, ...]:
        """From the call that makes it to a loop; nothing where both are in one function."""
        between = list(self._follow(node, scope))
        if not between:
            return ()
        begin = node_location(self.made.scope.module, self.made.node)
        steps = (*reversed(between), (loop, "iterated"))
        later = (*(spot for spot, _ in steps[1:]), None)
        kept = (one for one, after in zip(steps, later, strict=True) if after != one[0])
        return ((begin, "made"), *kept)

    def _holds(self, node: ast.expr, scope: CodeScope) -> bool:
        return self.index in self.recorder.loader_flow.find_loaders(node, scope)

    def _follow(self, node: ast.expr, scope: CodeScope) -> Iterator[FlowStep]:
        self._left -= 1
        if self._left < 0 or node is self.made.node:
            return
        if isinstance(node, ast.Call):
            yield from self._follow_call(node, scope, None)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            number = node.slice.value if isinstance(node.slice, ast.Constant) else None
            yield from self._follow_call(node.value, scope, number)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            yield from self._follow_name(node, scope)

    def _follow_call(self, node: ast.Call, scope: CodeScope, number: object) -> Iterator[FlowStep]:
        evaluator = self.recorder.loader_flow.evaluator
        name, at = last_name(node.func), node_location(scope.module, node)
        for value in evaluator.evaluate(node.func, evaluator.frame_of(scope)):
            if isinstance(value, FunctionValue):
                for inner in self._results(value.scope, number):
                    yield at, f"returned by {name}()"
                    yield from self._follow(inner, value.scope)
                    return
        made = evaluator.evaluate(node.func, evaluator.frame_of(scope))
        wraps = any(isinstance(value, ClassValue) for value in made)
        for one in (*node.args, *(word.value for word in node.keywords)):
            if self._holds(one, scope):
                if name not in _SILENT:
                    yield at, f"wrapped by {name}" if wraps else f"passed on by {name}()"
                yield from self._follow(one, scope)
                return

    def _results(self, scope: CodeScope, number: object) -> Iterator[ast.expr]:
        """What a function returns, or iterates to yield it, that holds the loader."""
        for value in returned_values(scope):
            if isinstance(value, ast.Tuple) and isinstance(number, int):
                value = value.elts[number] if number < len(value.elts) else value  # noqa: PLW2901
            if self._holds(value, scope):
                yield value
        for step in scope.steps_by_type.get(ast.For, ()):
            if isinstance(step.node, ast.For) and self._holds(step.node.iter, scope):
                yield step.node.iter

    def _follow_name(self, node: ast.Name | ast.Attribute, scope: CodeScope) -> Iterator[FlowStep]:
        key = binding_key(node)
        for value, _ in reversed(scope.bindings.get(key, ())):
            if self._holds(value, scope):
                yield from self._follow(value, scope)
                return
        if isinstance(node, ast.Attribute):
            yield from self._follow_attribute(node, scope)
            return
        for site in self.recorder.project.find_callers(scope)[:_MAX_CALLERS]:
            given = dict(match_arguments(scope, site.node)).get(key)
            if given is not None and self._holds(given, site.scope):
                name = scope.name.rpartition(".")[2]
                yield node_location(site.scope.module, site.node), f"handed to {name}()"
                yield from self._follow(given, site.scope)
                return
        body = scope.module.body
        for value, _ in () if scope.is_module_body else body.bindings.get(key, ()):
            if self._holds(value, body):
                yield from self._follow(value, body)
                return

    def _follow_attribute(self, node: ast.Attribute, scope: CodeScope) -> Iterator[FlowStep]:
        """``self.loader`` of a method, ``bundle.train``: who keeps it, and since when."""
        evaluator = self.recorder.loader_flow.evaluator
        for owner in evaluator.evaluate(node.value, evaluator.frame_of(scope)):
            if not isinstance(owner, InstanceValue):
                continue
            for cls in self.recorder.project.find_bases(owner.cls)[0]:
                for method in cls.methods.values():
                    for value, _ in method.bindings.get(f"self.{node.attr}", ()):
                        if self._holds(value, method):
                            at = node_location(method.module, value)
                            yield at, f"kept as {cls.name}.{node.attr}"
                            yield from self._follow(value, method)
                            return
            for one in _list_constructor_arguments(owner):
                if owner.frame is not None and self._holds(one, owner.frame.scope):
                    at = node_location(owner.frame.scope.module, one)
                    yield at, f"kept as {owner.cls.name}.{node.attr}"
                    yield from self._follow(one, owner.frame.scope)
                    return


def _list_constructor_arguments(owner: InstanceValue) -> list[ast.expr]:
    call = owner.call
    return [] if call is None else [*call.args, *(word.value for word in call.keywords)]
