"""Attributes that a text names: ``getattr(callback, "on_batch_end")``, ``getattr(x, name)``."""

import ast
from collections.abc import Iterator

from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.values.lattice import Evaluating, Frame, ModuleValue, Values, join
from pipedoctor.source.values.modules import any_of_module

_MAX_CALLERS = 12


def read_by_name(model: Evaluating, owners: Values, name: ast.expr, frame: Frame) -> Values:
    """What an attribute of these may be whose name an expression gives."""
    names = set(_list_texts(model, name, frame))
    read = join(model.evaluate_attribute(one, text) for one in owners for text in sorted(names))
    if isinstance(name, ast.Constant):
        return read
    modules = (one for one in owners if isinstance(one, ModuleValue))
    return read | join(any_of_module(model, one) for one in modules)


def _list_texts(model: Evaluating, node: ast.expr, frame: Frame) -> Iterator[str]:
    """The texts of an expression: itself, or what calls give for a parameter."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.Name) and node.id in frame.scope.parameter_names:
        for given in _list_given(model, node.id, frame):
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                yield given.value


def _list_given(model: Evaluating, name: str, frame: Frame) -> Iterator[ast.expr | None]:
    scope = frame.scope
    names = [one.arg for one in scope.parameters]
    place = names.index(name) if name in names else -1
    place -= scope.owner is not None and names[:1] in (["self"], ["cls"])
    if frame.call is not None:
        yield find_call_argument(frame.call, name, place)
        return
    for site in model.project.find_call_sites(scope.name.rpartition(".")[2])[:_MAX_CALLERS]:
        yield find_call_argument(site.node, name, place)
