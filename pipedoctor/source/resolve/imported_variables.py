"""Variables of other files: ``from config import WORKERS``, ``from config import *``."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.scope import CodeScope, Module

_MAX_IMPORTS = 4
"""Files that may hand a variable on."""


def find_global(
    project: Project, name: str, module: Module
) -> Iterator[tuple[ast.expr, CodeScope]]:
    """Everything that a file assigns to a variable, or the file that it imports it from."""
    given = module.body.bindings.get(name, ())
    if given:
        yield from ((value, module.body) for value, _ in given)
        return
    head, _, last = project.resolve_name(name, module).rpartition(".")
    there = (
        _find_owner(project, head, last, module)
        if head
        else _find_star(project, name, module, _MAX_IMPORTS)
    )
    if there is not None and there is not module:
        body = there.body
        yield from ((value, body) for value, _ in body.bindings.get(last or name, ()))


def _find_owner(
    project: Project, head: str, name: str, near: Module, depth: int = _MAX_IMPORTS
) -> Module | None:
    """The file that gives a variable its value: this one, or one that it takes all from."""
    there = project.find_module(head, near)
    if there is None or name in there.body.bindings:
        return there
    return _find_star(project, name, there, depth - 1)


def _find_star(project: Project, name: str, module: Module, depth: int) -> Module | None:
    found = (
        _find_owner(project, star, name, module, depth)
        for star in (module.star_imports if depth > 0 else ())
    )
    return next((one for one in found if one is not None), None)
