"""Attributes of objects of the project: by what their methods and others assign."""

import ast
from collections.abc import Iterator
from functools import cached_property

from pipedoctor.source.resolve.definitions import find_inner_class
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.resolve.returned_values import is_abstract
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    ClassValue,
    Evaluating,
    Frame,
    FunctionValue,
    InstanceValue,
    Values,
    join,
)

_DATACLASS_DECORATORS = {"dataclass", "attrs", "define", "frozen", "s"}
_FIELD_BASES = {"NamedTuple", "BaseModel", "Struct"}
_PROPERTY_DECORATORS = {"property", "cached_property", "lazy_property"}
_MAX_STORES = 12


class AttributeReader:
    """Reads attributes of instances of the classes of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._stores_by_class: dict[
            ClassDefinition, dict[str, list[tuple[ast.expr, CodeScope]]]
        ] = {}

    def read(self, model: Evaluating, instance: InstanceValue, name: str) -> Values:
        """What an attribute of an object may be."""
        found: list[Values] = [self._read_field(model, instance, name)]
        ancestors = self.project.find_bases(instance.cls)[0]
        for cls in self._classes_of(instance):
            for value, method in self._stores_of(cls).get(name, ()):
                found.append(model.evaluate(value, self._frame_of(model, method, instance)))
            own = cls.methods.get(name)
            if own is not None:
                owner = instance if cls in ancestors else InstanceValue(cls)
                found.append(self._read_method(model, own, owner))
                if not is_abstract(own) and cls in ancestors:
                    break  # of what derives from it, each has its own
            if name in cls.class_attributes:
                found.append(
                    model.evaluate(cls.class_attributes[name], model.frame_of(cls.module.body))
                )
        joined = join(iter(found)) or join(self._read_stores(model, instance, name))
        if not joined:
            inner = (find_inner_class(cls, name) for cls in ancestors if name[:1].isupper())
            joined = frozenset(ClassValue(one) for one in inner if one is not None)
        if not joined and any("__getattr__" in cls.methods for cls in ancestors):
            return self.read_any_store(model, name)
        return joined

    def read_any_store(self, model: Evaluating, name: str) -> Values:
        """``state.options.loader = loader``: what anybody gives to an attribute of this name."""
        stores = self.attribute_stores.get(name, ())[:_MAX_STORES]
        return join(model.evaluate(value, model.frame_of(scope)) for _, value, scope in stores)

    def _stores_of(self, cls: ClassDefinition) -> dict[str, list[tuple[ast.expr, CodeScope]]]:
        """What the methods of a class give to each attribute of ``self``."""
        known = self._stores_by_class.get(cls)
        if known is None:
            known = self._stores_by_class[cls] = {}
            for method in cls.methods.values():
                for key, values in method.bindings.items():
                    if key.startswith("self."):
                        pairs = [(value, method) for value, _ in values[:_MAX_STORES]]
                        known.setdefault(key[5:], []).extend(pairs)
                for key, node in method.filled_names.items():
                    if key.startswith("self."):
                        known.setdefault(key[5:], []).append((node, method))
        return known

    def read_inherited(self, frame: Frame, name: str) -> Values:
        """``super().name``: a method of a class that the one of this function derives from."""
        mine, owner = frame.scope.owner, frame.owner
        for cls in self.project.find_bases(mine)[0][1:] if mine and owner else ():
            if owner is not None and name in cls.methods:
                return frozenset((FunctionValue(cls.methods[name], owner),))
        return UNKNOWN

    def _classes_of(self, instance: InstanceValue) -> list[ClassDefinition]:
        """Its class and what that derives from; of any object also what derives from it."""
        known = list(self.project.find_bases(instance.cls)[0])
        if instance.call is None:
            known += [c for c in self._subclasses.get(instance.cls.full_name, ()) if c not in known]
        return known

    def list_subclasses(self, cls: ClassDefinition) -> list[ClassDefinition]:
        """The classes of the project that derive from one."""
        return self._subclasses.get(cls.full_name, [])

    @cached_property
    def _subclasses(self) -> dict[str, list[ClassDefinition]]:
        found: dict[str, list[ClassDefinition]] = {}
        for cls in self.project.classes:
            for base in self.project.find_bases(cls)[0][1:]:
                found.setdefault(base.full_name, []).append(cls)
        return found

    def _frame_of(self, model: Evaluating, method: CodeScope, instance: InstanceValue) -> Frame:
        """Of ``__init__`` the call that made the object; of others any call."""
        if instance.call is not None and method is self.project.find_method(
            instance.cls, "__init__"
        ):
            return model.frame_of(method, instance, instance.call, instance.frame)
        return model.frame_of(method, instance)

    def _read_method(self, model: Evaluating, method: CodeScope, instance: InstanceValue) -> Values:
        decorators: list[ast.expr] = getattr(method.node, "decorator_list", [])
        if any(last_name(one) in _PROPERTY_DECORATORS for one in decorators):
            return model.call_method(instance, method.name.rpartition(".")[2])
        return frozenset((FunctionValue(method, instance),))

    def _read_field(self, model: Evaluating, instance: InstanceValue, name: str) -> Values:
        """A field of a dataclass, as the call gives it that made the object."""
        call, frame = instance.call, instance.frame
        if call is None or frame is None:
            return UNKNOWN
        fields = list(self.fields_of(instance.cls))
        if name not in fields:
            return UNKNOWN
        return model.evaluate(find_call_argument(call, name, fields.index(name)), frame)

    def fields_of(self, cls: ClassDefinition) -> Iterator[str]:
        """The fields of a dataclass, in the order of its constructor."""
        decorators = [d.func if isinstance(d, ast.Call) else d for d in cls.node.decorator_list]
        bases = {last_name(one) for one in cls.node.bases}
        if not (_FIELD_BASES & bases or {last_name(d) for d in decorators} & _DATACLASS_DECORATORS):
            return
        for one in reversed(self.project.find_bases(cls)[0]):
            for item in one.node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    yield item.target.id

    def _read_stores(
        self, model: Evaluating, instance: InstanceValue, name: str
    ) -> Iterator[Values]:
        """``trainer.loader = loader``, outside of the class."""
        for base, value, scope in self.attribute_stores.get(name, ())[:_MAX_STORES]:
            frame = model.frame_of(scope)
            owners = model.evaluate(base, frame)
            if any(isinstance(one, InstanceValue) and one.cls is instance.cls for one in owners):
                yield model.evaluate(value, frame)

    @cached_property
    def attribute_stores(self) -> dict[str, list[tuple[ast.expr, ast.expr, CodeScope]]]:
        """Assignments to attributes of what is not ``self``, by the attribute."""
        found: dict[str, list[tuple[ast.expr, ast.expr, CodeScope]]] = {}
        for scope in self.project.scopes:
            for target, given in scope.stores:
                for one, value in _pair_targets(target, given):
                    if isinstance(one, ast.Attribute) and not _is_self(one.value):
                        found.setdefault(one.attr, []).append((one.value, value, scope))
        return found

    @cached_property
    def stores_on_self(self) -> dict[str, list[tuple[ast.expr, CodeScope]]]:
        """What methods of any class give to each attribute of ``self``."""
        found: dict[str, list[tuple[ast.expr, CodeScope]]] = {}
        for cls in self.project.classes:
            for method in cls.methods.values():
                for key, values in method.bindings.items():
                    if key.startswith("self."):
                        pairs = [(value, method) for value, _ in values]
                        found.setdefault(key[5:], []).extend(pairs)
        return found


def _pair_targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) == len(value.elts):
            yield from zip(target.elts, value.elts, strict=True)
    elif not isinstance(target, ast.Tuple):
        yield target, value


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
