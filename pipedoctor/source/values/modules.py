"""What the files of a project hold, as values: their functions, classes and variables."""

import ast

from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    ClassValue,
    Evaluating,
    Frame,
    FunctionValue,
    ModuleValue,
    Values,
    join,
)

_MAX_DYNAMIC = 16
"""Functions and classes of a file of which one may be meant by a name that is not seen."""


def read_imported(model: Evaluating, full: str) -> Values:
    """``from data import loader``: a variable of another module."""
    head, _, last = full.rpartition(".")
    there = model.project.find_module(head) if head else None
    if there is None:
        return UNKNOWN
    body = model.frame_of(there.body)
    return join(model.evaluate(value, body) for value, _ in there.body.bindings.get(last, ()))


def read_module(model: Evaluating, value: ModuleValue, name: str) -> Values:
    """A function or class of a file, or what a variable of it is given."""
    found = model.project.find_by_name(f"{value.name}.{name}")
    if isinstance(found, CodeScope):
        return frozenset((FunctionValue(found),))
    if found is not None:
        return frozenset((ClassValue(found),))
    return read_imported(model, f"{value.name}.{name}")


def any_of_module(model: Evaluating, value: ModuleValue) -> Values:
    """``getattr(metrics, name)``: any function or class of the file, if these are few."""
    module = model.project.find_module(value.name)
    if module is None or len(module.functions) + len(module.classes) > _MAX_DYNAMIC:
        return UNKNOWN
    functions = frozenset(FunctionValue(one) for one in module.functions.values())
    return functions | frozenset(ClassValue(one) for one in module.classes.values())


def read_global(model: Evaluating, node: ast.Name, frame: Frame) -> Values:
    """What a name means that nothing in its function binds."""
    module = frame.scope.module
    definition = model.project.find_definition(node, module)
    if isinstance(definition, CodeScope):
        return frozenset((FunctionValue(definition),))
    if definition is not None:
        return frozenset((ClassValue(definition),))
    bound = module.body.bindings.get(node.id, ())
    if bound and not frame.scope.is_module_body:
        body = model.frame_of(module.body)
        return join(model.evaluate(value, body) for value, _ in bound)
    full = module.imported_names.get(node.id, "")
    if full and not bound and model.project.find_module(full) is not None:
        return frozenset((ModuleValue(full),))
    return read_imported(model, full)
