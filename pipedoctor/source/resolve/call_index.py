"""Where something of a name is called, in all files: by itself, in part, or from a table."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from pipedoctor.source.resolve.definitions import DefinitionIndex
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope, Module


class CallSite(NamedTuple):
    """A call, and the function that it stands in."""

    scope: CodeScope
    step: CodeStep
    node: ast.Call


class CallIndex(DefinitionIndex):
    """The calls of a project by names, whatever these mean."""

    def __init__(self, modules: Iterable[Module]) -> None:
        super().__init__(modules)
        self._known_call_sites: dict[str, list[CallSite]] = {}
        self._known_variable_calls: dict[str, list[CallSite]] = {}

    def find_call_sites(self, last: str) -> list[CallSite]:
        """Calls by the last part of the name that is called."""
        known = self._known_call_sites.get(last)
        if known is None:
            known = self._known_call_sites[last] = [
                CallSite(scope, step, step.node)
                for module in self._modules_by_called_name.get(last, ())
                for scope, step in module.find_calls(last)
                if isinstance(step.node, ast.Call)
            ]
        return known

    def find_variable_calls(self, made: str) -> list[CallSite]:
        """Calls of the variables that hold what calls of a name have made."""
        known = self._known_variable_calls.get(made)
        if known is None:
            names = {
                name.rpartition(".")[2]
                for site in self.find_call_sites(made)
                for name in site.scope.names_by_value.get(id(site.node), ())
            }
            known = [site for name in sorted(names) for site in self.find_call_sites(name)]
            self._known_variable_calls[made] = known
        return known

    @cached_property
    def _modules_by_called_name(self) -> dict[str, list[Module]]:
        """The modules that call something of this name."""
        found: dict[str, list[Module]] = {}
        for module in self.modules:
            for last in {name.rpartition(".")[2] for name in module.calls_by_name}:
                found.setdefault(last, []).append(module)
        return found

    @cached_property
    def partials_by_name(self) -> dict[str, list[CallSite]]:
        """Calls of ``partial``, by the last part of the name of what they are given first."""
        found: dict[str, list[CallSite]] = {}
        for site in self.find_call_sites("partial"):
            for first in site.node.args[:1]:
                found.setdefault(last_name(first), []).append(site)
        return found

    @cached_property
    def calls_through_tables(self) -> dict[str, list[CallSite]]:
        """``MAKERS[name](rows)``, by the last name of each function that may be meant."""
        found: dict[str, list[CallSite]] = {}
        for site in self.find_call_sites(""):
            func = site.node.func
            if not isinstance(func, ast.Subscript) or not isinstance(func.value, ast.Name):
                continue
            for meant in _find_chosen(site.scope, func.value.id, func.slice):
                call = ast.Call(meant, site.node.args, site.node.keywords)
                part = CallSite(site.scope, site.step, ast.copy_location(call, site.node))
                found.setdefault(last_name(meant), []).append(part)
        return found


def _find_chosen(scope: CodeScope, table: str, key: ast.expr) -> Iterator[ast.expr]:
    """Which names a dictionary of the file has at a key; all of them where it is not known."""
    wanted = key.value if isinstance(key, ast.Constant) else None
    bound = scope.bindings.get(table) or scope.module.body.bindings.get(table, [])
    for value, _ in bound:
        if isinstance(value, ast.Dict):
            for place, held in zip(value.keys, value.values, strict=True):
                other = isinstance(place, ast.Constant) and place.value != wanted
                if isinstance(held, (ast.Name, ast.Attribute)) and (wanted is None or not other):
                    yield held
