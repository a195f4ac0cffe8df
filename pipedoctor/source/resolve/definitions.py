"""Names across files: which module, function or class each means, and its bases."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import takewhile

from pipedoctor.source.resolve.class_names import find_class, shadows_its_base, stands_before
from pipedoctor.source.resolve.lazy_imports import find_lazy_import
from pipedoctor.source.resolve.loader_classes import STAR_IMPORTED_NAMES
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope, Module

_MAX_DEPTH = 12
"""Imports of imports, bases of bases: no project goes deeper."""


class DefinitionIndex:
    """Looks up functions, classes and their methods across the modules of a project."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self.modules = list(modules)
        self._modules_by_name: dict[str, list[Module]] = {}
        for module in self.modules:
            parts = module.name.split(".")
            for start in range(len(parts)):
                self._modules_by_name.setdefault(".".join(parts[start:]), []).append(module)
        for several in self._modules_by_name.values():
            several.sort(key=lambda one: one.name.count("."))  # first those that need no more
        self._nearest_modules: dict[tuple[str, str], Module] = {}
        self._known_bases: dict[ClassDefinition, tuple[list[ClassDefinition], list[str]]] = {}

    def modules_at(self, paths: Iterable[str]) -> list[Module]:
        """The files at some paths, in the order of the project."""
        numbers = sorted(self._numbers_by_path[path] for path in paths)
        return [self.modules[number] for number in numbers]

    @cached_property
    def _numbers_by_path(self) -> dict[str, int]:
        return {module.path: number for number, module in enumerate(self.modules)}

    def find_module(self, name: str, near: Module | None = None) -> Module | None:
        """The file behind a dotted name; of several the one nearest to `near`."""
        found = self._modules_by_name.get(name)
        if found is None:
            return None
        if len(found) == 1 or near is None:
            return found[0]
        known = self._nearest_modules.get((name, near.path))
        if known is None:
            known = max(found, key=lambda one: count_common_parts(one.path, near.path))
            self._nearest_modules[name, near.path] = known
        return known

    def find_by_name(
        self, full: str, near: Module | None = None, depth: int = _MAX_DEPTH
    ) -> CodeScope | ClassDefinition | None:
        """The function or class of the project behind a full name."""
        head, _, last = full.rpartition(".")
        if not head or not depth:
            return None
        module = self.find_module(head, near)
        if module is not None:
            found = module.classes.get(last) or module.functions.get(last)
            if found is not None:
                return found
            if last in module.imported_names and module.imported_names[last] != full:
                return self.find_by_name(module.imported_names[last], module, depth - 1)
            for star in module.star_imports:
                found = self.find_by_name(f"{star}.{last}", module, depth - 1)
                if found is not None:
                    return found
            return None
        owner = self.find_by_name(head, near, depth - 1)
        if not isinstance(owner, ClassDefinition):
            return None
        return self.find_method(owner, last) or find_inner_class(owner, last)

    def full_name_of(self, node: ast.expr, module: Module) -> str:
        """``torch.utils.data.DataLoader``, with imports undone; empty: no name."""
        rest = ""
        while isinstance(node, ast.Attribute):
            rest = f".{node.attr}{rest}"
            node = node.value
        return self.resolve_name(f"{node.id}{rest}", module) if isinstance(node, ast.Name) else ""

    def resolve_name(self, name: str, module: Module) -> str:
        """The same for a name as it is written: most are asked for often."""
        known = module.resolved_names.get(name)
        if known is None:
            known = module.resolved_names[name] = self._resolve_uncached(name, module)
        return known

    def _resolve_uncached(self, name: str, module: Module) -> str:
        first, dot, rest = name.partition(".")
        top = module.imported_names.get(first)
        own = module.classes.get(first)
        if top is None or (own is not None and shadows_its_base(own)):
            if own is not None or first in module.functions:
                top = f"{module.name}.{first}"
            elif module.star_imports:
                top = self._find_star_import(first, module)
            if top is None:
                top = find_lazy_import(first, module)
        return self._follow_reexports(f"{top}{dot}{rest}", module) if top is not None else ""

    def _follow_reexports(self, full: str, module: Module) -> str:
        """A name that another file of the project only passes on: where from."""
        for _ in range(_MAX_DEPTH):
            head, _, last = full.rpartition(".")
            there = self.find_module(head, module) if head else None
            if there is None:
                return full
            if last in there.classes or last in there.functions:
                return f"{there.name}.{last}"
            onward = there.imported_names.get(last) or self._find_star_import(last, there)
            if onward is None or onward == full:
                return full
            full, module = onward, there
        return full

    def _find_star_import(self, name: str, module: Module, depth: int = _MAX_DEPTH) -> str | None:
        """Through ``from layers import *``, of a file that itself may import so."""
        for star in module.star_imports if depth else ():
            if f"{star}.{name}" in STAR_IMPORTED_NAMES:
                return f"{star}.{name}"
            there = self.find_module(star, module)
            if there is not None and there is not module:
                if name in there.classes or name in there.functions:
                    return f"{there.name}.{name}"
                found = there.imported_names.get(name)
                found = found or self._find_star_import(name, there, depth - 1)
                if found is not None:
                    return found
        return None

    def find_definition(self, node: ast.expr, module: Module) -> CodeScope | ClassDefinition | None:
        """The function or class of the project that an expression names."""
        full = self.full_name_of(node, module)
        found = self.find_by_name(full, module) if full else None
        if isinstance(found, ClassDefinition) and found.module is module:
            return find_class(module, found.name, node.lineno)
        return found

    def find_bases(self, cls: ClassDefinition) -> tuple[list[ClassDefinition], list[str]]:
        """Its ancestors in the project, itself first; and the foreign ones by name."""
        known = self._known_bases.get(cls)
        if known is None:
            known = self._known_bases[cls] = self._collect_bases(cls)
        return known

    def _collect_bases(self, cls: ClassDefinition) -> tuple[list[ClassDefinition], list[str]]:
        known, foreign, queue = [cls], list[str](), [cls]
        while queue and len(known) < _MAX_DEPTH * 2:
            one = queue.pop(0)
            for base in one.node.bases:
                node = base.value if isinstance(base, ast.Subscript) else base
                found = self.find_definition(node, one.module)
                own_name = isinstance(node, ast.Name) and node.id == one.name
                if own_name and not stands_before(found, one):
                    foreign.append(one.module.imported_names.get(one.name, one.name))
                    continue
                if isinstance(found, ClassDefinition) and found not in known:
                    known.append(found)
                    queue.append(found)
                elif not isinstance(found, ClassDefinition):
                    full = self.full_name_of(node, one.module)
                    foreign.append(full or (node.id if isinstance(node, ast.Name) else ""))
        return known, foreign

    def find_method(self, cls: ClassDefinition, name: str) -> CodeScope | None:
        """A method, its own or inherited."""
        for one in self.find_bases(cls)[0]:
            if name in one.methods:
                return one.methods[name]
        return None

    def all_methods(self, cls: ClassDefinition) -> Iterator[CodeScope]:
        """All methods of a class, its own and inherited, each name once."""
        seen: set[str] = set()
        for one in self.find_bases(cls)[0]:
            for name, method in one.methods.items():
                if name not in seen:
                    seen.add(name)
                    yield method

    @property
    def scopes(self) -> Iterator[CodeScope]:
        """Every function of every file."""
        for module in self.modules:
            yield from module.scopes

    @property
    def classes(self) -> Iterator[ClassDefinition]:
        """Every class of every file."""
        for module in self.modules:
            yield from module.class_definitions


def count_common_parts(one: str, other: str) -> int:
    """How many folders two paths share from the top."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


def find_inner_class(owner: ClassDefinition, name: str) -> ClassDefinition | None:
    """``Model.Head``: a class that is written within another."""
    inside = {id(one) for one in owner.node.body}
    named = (one for one in owner.module.class_definitions if one.name == name)
    return next((one for one in named if id(one.node) in inside), None)
