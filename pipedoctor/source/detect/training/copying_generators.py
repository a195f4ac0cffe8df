"""Generators and objects that put each batch on the device before they hand it on."""

import ast

from pipedoctor.source.detect.device_copies import copies_to_device
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.lattice import Frame, GeneratorValue, InstanceValue, Value

_MAX_DEPTH = 3
"""Generators around a generator."""


def yields_copies(
    evaluator: Evaluator, iterated: ast.expr, frame: Frame, depth: int = _MAX_DEPTH
) -> bool:
    """Is each batch on the device that iterating a value gives, as far as its generators say?"""
    return depth > 0 and any(
        _copies(evaluator, inner.scope) or _hands_on_copies(evaluator, inner, depth - 1)
        for one in evaluator.evaluate(iterated, frame)
        if (inner := _find_generator(evaluator, one)) is not None
    )


def _find_generator(evaluator: Evaluator, value: Value) -> Frame | None:
    """The call of a generator, or of ``__iter__`` of an object, which is one."""
    if isinstance(value, GeneratorValue):
        return value.frame
    if not isinstance(value, InstanceValue):
        return None
    method = evaluator.project.find_method(value.cls, "__iter__")
    yields = method is not None and bool(method.steps_by_type.get(ast.Yield))
    return evaluator.frame_of(method, value) if method is not None and yields else None


def _copies(evaluator: Evaluator, scope: CodeScope) -> bool:
    """``yield batch.to(device)``, ``batch = self.move(batch); yield batch``."""
    yielded = [
        step.node.value
        for step in scope.steps_by_type.get(ast.Yield, ())
        if isinstance(step.node, ast.Yield) and step.node.value is not None
    ]
    names = {one.id for one in yielded if isinstance(one, ast.Name)}
    given = [value for name in sorted(names) for value, _ in scope.bindings.get(name, ())]
    return any(
        copies_to_device(evaluator.project, scope, call)
        for value in (*yielded, *given)
        for call in find_nodes(value, (ast.Call,))
    )


def _hands_on_copies(evaluator: Evaluator, frame: Frame, depth: int) -> bool:
    """``for batch in batches: yield batch``, where these are on the device."""
    return any(
        isinstance(step.node, ast.For) and yields_copies(evaluator, step.node.iter, frame, depth)
        for step in frame.scope.steps_by_type.get(ast.For, ())
    )
