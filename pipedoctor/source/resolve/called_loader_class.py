"""Which class of loaders a call makes, through variables, defaults and partials."""

import ast
from collections.abc import Container, Mapping
from typing import NamedTuple

from pipedoctor.source.resolve.dictionaries import DictionaryResolver
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.loader_classes import LOADER_CLASSES, LOADER_PARAMETERS
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 4


class CalledClass(NamedTuple):
    """A class of loaders, with what partials have given already."""

    name: str
    given: Mapping[str, ArgumentExpression] = {}
    complete: bool = True
    """Is everything that they give known?"""


class CalledClassResolver:
    """Finds the class of loaders behind an expression that is called."""

    def __init__(
        self, values: ValueResolver, dictionaries: DictionaryResolver, own: Container[str]
    ) -> None:
        self.values = values
        self.project = values.project
        self.dictionaries = dictionaries
        self.own = own
        """Full names of the classes of the project that derive from one."""

    def resolve(
        self, func: ast.expr, scope: CodeScope, depth: int = _MAX_DEPTH
    ) -> CalledClass | None:
        """The class that is called, through variables that hold it; none: no loader."""
        known = self._find_class(func, scope)
        if known:
            return CalledClass(known)
        key = binding_key(func) if depth > 0 else ""
        default = find_default(scope.node, key) if key else None
        known = self._find_class(default, scope) if default is not None else ""
        if known:
            return CalledClass(known)
        for value, its in self.values.find_assignments(key, scope) if key else ():
            found = self._resolve_assigned(value, its, depth)
            if found is not None:
                return found
        return None

    def _find_class(self, node: ast.expr, scope: CodeScope) -> str:
        full = self.project.full_name_of(node, scope.module)
        return full if full in LOADER_CLASSES or full in self.own else ""

    def _resolve_assigned(
        self, value: ast.expr, scope: CodeScope, depth: int
    ) -> CalledClass | None:
        if isinstance(value, ast.Call) and value.args:
            if self.project.full_name_of(value.func, scope.module) == "functools.partial":
                return self._resolve_partial(value, scope, depth - 1)
        elif isinstance(value, (ast.Name, ast.Attribute)):
            full = self.project.full_name_of(value, scope.module)
            return CalledClass(full) if full in LOADER_CLASSES else None
        elif isinstance(value, ast.IfExp):
            return self._resolve_conditional(value, scope)
        return None

    def _resolve_partial(self, call: ast.Call, scope: CodeScope, depth: int) -> CalledClass | None:
        """``partial(DataLoader, batch_size=8)``, ``partial(another_partial, **options)``."""
        inner = self.resolve(call.args[0], scope, depth)
        if inner is None:
            return None
        given, complete = dict(inner.given), inner.complete and len(call.args) <= 2  # noqa: PLR2004
        step = CodeStep(call, CodeContext())
        for word in call.keywords:
            if word.arg is not None:
                given[word.arg] = ArgumentExpression(word.value, scope)
                continue
            ways = list(self.dictionaries.resolve(word.value, scope, step))
            complete = complete and len(ways) == 1 and ways[0].complete
            given.update(ways[0].arguments if len(ways) == 1 else {})
        for name, value in zip(LOADER_PARAMETERS[:1], call.args[1:], strict=False):
            given[name] = ArgumentExpression(value, scope)
        return CalledClass(inner.name, given, complete)

    def _resolve_conditional(self, node: ast.IfExp, scope: CodeScope) -> CalledClass | None:
        """``DataLoader if plain else Endless``: their own, if both are loaders."""
        both = [self._find_class(one, scope) for one in (node.body, node.orelse)]
        own = [name for name in both if name in self.own]
        return CalledClass([*own, *both][0]) if all(both) else None
