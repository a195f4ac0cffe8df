"""Values as facts: written out, or seen from where they are used."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipedoctor.facts.source import Argument, Spot, ValueOrigin
from pipedoctor.source.syntax.expressions import MAX_TEXT_LENGTH, last_name
from pipedoctor.source.syntax.scope import CodeScope


class CarriedExpression(NamedTuple):
    """An expression that an attribute or item of an object may stand for."""

    node: ast.expr
    scope: CodeScope
    default: str = ""
    """Of what it is the default: ``DataArguments.num_workers``; empty: it is given."""


def constant_argument(node: ast.Constant, text: str, at: Spot | None) -> Argument:
    """What is written out, as far as a report can carry it."""
    value = node.value
    if value is None or isinstance(value, (bool, int, float, str)):
        if isinstance(value, int) and abs(value) > 1 << 62:
            return Argument(how="unknown", text=text, at=at, form="constant")
        if isinstance(value, str):
            value = value[:MAX_TEXT_LENGTH]
        return Argument(how="literal", value=value, text=text, at=at)
    return Argument(how="unknown", text=text, at=at, form="constant")


def derive_argument(
    value: Argument, how: ValueOrigin, text: str, at: Spot | None, why: str = ""
) -> Argument:
    """The argument with the same value, as seen from where it is used."""
    if not value.is_known:
        how = "unknown"
    if value.how == "default":
        how, why = "default", value.why
    return Argument(
        how=how,
        value=value.value,
        form=value.form,
        text=text,
        name=value.name,
        why=why,
        at=value.at if value.how == "literal" else at,
    )


def match_arguments(target: CodeScope, node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives for each parameter of a function; for ``**kwargs`` all that is left."""
    names = [one.arg for one in target.parameters]
    if target.owner is not None and not (target.parent or _is_static_method(target)):
        names = names[1:]
    args = None if isinstance(target.node, ast.Module) else target.node.args
    rest = args.vararg.arg if args is not None and args.vararg is not None else ""
    others = args.kwarg.arg if args is not None and args.kwarg is not None else ""
    plain = {*names, *(one.arg for one in args.kwonlyargs)} if args is not None else set[str]()
    for number, value in enumerate(node.args):
        name = names[number] if number < len(names) else rest
        if isinstance(value, ast.Starred) or not name:
            break
        yield name, value
    for word in node.keywords:
        name = word.arg if word.arg in plain else others
        if name:
            yield name, word.value


def _is_static_method(target: CodeScope) -> bool:
    decorators: Sequence[ast.expr] = getattr(target.node, "decorator_list", ())
    return any(last_name(one) == "staticmethod" for one in decorators)


ARGUMENT_INJECTORS: Mapping[str, str] = {
    "configurable": "https://detectron2.readthedocs.io/en/latest/modules/config.html",
    "capture": "https://sacred.readthedocs.io/en/stable/configuration.html",
    "automain": "https://sacred.readthedocs.io/en/stable/experiment.html",
}
"""Decorators that fill in what a call leaves out, from a configuration; gin's as well."""


def is_injected(scope: CodeScope) -> bool:
    """Does a decorator give it arguments from a configuration, which nobody sees here?"""
    written: list[ast.expr] = getattr(scope.node, "decorator_list", [])
    return any(
        last_name(one.func if isinstance(one, ast.Call) else one) in ARGUMENT_INJECTORS
        for one in written
    )


def is_fixed(value: Argument) -> bool:
    """Is it the same in every run, whatever anybody sets?"""
    return value.is_known and value.how in {"literal", "inferred"}
