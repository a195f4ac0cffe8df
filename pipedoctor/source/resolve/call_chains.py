"""The calls that lead to a function, and the constants that they hand down to it."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.scope import CodeScope

_MAX_LENGTH = 3
"""Calls from the one that decides down to the function."""


class CallChain(NamedTuple):
    """Calls one within the other, the outermost first, and what the last one is given."""

    sites: tuple[CallSite, ...]
    handed: Mapping[str, ArgumentExpression]

    @property
    def outermost(self) -> CallSite:
        """The call that decides."""
        return self.sites[0]


def find_call_chains(
    values: ValueResolver, scope: CodeScope, names: set[str], length: int = _MAX_LENGTH
) -> Iterator[CallChain]:
    """Each way to a function, as far up as its parameters are only handed on."""
    for site in values.project.find_callers(scope):
        handed = dict(hand_over(scope, site, names))
        passed = {
            one.node.id
            for one in handed.values()
            if one.scope is site.scope and isinstance(one.node, ast.Name)
            if one.node.id in site.scope.parameter_names and one.node.id not in site.scope.bindings
        }
        outer: list[CallChain] = []
        if passed and length > 1 and site.scope is not scope:
            outer = list(find_call_chains(values, site.scope, passed, length - 1))
        for chain in outer:
            yield CallChain(
                (*chain.sites, site), dict(_trace_arguments(handed, chain.handed, site))
            )
        if not outer:
            yield CallChain((site,), handed)


def _trace_arguments(
    handed: Mapping[str, ArgumentExpression],
    before: Mapping[str, ArgumentExpression],
    site: CallSite,
) -> Iterator[tuple[str, ArgumentExpression]]:
    """What reaches a call whose function hands its own parameters on."""
    for name, one in handed.items():
        known = before.get(one.node.id) if isinstance(one.node, ast.Name) else None
        yield name, known if known is not None and one.scope is site.scope else one


def hand_over(
    scope: CodeScope, site: CallSite, names: set[str]
) -> Iterator[tuple[str, ArgumentExpression]]:
    """What a call gives for parameters of these names, itself or by their defaults."""
    order = [one.arg for one in scope.parameters]
    bound = scope.owner is not None and order[:1] in (["self"], ["cls"])
    for name in sorted(names):
        position = order.index(name) - bound if name in order else -1
        handed = find_call_argument(site.node, name, position)
        default = find_default(scope.node, name)
        if handed is not None:
            yield name, ArgumentExpression(handed, site.scope)
        elif default is not None and all(word.arg for word in site.node.keywords):
            yield name, ArgumentExpression(default, scope)
