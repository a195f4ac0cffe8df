"""All files together: what names mean, and who calls what."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from pipedoctor.source.resolve.call_fit import (
    CallShape,
    MethodFit,
    describe_call,
    is_torch_module_method,
)
from pipedoctor.source.resolve.call_index import CallIndex, CallSite
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, is_self_expression, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope, Module


class FactoryCall(NamedTuple):
    """``self.made(self)``, ``made(config)``: a call of a class that somebody was given."""

    factory: ClassDefinition | None
    """Of the object that it was given, if it was one, and no function."""
    construction: CallSite
    """``Later(Trainer)``, ``make(Trainer)``: where it was given."""
    call: CallSite


class Project(CallIndex):
    """The modules of a project: their definitions, and the calls of these."""

    def __init__(self, modules: Iterable[Module]) -> None:
        super().__init__(modules)
        self._known_partials: dict[CodeScope, list[CallSite]] = {}
        self._known_callers: dict[CodeScope, list[CallSite]] = {}
        self._known_shapes: dict[str, list[CallShape]] = {}
        self._imported_modules: dict[int, list[Module]] = {}

    @cached_property
    def _super_constructions(self) -> dict[CodeScope, list[CallSite]]:
        """``super().__init__(rows)``, by the constructor that it means."""
        found: dict[CodeScope, list[CallSite]] = {}
        for cls in self.classes:
            above = (one.methods.get("__init__") for one in self.find_bases(cls)[0][1:])
            meant = next((one for one in above if one is not None), None)
            own = cls.methods.get("__init__") if meant is not None else None
            for step in own.find_calls("__init__") if own is not None else ():
                node = step.node
                if isinstance(node, ast.Call) and own and meant:
                    if isinstance(node.func, ast.Attribute) and is_self_expression(node.func.value):
                        found.setdefault(meant, []).append(CallSite(own, step, node))
        return found

    @cached_property
    def _derived_names(self) -> dict[ClassDefinition, list[str]]:
        """The names of the classes below each class, which may be made by its constructor."""
        found: dict[ClassDefinition, list[str]] = {}
        for cls in self.classes:
            for base in self.find_bases(cls)[0][1:]:
                if cls.name != base.name and cls.name not in found.setdefault(base, []):
                    found[base].append(cls.name)
        return found

    def find_imported_modules(self, module: Module) -> list[Module]:
        """The files of the project that one of them imports; looked up once."""
        known = self._imported_modules.get(id(module))
        if known is None:
            names = {*module.imported_names.values(), *module.star_imports}
            names |= {name.rpartition(".")[0] for name in names}
            every = (self.find_module(name, module) for name in names if name)
            known = self._imported_modules[id(module)] = [one for one in every if one]
        return known

    @cached_property
    def imported_full_names(self) -> frozenset[str]:
        """All that any of its files imports, by full names."""
        return frozenset(name for module in self.modules for name in module.imported_names.values())

    @cached_property
    def classes_by_method(self) -> dict[str, list[ClassDefinition]]:
        """The classes that have a method of their own by a name."""
        found: dict[str, list[ClassDefinition]] = {}
        for cls in self.classes:
            for name in cls.methods:
                found.setdefault(name, []).append(cls)
        return found

    @cached_property
    def imported_libraries(self) -> frozenset[str]:
        """The first parts of all names that any of its files imports."""
        return frozenset(name.partition(".")[0] for name in self.imported_full_names)

    @cached_property
    def _other_names(self) -> dict[str, set[str]]:
        """What imports call something: ``train`` of ``import train_epoch as train``."""
        found: dict[str, set[str]] = {}
        for module in self.modules:
            for local, full in module.imported_names.items():
                last = full.rpartition(".")[2]
                if last != local:
                    found.setdefault(last, set()).add(local)
        return found

    def find_callers(self, scope: CodeScope) -> list[CallSite]:
        """The calls of a function or method, as far as its name tells."""
        known = self._known_callers.get(scope)
        if known is None:
            known = self._known_callers[scope] = self._collect_callers(scope)
        return known

    def _collect_callers(self, scope: CodeScope) -> list[CallSite]:
        last, owner = scope.name.rpartition(".")[2], scope.owner
        names = [last]
        if owner is not None and last == "__init__":
            last, names = owner.name, [owner.name, *self._derived_names.get(owner, ())]
        if owner is None or last == owner.name:
            names += sorted(other for name in names for other in self._other_names.get(name, ()))
        if owner is None:
            sites = (site for name in names for site in self.find_call_sites(name))
            every = (*sites, *self.calls_through_tables.get(last, ()))
            found = [site for site in every if self._is_call_of_function(site, scope)]
        else:
            fit = MethodFit(scope)
            pairs = (
                pair
                for name in names
                for pair in zip(self.find_call_sites(name), self._find_shapes(name), strict=True)
            )
            found = [s for s, shape in pairs if self._is_call_of_method(s, shape, scope, fit)]
        return found + self._super_constructions.get(scope, [])

    def find_partials(self, scope: CodeScope) -> list[CallSite]:
        """``functools.partial(function, 3)``, as the call ``function(3)`` that it is a part of."""
        if scope.owner is not None or isinstance(scope.node, ast.Module):
            return []
        known = self._known_partials.get(scope)
        if known is not None:
            return known
        found = self._known_partials[scope] = list[CallSite]()
        for site in self.partials_by_name.get(scope.name, ()):
            first, *rest = site.node.args
            call = ast.copy_location(ast.Call(first, rest, site.node.keywords), site.node)
            if self._is_call_of_function(part := CallSite(site.scope, site.step, call), scope):
                found.append(part)
        return found

    @cached_property
    def factory_calls(self) -> dict[CodeScope, list[FactoryCall]]:
        """Calls of classes by those that were given them, by the constructor they enter."""
        found: dict[CodeScope, list[FactoryCall]] = {}
        for taker, name, call in self._calls_of_given:
            cls = taker.owner
            place = taker.given_names.index(name)
            for site in self.find_call_sites(cls.name) if cls else self.find_callers(taker):
                given = find_call_argument(site.node, name, place)
                made = self.find_definition(given, site.scope.module) if given else None
                if isinstance(made, ClassDefinition):
                    init = self.find_method(made, "__init__")
                    if init is not None:
                        found.setdefault(init, []).append(FactoryCall(cls, site, call))
        return found

    @cached_property
    def _calls_of_given(self) -> list[tuple[CodeScope, str, CallSite]]:
        """Where a function, or an object, calls what it was given, and by which parameter."""
        functions = (one for module in self.modules for one in module.functions.values())
        found = [
            (scope, name, call)
            for scope in functions
            for name in scope.given_names
            for call in _list_calls(scope, name)
        ]
        for init in [one.methods["__init__"] for one in self.classes if "__init__" in one.methods]:
            kept = {
                key: value.id
                for key, values in init.bindings.items()
                for value, _ in values
                if key.startswith("self.") and isinstance(value, ast.Name)
                if value.id in init.given_names
            }
            for method in init.owner.methods.values() if kept and init.owner else ():
                for key, name in kept.items():
                    found += [(init, name, call) for call in _list_calls(method, key)]
        return found

    def _find_shapes(self, last: str) -> list[CallShape]:
        """What the calls of a name give, in their order."""
        known = self._known_shapes.get(last)
        if known is None:
            known = [describe_call(site.node) for site in self.find_call_sites(last)]
            self._known_shapes[last] = known
        return known

    def _is_call_of_function(self, site: CallSite, scope: CodeScope) -> bool:
        full = self.full_name_of(site.node.func, site.scope.module)
        return bool(full) and self.find_by_name(full, site.scope.module) is scope

    def _is_call_of_method(
        self, site: CallSite, shape: CallShape, scope: CodeScope, fit: MethodFit
    ) -> bool:
        if shape.on_self:
            return self._is_own_method(site, scope)
        if scope.name.endswith(".__init__"):
            found = self.find_definition(site.node.func, site.scope.module)
            return (
                isinstance(found, ClassDefinition) and self.find_method(found, "__init__") is scope
            )
        if not shape.positional and is_torch_module_method(site.node):
            return self._is_on_local_instance(site, scope)
        fits = shape.on_attribute and fit.accepts(shape)
        return fits and not self._is_on_another_class(site, scope)

    def _is_on_another_class(self, site: CallSite, scope: CodeScope) -> bool:
        """Is it called on what this function has made of a class that has another method so?"""
        func = site.node.func
        on = func.value if isinstance(func, ast.Attribute) else func
        key = on.id if isinstance(on, ast.Name) else ""
        given = site.scope.bindings.get(key, ()) if key else ()
        if not given or any(one.arg == key for one in site.scope.parameters):
            return False
        name = scope.name.rpartition(".")[2]
        return all(self._makes_another(value, step, site, scope, name) for value, step in given)

    def _makes_another(
        self, value: ast.expr, step: CodeStep, site: CallSite, scope: CodeScope, name: str
    ) -> bool:
        """``value = Judge()``: is it of a class that has neither this method nor this one's?"""
        kept = isinstance(step.node, (ast.Assign, ast.AnnAssign)) and step.node.value is value
        if not (kept and isinstance(value, ast.Call)):
            return False
        made = self.find_definition(value.func, site.scope.module)
        if not isinstance(made, ClassDefinition) or scope.owner is None:
            return False
        above = self.find_bases(scope.owner)[0]
        return self.find_method(made, name) not in {scope, None} and made not in above

    def _is_own_method(self, site: CallSite, scope: CodeScope) -> bool:
        """Does ``self.name()`` of a class mean this method, its own or one that it inherits?"""
        mine, name = site.scope.owner, last_name(site.node.func)
        if mine is None or scope.owner is None:
            return False
        overrides = mine in self.find_bases(scope.owner)[0][1:]
        return overrides or self.find_method(mine, name) is scope

    def _is_on_local_instance(self, site: CallSite, scope: CodeScope) -> bool:
        """Is it called on what this function has made of the class itself?"""
        func = site.node.func
        on = func.value if isinstance(func, ast.Attribute) else func
        key = on.id if isinstance(on, ast.Name) else ""
        return any(
            isinstance(value, ast.Call)
            and isinstance(
                made := self.find_definition(value.func, site.scope.module),
                ClassDefinition,
            )
            and self.find_method(made, scope.name.rpartition(".")[2]) is scope
            for value, _ in site.scope.bindings.get(key, [])
        )


def _list_calls(scope: CodeScope, key: str) -> Iterator[CallSite]:
    """The calls of a variable in a function."""
    for step in scope.find_calls(key.rpartition(".")[2]):
        node = step.node
        if isinstance(node, ast.Call) and binding_key(node.func) == key:
            yield CallSite(scope, step, node)
