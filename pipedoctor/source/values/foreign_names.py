"""Names of libraries and builtins: of these nothing is known, whatever the call."""

import ast

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder
from pipedoctor.source.syntax.scope import CodeScope

_MAX_PARTS = 20
"""Of a dotted name."""


class ForeignNames:
    """Tells names that no file of the project defines from all others."""

    def __init__(self, project: Project, definitions: DefinitionFinder) -> None:
        self.project = project
        self._definitions = definitions
        self._known: dict[tuple[int, CodeScope], bool] = {}
        self._known_names: dict[CodeScope, dict[str, bool]] = {}

    def is_foreign(self, node: ast.Name | ast.Attribute, scope: CodeScope) -> bool:
        """``torch.zeros`` of ``import torch``, ``len``: nothing of the project has that name."""
        if isinstance(node, ast.Name):
            names = self._known_names.get(scope)
            if names is None:
                names = self._known_names[scope] = {}
            named = names.get(node.id)
            if named is None:
                named = names[node.id] = self._is_foreign_name(node, scope)
            return named
        place = (id(node), scope)
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self._is_foreign_attribute(node, scope)
        return found

    def _is_foreign_attribute(self, node: ast.Attribute, scope: CodeScope) -> bool:
        """Is a name of a library all that it begins with? No longer path is looked at."""
        parts: list[ast.Attribute] = [node]
        while isinstance(owner := parts[-1].value, ast.Attribute):
            if len(parts) == _MAX_PARTS:
                return False
            parts.append(owner)
        if not isinstance(owner, ast.Name) or not self.is_foreign(owner, scope):
            return False
        names = (self.project.full_name_of(one, scope.module) for one in parts)
        return all(full and not self._is_of_project(full, scope) for full in names)

    def _is_foreign_name(self, node: ast.Name, scope: CodeScope) -> bool:
        name, module = node.id, scope.module
        if name in {"self", "cls"} or name in scope.bindings or name in module.body.bindings:
            return False
        if self._definitions.binds(scope, name):
            return False
        full = self.project.full_name_of(node, module)
        imported = module.imported_names.get(name, "")
        return not any(self._is_of_project(one, scope) for one in {full, imported} if one)

    def _is_of_project(self, full: str, scope: CodeScope) -> bool:
        """Is it defined in a file of the project, or such a file itself?"""
        module, project = scope.module, self.project
        head = full.rpartition(".")[0]
        files = (full, head) if head else (full,)
        if any(project.find_module(one, module) is not None for one in files):
            return True
        return project.find_by_name(full, module) is not None
