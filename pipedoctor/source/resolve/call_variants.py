"""Loaders that a function makes differently for different calls of it."""

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy
from itertools import islice
from typing import NamedTuple

from pipedoctor.facts.source import Argument
from pipedoctor.source.resolve.call_chains import CallChain, find_call_chains
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.folding import fold_constants
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder
from pipedoctor.source.syntax.scope import CodeScope

_MAX_CALLS, _MAX_VARIANTS = 16, 6
_PLAIN_DECORATORS = {"staticmethod", "classmethod", "no_grad", "inference_mode"}
_VARYING_ARGUMENTS = (
    *("batch_size", "shuffle", "sampler", "num_workers", "pin_memory", "drop_last"),
    *("persistent_workers", "prefetch_factor", "collate_fn", "worker_init_fn"),
)


class ArgumentVariant(NamedTuple):
    """The arguments of a loader in some calls of the function that makes it."""

    arguments: Mapping[str, ArgumentExpression]
    sites: tuple[CallSite, ...]
    within: tuple[CallSite, ...] = ()
    """The calls between the first of these and the function."""


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
    reached = _NamesReached(scope, names)
    varying = {
        name: given
        for name, given in arguments.items()
        if name in _VARYING_ARGUMENTS and given.scope is scope and reached.find_deciding(given.node)
    }
    deciding = set[str]().union(*(reached.find_deciding(one.node) for one in varying.values()))
    chains = list(islice(find_call_chains(values, scope, deciding), _MAX_CALLS + 1))
    if not 1 < len(chains) <= _MAX_CALLS:
        return []
    found: dict[tuple[object, ...], ArgumentVariant] = {}
    flags = reached.find_in_conditions(one.node for one in varying.values())
    for chain in chains:
        changed = {name: _substitute(given, scope, chain) for name, given in varying.items()}
        facts = [values.resolve(one.node, one.scope) for one in changed.values()]
        asked = [(name, _constant_of(chain.handed.get(name))) for name in sorted(flags)]
        key = (*map(_identity, facts), *asked)
        before = found.get(key)
        if before is None:
            sites = (chain.outermost,)
            found[key] = ArgumentVariant({**arguments, **changed}, sites, chain.sites[1:])
        else:
            found[key] = before._replace(sites=(*before.sites, chain.outermost))
    return list(found.values()) if 1 < len(found) <= _MAX_VARIANTS else []


class _NamesReached:
    """The parameters that decide what an expression is, through the branches of a function."""

    def __init__(self, scope: CodeScope, parameters: set[str]) -> None:
        self.scope = scope
        self.parameters = parameters

    def find_deciding(self, node: ast.expr) -> set[str]:
        """Those that an expression reads, itself or by the variables in it."""
        read = _reads(node)
        return (
            (read & self.parameters)
            | self.find_in_conditions((node,))
            | self._find_in_assignments(read)
        )

    def _find_in_assignments(self, read: set[str]) -> set[str]:
        bound = self.scope.bindings
        values = (value for name in read & bound.keys() for value, _ in bound[name])
        return set[str]().union(*map(_reads, values)) & self.parameters

    def find_in_conditions(self, nodes: Iterable[ast.expr]) -> set[str]:
        """Those on which it depends what variables are given."""
        bound = self.scope.bindings
        read = set[str]().union(*map(_reads, nodes)) & bound.keys()
        steps = (step for name in read for _, step in bound[name])
        tests = (guard.test for step in steps for guard in step.context.guards)
        return set[str]().union(*map(_reads, tests)) & self.parameters


def _identity(fact: Argument) -> object:
    return (fact.value,) if fact.is_known else fact.text


def _reads(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _constant_of(given: ArgumentExpression | None) -> object:
    return given.node.value if given and isinstance(given.node, ast.Constant) else None


def _substitute(
    argument: ArgumentExpression, scope: CodeScope, chain: CallChain
) -> ArgumentExpression:
    """The expression with what these calls give for the parameters in it."""
    node = argument.node
    plain = {name: x.node for name, x in chain.handed.items() if isinstance(x.node, ast.Constant)}
    if isinstance(node, ast.Name):
        handed = chain.handed.get(node.id)
        if handed is not None:
            return handed
        chosen = _choose_assignment(scope, node, plain)
        if chosen is None:
            return argument
        argument = argument._replace(node=chosen)
        node = chosen
    if isinstance(node, ast.Constant) or not _reads(node) & plain.keys():
        return argument
    if _reads(node) - plain.keys():
        return argument
    return argument._replace(node=fold_constants(_Replacer(plain).visit(deepcopy(node))))


def _choose_assignment(
    scope: CodeScope, name: ast.Name, plain: Mapping[str, ast.expr]
) -> ast.expr | None:
    """What a variable is given in the branches that these constants take; none: not known."""
    steps = {id(value): step for value, step in scope.bindings.get(name.id, ())}
    for value in DefinitionFinder().find(scope, name.id, name.lineno).assigned:
        tests = [
            (fold_constants(_Replacer(plain).visit(deepcopy(guard.test))), guard.holds)
            for guard in steps[id(value)].context.guards
        ]
        known = [bool(t.value) is holds for t, holds in tests if isinstance(t, ast.Constant)]
        if all(known) and len(known) == len(tests):
            return value
        if all(known):
            return None
    return None


class _Replacer(ast.NodeTransformer):
    """Puts constants in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is known becomes its value, at the same place."""
        value = self.values.get(node.id)
        return ast.copy_location(deepcopy(value), node) if value is not None else node
