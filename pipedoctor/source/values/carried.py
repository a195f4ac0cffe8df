"""What attributes and items of objects stand for: ``cfg.workers``, ``options["workers"]``."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.source.resolve.arguments import CarriedExpression
from pipedoctor.source.resolve.container_contents import values_put_into
from pipedoctor.source.resolve.imported_variables import find_global
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.containers import written_items
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.lattice import (
    ClassValue,
    ContainerValue,
    InstanceValue,
    ModuleValue,
    Value,
)

_MAX_OWNERS, _MAX_CONSTRUCTIONS = 3, 6
_FIELD_FUNCTIONS = frozenset(("field", "Field", "attrib", "ib"))


def _is_made_in_test(value: Value) -> bool:
    """Is it an object or a namespace that only a test makes?"""
    frame = value.frame if isinstance(value, (InstanceValue, ContainerValue)) else None
    return frame is not None and frame.scope.module.is_test


class CarriedValues:
    """Follows attributes and items to the expressions that give them their values."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self._parameters: dict[tuple[int, str], ast.Name] = {}
        """Parameters that Lightning keeps, by the identity of their function."""

    def find(self, node: ast.expr, scope: CodeScope) -> Sequence[CarriedExpression]:
        """All expressions that an attribute or item may be; none where some is not seen."""
        name = _accessed_name(node)
        if name is None or not isinstance(node, (ast.Attribute, ast.Subscript)):
            return ()
        if isinstance(node.value, ast.Attribute) and node.value.attr == "hparams":
            return list(self._hyperparameters(node.value.value, name, scope))
        owners = self.evaluator.evaluate(node.value, self.evaluator.frame_of(scope))
        if not scope.module.is_test:
            owners = frozenset(one for one in owners if not _is_made_in_test(one))
        if not 0 < len(owners) <= _MAX_OWNERS:
            return ()
        found: list[CarriedExpression] = []
        for owner in owners:
            parts = list(self._sources(owner, name))
            if not parts:
                return ()
            found += parts
        return found

    def _hyperparameters(
        self, node: ast.expr, name: str, scope: CodeScope
    ) -> Iterator[CarriedExpression]:
        """``self.hparams.workers`` of Lightning: what ``save_hyperparameters()`` was given."""
        for owner in self.evaluator.evaluate(node, self.evaluator.frame_of(scope)):
            init = (
                self.project.find_method(owner.cls, "__init__")
                if isinstance(owner, InstanceValue)
                else None
            )
            if init is None or not isinstance(owner, InstanceValue):
                continue
            if any(init.find_calls("save_hyperparameters")) and init.has_parameter(name):
                key = (id(init), name)
                value = self._parameters.setdefault(key, ast.Name(name, ast.Load()))
                yield self._given_to_constructor(owner, init, ast.copy_location(value, init.node))

    def list_fields(self, node: ast.expr, scope: CodeScope) -> Sequence[str]:
        """The fields of a dataclass, a named tuple or a namespace; none where some are not seen."""
        owners = self.evaluator.evaluate(node, self.evaluator.frame_of(scope))
        ways = {tuple(self._fields_of(one)) for one in owners}
        return next(iter(ways)) if len(ways) == 1 else ()

    def _fields_of(self, owner: Value) -> Iterator[str]:
        if isinstance(owner, InstanceValue):
            yield from self.evaluator.attributes.fields_of(owner.cls)
        elif isinstance(owner, ContainerValue) and isinstance(owner.node, ast.Call):
            if not (owner.node.args or _has_stars(owner.node)):
                yield from (word.arg for word in owner.node.keywords if word.arg)

    def _sources(self, owner: Value, name: str) -> Iterator[CarriedExpression]:
        if isinstance(owner, InstanceValue):
            yield from self._attribute_sources(owner, name)
        elif isinstance(owner, ClassValue):
            yield from self._class_attribute(owner.cls, name, default=False)
        elif isinstance(owner, ContainerValue):
            scope = owner.frame.scope
            for one in written_items(owner.node, scope, name):
                yield CarriedExpression(one, scope)
            for key in scope.names_by_value.get(id(owner.node), ()):
                for one in values_put_into(scope, key, name):
                    yield CarriedExpression(one, scope)
        elif isinstance(owner, ModuleValue):
            yield from self._module_variable(owner, name)

    def _module_variable(self, owner: ModuleValue, name: str) -> Iterator[CarriedExpression]:
        """``config.WORKERS``: as the file has it, and as others set it."""
        module = self.project.find_module(owner.name)
        if module is None:
            return
        yield from (CarriedExpression(*one) for one in find_global(self.project, name, module))
        for base, value, scope in self.evaluator.attributes.attribute_stores.get(name, ()):
            if owner in self.evaluator.evaluate(base, self.evaluator.frame_of(scope)):
                yield CarriedExpression(value, scope)

    def _attribute_sources(self, owner: InstanceValue, name: str) -> Iterator[CarriedExpression]:
        yield from self._stored_elsewhere(owner, name)
        if name in self.evaluator.attributes.fields_of(owner.cls):
            yield from self._field(owner, name)
            return
        assigned = False
        for cls in self.project.find_bases(owner.cls)[0]:
            for method in cls.methods.values():
                for value, _ in method.bindings.get(f"self.{name}", ()):
                    assigned = True
                    yield self._given_to_constructor(owner, method, value)
        if not assigned and self._sets_whatever_is_given(owner.cls):
            yield from self._given_by_keyword(owner, name)
        elif not assigned:
            yield from self._class_attribute(owner.cls, name, default=owner.call is None)

    def _sets_whatever_is_given(self, cls: ClassDefinition) -> bool:
        """``for name, value in kwargs.items(): setattr(self, name, value)``, ``__getattr__``."""
        init = self.project.find_method(cls, "__init__")
        if init is None or isinstance(init.node, ast.Module) or init.node.args.kwarg is None:
            return False
        whole = any(one.attr == "__dict__" for one in init.attribute_nodes)
        whole = whole or self.project.find_method(cls, "__getattr__") is not None
        return whole or any(
            isinstance(step.node, ast.Call)
            and len(step.node.args) > 1
            and not isinstance(step.node.args[1], ast.Constant)
            for step in init.find_calls("setattr")
        )

    def _given_by_keyword(self, owner: InstanceValue, name: str) -> Sequence[CarriedExpression]:
        """By each call that may have made it; what none gives is as the class has it."""
        made = [(owner.call, owner.frame.scope)] if owner.call and owner.frame else []
        if not made:
            sites = self.project.find_call_sites(owner.cls.name)[:_MAX_CONSTRUCTIONS]
            made = [(site.node, site.scope) for site in sites]
        found: list[CarriedExpression] = []
        for call, scope in made:
            given = find_call_argument(call, name, -1)
            if given is not None:
                found.append(CarriedExpression(given, scope))
            elif _has_stars(call):
                return ()
            else:
                found += self._class_attribute(owner.cls, name, default=True)
        return found

    def _field(self, owner: InstanceValue, name: str) -> Iterator[CarriedExpression]:
        """A field of a dataclass: as the call gives it, as some call gives it, its default."""
        position = list(self.evaluator.attributes.fields_of(owner.cls)).index(name)
        if owner.call is not None and owner.frame is not None:
            given = find_call_argument(owner.call, name, position)
            if given is not None:
                yield CarriedExpression(given, owner.frame.scope)
            elif not _has_stars(owner.call):
                yield from self._class_attribute(owner.cls, name, default=False)
            return
        for site in self.project.find_call_sites(owner.cls.name)[:_MAX_CONSTRUCTIONS]:
            given = find_call_argument(site.node, name, position)
            if given is not None:
                yield CarriedExpression(given, site.scope)
        yield from self._class_attribute(owner.cls, name, default=True)

    def _class_attribute(
        self, cls: ClassDefinition, name: str, *, default: bool
    ) -> Iterator[CarriedExpression]:
        for one in self.project.find_bases(cls)[0]:
            value = one.class_attributes.get(name)
            if value is not None:
                value = _unwrap_field(value)
                said = f"{one.name}.{name}" if default else ""
                if value is not None:
                    yield CarriedExpression(value, one.module.body, said)
                return

    def _given_to_constructor(
        self, owner: InstanceValue, method: CodeScope, value: ast.expr
    ) -> CarriedExpression:
        """``self.workers = workers``, by the call that made this object."""
        plain = CarriedExpression(value, method)
        own = self.project.find_method(owner.cls, "__init__")
        if owner.call is None or owner.frame is None or method is not own:
            return plain
        names = [one.arg for one in method.parameters]
        if not isinstance(value, ast.Name) or value.id in method.bindings:
            return plain
        position = names.index(value.id) - 1 if value.id in names else -1
        given = find_call_argument(owner.call, value.id, position)
        if given is not None:
            return CarriedExpression(given, owner.frame.scope)
        default = find_default(method.node, value.id)
        if default is None or _has_stars(owner.call):
            return plain
        return CarriedExpression(default, method)

    def _stored_elsewhere(self, owner: InstanceValue, name: str) -> Iterator[CarriedExpression]:
        """``cfg.workers = 4``, outside of the class."""
        for base, value, scope in self.evaluator.attributes.attribute_stores.get(name, ()):
            owners = self.evaluator.evaluate(base, self.evaluator.frame_of(scope))
            if any(isinstance(one, InstanceValue) and one.cls is owner.cls for one in owners):
                yield CarriedExpression(value, scope)


def _accessed_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    return None


def _has_stars(call: ast.Call) -> bool:
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or any(word.arg is None for word in call.keywords)


def _unwrap_field(node: ast.expr) -> ast.expr | None:
    """``field(default=4)``, ``Field(4)``: the default in it."""
    if not (isinstance(node, ast.Call) and last_name(node.func) in _FIELD_FUNCTIONS):
        return node
    words = {word.arg: word.value for word in node.keywords}
    return words.get("default", node.args[0] if node.args else None)
