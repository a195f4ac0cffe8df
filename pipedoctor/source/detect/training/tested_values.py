"""Conditions in a loop that depend on a value of the device."""

import ast
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.source.detect.training.value_uses import (
    FINITE_CHECKS,
    compares_values,
    tests_value,
)
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import child_nodes, contains_node, find_nodes

_CONDITION_TYPES = (ast.If, ast.While)
_SIZES = frozenset(("size", "len", "shape", "dim", "ndim", "numel"))
_PROPERTIES = _SIZES | {"isinstance", "is_tensor", "hasattr", "dtype", "device", "is_cuda"}
_INFINITE = compile_lazily(r"\b(?:inf|nan)\b")
Question: TypeAlias = Literal["", "finite", "value"]
"""What a condition asks for: whether a number is finite, another value; or none depends on it."""


def find_question(scope: CodeScope, step: CodeStep) -> Question:
    """
    What does the course of the loop around a value ask of it?

    It is asked in a condition of the same loop, itself or by the name that keeps it;
    where there is no loop, in any condition of the function.
    """
    asking = list(_list_conditions(scope, step))
    return classify_question(asking) if asking else ""


def classify_question(tests: Iterable[ast.expr]) -> Question:
    """Is it for a number that is not finite: ``isnan(x)``, ``x != x``, ``x == math.inf``?"""
    parts = (part for test in tests for part in find_nodes(test, (ast.Call, ast.Compare)))
    return "finite" if any(map(_asks_if_finite, parts)) else "value"


def _asks_if_finite(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in FINITE_CHECKS
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    texts = [unparse_short(one) for one in sides]
    return len(set(texts)) < len(texts) or any(map(_INFINITE.search, texts))


def _list_conditions(scope: CodeScope, step: CodeStep) -> Iterator[ast.expr]:
    """The conditions that depend on a value."""
    node, around = step.node, step.context.loops
    names = {
        key
        for key, values in scope.bindings.items()
        if any(contains_node(value, node) for value, _ in values)
    } | {
        binding_key(one.target)
        for other in scope.steps_by_type.get(ast.AugAssign, [])
        if isinstance(one := other.node, ast.AugAssign) and contains_node(one.value, node)
    }
    tests = [
        one.test
        for kind in _CONDITION_TYPES
        for other in scope.steps_by_type.get(kind, [])
        if isinstance(one := other.node, _CONDITION_TYPES)
        if not around or around[-1] in other.context.loops
    ]
    tests += [one.test for one in scope.asserts]
    root, names = _converted_name(node), names - {""}
    for test in tests:
        if (root and any(tests_value(part, root) for part in ast.walk(test))) or any(
            part is node or (isinstance(part, ast.expr) and binding_key(part) in names)
            for part in _value_parts(test)
        ):
            yield test


def _value_parts(test: ast.expr) -> list[ast.AST]:
    """All whose value a condition asks for: not ``x`` of ``x.size(0) == 1``, ``x is None``."""
    found: list[ast.AST] = [test]
    for node in found:
        name = last_name(node.func) if isinstance(node, ast.Call) else getattr(node, "attr", "")
        if name not in _PROPERTIES and (not isinstance(node, ast.Compare) or compares_values(node)):
            found += child_nodes(node)
    return found


def _converted_name(node: ast.AST) -> str:
    """``x`` of ``x.item()`` and of ``float(x)``."""
    if not isinstance(node, ast.Call):
        return ""
    one = node.func.value if isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    return one.id if isinstance(one, ast.Name) else ""
