"""What the files of a project hold, as values: their functions, classes and variables."""

import ast

from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    ClassValue,
    Evaluating,
    Frame,
    FunctionValue,
    ModuleValue,
    TupleValue,
    Values,
    join,
)

_MAX_DYNAMIC, _MAX_NAMES = 16, 60
"""Functions and classes of a file of which one may be meant by a name that is not seen."""


def read_imported(model: Evaluating, full: str, near: Module | None = None) -> Values:
    """``from data import loader``: a variable of another module."""
    head, _, last = full.rpartition(".")
    there = model.project.find_module(head, near) if head else None
    if there is None:
        return UNKNOWN
    body = model.frame_of(there.body)
    return join(model.evaluate(value, body) for value, _ in there.body.bindings.get(last, ()))


def read_module(model: Evaluating, value: ModuleValue, name: str) -> Values:
    """A function or class of a file, or what a variable of it is given."""
    if name == "__dict__":
        return frozenset((value,))
    found = model.project.find_by_name(f"{value.name}.{name}")
    if isinstance(found, CodeScope):
        return frozenset((FunctionValue(found),))
    if found is not None:
        return frozenset((ClassValue(found),))
    return read_imported(model, f"{value.name}.{name}") or _read_part(model, value, name)


def _read_part(model: Evaluating, value: ModuleValue, name: str) -> Values:
    """``models.resnet``: a file of a package, itself or imported there."""
    package = model.project.find_module(value.name)
    full = package.imported_names.get(name, "") if package is not None else ""
    for one in (f"{value.name}.{name}", full):
        there = model.project.find_module(one, package) if one else None
        if there is not None:
            return frozenset((ModuleValue(there.name),))
    return UNKNOWN


def any_of_module(model: Evaluating, value: ModuleValue) -> Values:
    """``getattr(metrics, name)``: any function or class of the file, if these are few."""
    module = model.project.find_module(value.name)
    if module is None or len(module.functions) + len(module.classes) > _MAX_DYNAMIC:
        return UNKNOWN
    if not (module.functions or module.classes):
        return _any_imported(model, module)
    functions = frozenset(FunctionValue(one) for one in module.functions.values())
    return functions | frozenset(ClassValue(one) for one in module.classes.values())


def _any_imported(model: Evaluating, module: Module) -> Values:
    """What a file that only gathers others, as ``__init__.py`` does, may hand out."""
    names = [f"{module.name}.{name}" for name in module.imported_names]
    for star in module.star_imports:
        there = model.project.find_module(star, module)
        names += (
            [f"{there.name}.{one}" for one in (*there.functions, *there.classes)] if there else []
        )
    if len(names) > _MAX_NAMES:
        return UNKNOWN
    found = {one for name in names if (one := model.project.find_by_name(name, module))}
    return frozenset(
        FunctionValue(one) if isinstance(one, CodeScope) else ClassValue(one)
        for one in found
        if len(found) <= _MAX_DYNAMIC
    )


def list_module_items(model: Evaluating, value: ModuleValue, method: str) -> Values:
    """``vars(models).items()``: the names of a file with what they mean, or only that."""
    held = any_of_module(model, value)
    pair = frozenset((TupleValue((UNKNOWN, held)),))
    return frozenset((TupleValue((held if method == "values" else pair,)),))


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
    there = model.project.find_module(full, module) if full and not bound else None
    if there is not None:
        return frozenset((ModuleValue(there.name),))
    return read_imported(model, full, module)
