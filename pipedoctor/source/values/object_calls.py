"""Calls of objects that a program keeps in lists or variables."""

import ast
from collections.abc import Iterator
from itertools import islice

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.reaching_definitions import list_loop_targets

_MAX_OBJECT_CALLS = 40


def list_object_calls(project: Project) -> list[CallSite]:
    """Calls of what loops take from lists, and of variables where classes have no names."""
    return list(islice(_iter_object_calls(project), _MAX_OBJECT_CALLS))


def _iter_object_calls(project: Project) -> Iterator[CallSite]:
    by_text = bool(project.find_call_sites("import_module"))
    for scope in project.scopes:
        names = list_loop_targets(scope)
        for key, values in scope.bindings.items() if by_text else ():
            if any(isinstance(value, ast.Call) for value, _ in values):
                names.add(key)
        for step in scope.calls if names else ():
            node = step.node
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in names:
                    yield CallSite(scope, step, node)
