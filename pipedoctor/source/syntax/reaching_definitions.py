"""Where a name of a function gets its value: the assignments that reach a line."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipedoctor.source.syntax.context import CodeStep, FunctionNode
from pipedoctor.source.syntax.scope import CodeScope


class LoopTarget(NamedTuple):
    """A name that a loop or a comprehension binds: which part of which elements."""

    iterated: ast.expr
    path: tuple[int, ...]
    first_line: int
    last_line: int


class Definitions(NamedTuple):
    """What may have given a name its value."""

    assigned: list[ast.expr]
    looped: list[LoopTarget]
    certain: bool
    """Some assignment is always passed, so that nothing older counts."""


_UNDEFINED = Definitions([], [], certain=False)
"""Of a name that nothing in its function gives a value."""


class DefinitionFinder:
    """Finds what may have given names their values, function by function."""

    def __init__(self) -> None:
        self._loop_targets: dict[CodeScope, dict[str, list[LoopTarget]]] = {}
        self._known: dict[tuple[CodeScope, str, int], Definitions] = {}

    def binds(self, scope: CodeScope, key: str) -> bool:
        """Does a function, or one within it, give a name a value anywhere?"""
        local = scope.local_functions
        return (
            key in scope.bindings
            or key in self._targets_of(scope)
            or key in scope.parameter_names
            or key in scope.filled_names
            or key in local
            or any(key in _plain_parameters(one) for one in local.values())
        )

    def is_only_assigned(self, scope: CodeScope, key: str) -> bool:
        """Is a variable given values by assignments alone, and by no loop or call?"""
        local = scope.local_functions
        return (
            key in scope.bindings
            and key not in self._targets_of(scope)
            and key not in scope.parameter_names
            and key not in scope.filled_names
            and key not in local
            and not any(key in _plain_parameters(one) for one in local.values())
        )

    def _targets_of(self, scope: CodeScope) -> dict[str, list[LoopTarget]]:
        targets = self._loop_targets.get(scope)
        if targets is None:
            targets = self._loop_targets[scope] = _collect_loop_targets(scope)
        return targets

    def find(self, scope: CodeScope, key: str, line: int) -> Definitions:
        """
        The assignments to a name that may reach a line of its function.

        The last one that is always passed ends the search backwards; one below the line
        counts if both stand in the same loop.
        """
        targets = self._targets_of(scope)
        if key not in targets and key not in scope.bindings:
            return _UNDEFINED
        known = self._known.get((scope, key, line))
        if known is None:
            its = targets.get(key, ())
            known = self._known[scope, key, line] = _find_reaching(scope, its, key, line)
        return known


def _plain_parameters(node: FunctionNode) -> set[str]:
    return {one.arg for one in (*node.args.posonlyargs, *node.args.args)}


def _find_reaching(
    scope: CodeScope, targets: Sequence[LoopTarget], key: str, line: int
) -> Definitions:
    """What of all that gives a name its value may reach a line."""
    looped = [one for one in targets if one.first_line <= line]
    around = [one for one in looped if line <= one.last_line]
    if around:
        return Definitions([], [around[-1]], certain=True)
    assigned: list[ast.expr] = []
    for value, step in reversed(scope.bindings.get(key, ())):
        if (value.end_lineno or value.lineno) < line:  # not what stands in the value itself
            relation = _branch_relation(scope, step, line)
            if relation == "other" and not _is_in_loop_with(step, line):
                continue
            assigned.append(value)
            if relation == "same" and _always_passed(step, line):
                return Definitions(assigned, [], certain=True)
        elif _is_in_loop_with(step, line) or step.context.inner:
            assigned.append(value)
    return Definitions(assigned, looped, certain=False)


def _is_in_loop_with(step: CodeStep, line: int) -> bool:
    return any(loop.lineno < line <= (loop.end_lineno or 0) for loop in step.context.loops)


def _always_passed(step: CodeStep, line: int) -> bool:
    context = step.context
    if context.handler or context.inner:
        return False
    return all(loop.lineno < line <= (loop.end_lineno or 0) for loop in context.loops)


def _branch_relation(scope: CodeScope, step: CodeStep, line: int) -> str:
    """Does a line stand in the ``same`` branches as a step, in ``other`` ones, or ``below``?"""
    relation = "same"
    for guard in step.context.guards:
        node = scope.branches.get(id(guard.test))
        if node is None:
            relation = "below"
            continue
        mine, others = (node.body, node.orelse) if guard.holds else (node.orelse, node.body)
        if _spans(others, line):
            return "other"
        if not _spans(mine, line):
            relation = "below"
    return relation


def _spans(block: Sequence[ast.stmt], line: int) -> bool:
    return bool(block) and block[0].lineno <= line <= (block[-1].end_lineno or 0)


def _collect_loop_targets(scope: CodeScope) -> dict[str, list[LoopTarget]]:
    """All names that loops and comprehensions of a function bind."""
    found: dict[str, list[LoopTarget]] = {}
    for node, iterated, first, last in _iterations(scope):
        for name, path in _target_paths(node, ()):
            target = LoopTarget(iterated, path, first, last)
            found.setdefault(name, []).append(target)
    return found


def list_loop_targets(scope: CodeScope) -> set[str]:
    """The names that loops of a function bind."""
    return {
        name
        for step in scope.steps_by_type.get(ast.For, ())
        if isinstance(step.node, ast.For)
        for name, _ in _target_paths(step.node.target, ())
    }


def _iterations(scope: CodeScope) -> Iterator[tuple[ast.expr, ast.expr, int, int]]:
    """What is bound, of what, and in which lines: in a comprehension before it is written."""
    for kind in (ast.For, ast.AsyncFor):
        for step in scope.steps_by_type.get(kind, ()):
            node = step.node
            if isinstance(node, (ast.For, ast.AsyncFor)):
                first = node.target.lineno
                yield node.target, node.iter, first, node.end_lineno or first
    for comprehension in (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp):
        for step in scope.steps_by_type.get(comprehension, ()):
            node = step.node
            if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
                for one in node.generators:
                    yield one.target, one.iter, node.lineno, node.end_lineno or node.lineno


def _target_paths(target: ast.expr, path: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    if isinstance(target, ast.Name):
        yield target.id, path
    elif isinstance(target, (ast.Tuple, ast.List)):
        for number, one in enumerate(target.elts):
            yield from _target_paths(one, (*path, number))
    elif isinstance(target, ast.Starred):
        yield from _target_paths(target.value, path)
