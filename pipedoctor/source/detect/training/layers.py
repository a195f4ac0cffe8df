"""Modules of a project, and what their layers return."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_MODULE_CLASSES = frozenset(("torch.nn.Module", "torch.nn.modules.module.Module"))


def is_module(project: Project, cls: ClassDefinition) -> bool:
    """Does a class derive from ``nn.Module``, itself or as one of Lightning?"""
    names = project.find_bases(cls)[1]
    return any(one in _MODULE_CLASSES or one.endswith(".LightningModule") for one in names)


def is_layer_output(project: Project, scope: CodeScope, call: ast.Call) -> bool:
    """``self.layer(x)`` in a module: lies where the module is, wherever ``x`` came from."""
    owner, func = scope.owner, call.func
    if owner is None or not isinstance(func, ast.Attribute) or not call.args:
        return False
    if not binding_key(func).startswith("self.") or not is_module(project, owner):
        return False
    return project.find_method(owner, func.attr) is None


def list_buffers(initializer: CodeScope) -> Iterator[str]:
    """Names of what a module keeps beside its parameters: ``register_buffer("mean", x)``."""
    for step in initializer.find_calls("register_buffer"):
        given = step.node.args[:1] if isinstance(step.node, ast.Call) else []
        yield from (str(one.value) for one in given if isinstance(one, ast.Constant))
