"""Old names in the branch for old versions, beside a branch that has the new name."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.syntax.walk import find_nodes

NEW_AMP_MODULE = "torch.amp"
_TORCH_SHORT_NAMES = {"torch.autocast", "torch.GradScaler"}
"""The same, as torch itself offers them."""


def has_version_branch(recorder: EventRecorder, scope: CodeScope, step: CodeStep) -> bool:
    """Is the new name used in a branch where this one is not, or tried first?"""
    return any(
        _is_new_name(recorder, scope, node)
        for part in _alternative_branches(scope, step)
        for node in ast.walk(part)
    )


def also_imports_new_name(module: Module, local_name: str) -> bool:
    """Does the file import the new name as this one, too?"""
    return any(
        local_name in (item.name, item.asname)
        for scope in module.scopes
        for step in scope.steps_by_type.get(ast.ImportFrom, [])
        if isinstance(step.node, ast.ImportFrom)
        for item in step.node.names
        if step.node.module == NEW_AMP_MODULE
        or f"{step.node.module}.{item.name}" in _TORCH_SHORT_NAMES
    )


def _is_new_name(recorder: EventRecorder, scope: CodeScope, node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        names = {f"{node.module}.{item.name}" for item in node.names}
        return node.module == NEW_AMP_MODULE or bool(names & _TORCH_SHORT_NAMES)
    if not isinstance(node, (ast.Attribute, ast.Name)):
        return False
    return recorder.full_name_of(node, scope).startswith(f"{NEW_AMP_MODULE}.")


def _alternative_branches(scope: CodeScope, step: CodeStep) -> Iterator[ast.AST]:
    """What runs where this step does not."""
    holds = {id(guard.test): guard.holds for guard in step.context.guards}
    line = getattr(step.node, "lineno", 0)
    for node in find_nodes(scope.node, (ast.IfExp, ast.If, ast.Try)):
        if isinstance(node, ast.IfExp) and id(node.test) in holds:
            yield node.orelse if holds[id(node.test)] else node.body
        elif isinstance(node, ast.If) and id(node.test) in holds:
            yield from node.orelse if holds[id(node.test)] else node.body
        elif isinstance(node, ast.If) and node.lineno < line and _ends_function(node):
            yield from node.body
        elif isinstance(node, ast.Try) and isinstance(step.node, ast.ImportFrom):
            yield from node.body if _has_in_handler(node, step.node) else ()


def _has_in_handler(node: ast.Try, step: ast.AST) -> bool:
    return any(part is step for one in node.handlers for part in ast.walk(one))


def _ends_function(node: ast.If) -> bool:
    return isinstance(node.body[-1], (ast.Return, ast.Raise))
