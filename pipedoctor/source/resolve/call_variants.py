"""Loaders that a function makes differently for different calls of it."""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import NamedTuple

from pipedoctor.facts.source import Argument
from pipedoctor.source.resolve.dictionaries import ArgumentExpression
from pipedoctor.source.resolve.folding import fold_constants
from pipedoctor.source.resolve.project import CallSite
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope

_MAX_CALLS, _MAX_VARIANTS = 16, 4
_PLAIN_DECORATORS = {"staticmethod", "classmethod", "no_grad", "inference_mode"}
_VARYING_ARGUMENTS = (
    *("batch_size", "shuffle", "sampler", "num_workers", "pin_memory", "drop_last"),
    *("persistent_workers", "prefetch_factor", "collate_fn", "worker_init_fn"),
)


class ArgumentVariant(NamedTuple):
    """The arguments of a loader in some calls of the function that makes it."""

    arguments: Mapping[str, ArgumentExpression]
    sites: tuple[CallSite, ...]


def find_variants(
    values: ValueResolver, scope: CodeScope, arguments: Mapping[str, ArgumentExpression]
) -> list[ArgumentVariant]:
    """
    The ways in which the calls of a function vary the arguments of its loader.

    Empty: all calls give the same, or what they give cannot be told apart.
    """
    names = {one.arg for one in scope.parameters} - {"self", "cls"}
    if not isinstance(scope.node, ast.Module):
        if any(last_name(one) not in _PLAIN_DECORATORS for one in scope.node.decorator_list):
            return []  # which may give it other arguments than its calls do
        names |= {one.arg for one in scope.node.args.kwonlyargs}
    names -= scope.bindings.keys()
    varying = {
        name: given
        for name, given in arguments.items()
        if name in _VARYING_ARGUMENTS and given.scope is scope and _reads(given.node) & names
    }
    sites = values.project.find_callers(scope) if varying else []
    if not 1 < len(sites) <= _MAX_CALLS:
        return []
    found: dict[tuple[object, ...], ArgumentVariant] = {}
    for site in sites:
        changed = {name: _substitute(given, scope, site, names) for name, given in varying.items()}
        facts = [values.resolve(one.node, one.scope) for one in changed.values()]
        key = tuple(map(_identity, facts))
        before = found.get(key)
        if before is None:
            found[key] = ArgumentVariant({**arguments, **changed}, (site,))
        else:
            found[key] = before._replace(sites=(*before.sites, site))
    return list(found.values()) if 1 < len(found) <= _MAX_VARIANTS else []


def _identity(fact: Argument) -> object:
    return (fact.value,) if fact.is_known else fact.text


def _reads(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _substitute(
    argument: ArgumentExpression,
    scope: CodeScope,
    site: CallSite,
    names: set[str],
) -> ArgumentExpression:
    """The expression with what this call gives for the parameters in it."""
    handed = dict(_handed_values(scope, site, names & _reads(argument.node)))
    if isinstance(argument.node, ast.Name):
        return handed.get(argument.node.id, argument)
    plain = {name: one.node for name, one in handed.items() if isinstance(one.node, ast.Constant)}
    if len(plain) < len(names & _reads(argument.node)):
        return argument
    return argument._replace(node=fold_constants(_Replacer(plain).visit(deepcopy(argument.node))))


def _handed_values(
    scope: CodeScope, site: CallSite, names: set[str]
) -> Iterator[tuple[str, ArgumentExpression]]:
    order = [one.arg for one in scope.parameters]
    bound = scope.owner is not None and order[:1] in (["self"], ["cls"])
    for name in names:
        position = order.index(name) - bound if name in order else -1
        handed = find_call_argument(site.node, name, position)
        default = find_default(scope.node, name)
        if handed is not None:
            yield name, ArgumentExpression(handed, site.scope)
        elif default is not None and all(word.arg for word in site.node.keywords):
            yield name, ArgumentExpression(default, scope)


class _Replacer(ast.NodeTransformer):
    """Puts constants in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is known becomes its value, at the same place."""
        value = self.values.get(node.id)
        return ast.copy_location(deepcopy(value), node) if value is not None else node
