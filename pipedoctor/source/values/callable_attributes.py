"""
Names of attributes by which code of the project may be called.

``x.view(-1)`` enters nothing where no class, file, object or dictionary of the project has
anything of the name ``view``: then what `x` is need not be asked, which costs the most.
"""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.scope import ClassDefinition, Module
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.attributes import AttributeReader
from pipedoctor.source.values.library import NAMESPACES

_OF_LOADERS = frozenset(
    ("dataset", "sampler", "batch_sampler", "collate_fn", "worker_init_fn", "generator")
)
_NAMESPACES = frozenset(full.rpartition(".")[2] for full in NAMESPACES) - {"dict", "OrderedDict"}
"""What has its keyword arguments as attributes; of dictionaries these are methods only."""
_NEVER_CALLED = frozenset(
    (
        *(ast.Constant, ast.JoinedStr, ast.Compare, ast.BinOp, ast.UnaryOp),
        *(ast.Tuple, ast.List, ast.Set, ast.Dict),
        *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    )
)
"""Expressions whose values no call enters."""


def list_callable_attributes(project: Project, attributes: AttributeReader) -> frozenset[str]:
    """All names that an attribute needs to have for a call of it to enter the project."""
    found = set(list_declared_attributes(project, attributes))
    for key, stores in attributes.stores_on_self.items():
        if any(type(value) not in _NEVER_CALLED for value, _ in stores):
            found.add(key)
    return frozenset(found)


def list_declared_attributes(project: Project, attributes: AttributeReader) -> frozenset[str]:
    """Those among them that are more than what methods assign to ``self``."""
    found = {*_OF_LOADERS, *attributes.attribute_stores}
    for cls in project.classes:
        found.update(_names_in_class(cls))
    for module in project.modules:
        found.update(module.functions, module.classes, module.imported_names)
        for key, values in module.body.bindings.items():
            if any(type(value) not in _NEVER_CALLED for value, _ in values):
                found.add(key)
        found.update(_names_of_fields(module))
        if not _NAMESPACES.isdisjoint(module.called_names):
            found.update(_names_in_namespaces(module))
    return frozenset(found)


def _names_in_class(cls: ClassDefinition) -> Iterator[str]:
    yield from cls.methods
    yield from cls.class_attributes
    for one in cls.node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id


def _names_in_namespaces(module: Module) -> Iterator[str]:
    """``Munch(loss=f)``, ``EasyDict({"loss": f})``, ``options["loss"] = f``."""
    for name in _NAMESPACES:
        for _, step in module.find_calls(name):
            words = step.node.keywords if isinstance(step.node, ast.Call) else ()
            yield from (word.arg for word in words if word.arg is not None)
    keys = [key for node in find_nodes(module.file.tree, (ast.Dict,)) for key in node.keys]
    stores = (one for scope in module.scopes for one in scope.item_stores.values())
    keys += [index for stored in stores for index, _ in stored]
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _names_of_fields(module: Module) -> Iterator[str]:
    """``namedtuple("Task", "loss metric")``."""
    for _, step in module.find_calls("namedtuple"):
        for one in find_nodes(step.node, (ast.Constant,)):
            if isinstance(one.value, str):
                yield from one.value.replace(",", " ").split()
