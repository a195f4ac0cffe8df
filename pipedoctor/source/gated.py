"""Old names in the branch for old versions, beside a branch that has the new name."""

import ast
from collections.abc import Iterator

from pipedoctor.source.around import Step
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Module, Scope
from pipedoctor.source.walk import nodes

NEW = "torch.amp"
_SHORT = {"torch.autocast", "torch.GradScaler"}
"""The same, as torch itself offers them."""


def gated(recorder: Recorder, scope: Scope, step: Step) -> bool:
    """Is the new name used where this one is not: in another branch, or tried first?"""
    return any(
        _is_new(recorder, scope, node)
        for part in _others(scope, step)
        for node in ast.walk(part)
    )


def twice(module: Module, local: str) -> bool:
    """Does the file import the new name as this one, too?"""
    return any(
        local in (item.name, item.asname)
        for scope in module.scopes
        for step in scope.of_type.get(ast.ImportFrom, [])
        if isinstance(step.node, ast.ImportFrom)
        for item in step.node.names
        if step.node.module == NEW or f"{step.node.module}.{item.name}" in _SHORT
    )


def _is_new(recorder: Recorder, scope: Scope, node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = {f"{node.module}.{item.name}" for item in node.names}
        return node.module == NEW or bool(names & _SHORT)
    if not isinstance(node, (ast.Attribute, ast.Name)):
        return False
    return recorder.name(node, scope).startswith(f"{NEW}.")


def _others(scope: Scope, step: Step) -> Iterator[ast.AST]:
    """What runs where this step does not."""
    holds = {id(guard.test): guard.holds for guard in step.around.guards}
    line = getattr(step.node, "lineno", 0)
    for node in nodes(scope.node, (ast.IfExp, ast.If, ast.Try)):
        if isinstance(node, ast.IfExp) and id(node.test) in holds:
            yield node.orelse if holds[id(node.test)] else node.body
        elif isinstance(node, ast.If) and id(node.test) in holds:
            yield from node.orelse if holds[id(node.test)] else node.body
        elif isinstance(node, ast.If) and node.lineno < line and _leaves(node):
            yield from node.body
        elif isinstance(node, ast.Try) and isinstance(step.node, ast.ImportFrom):
            yield from node.body if _handles(node, step.node) else ()


def _handles(node: ast.Try, step: ast.AST) -> bool:
    return any(part is step for one in node.handlers for part in ast.walk(one))


def _leaves(node: ast.If) -> bool:
    return isinstance(node.body[-1], (ast.Return, ast.Raise))
