"""All files together: who imports what, which class derives from which, who calls."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from pipedoctor.source.around import Step
from pipedoctor.source.scope import Class, Module, Scope

_DEEP = 12
"""Imports of imports, bases of bases: no project goes deeper."""


class CallSite(NamedTuple):
    """A call, and the function that it stands in."""

    scope: Scope
    step: Step
    node: ast.Call


class Project:
    """The modules of a project; looks names up across them."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self.modules = list(modules)
        self._by_name: dict[str, list[Module]] = {}
        for module in self.modules:
            parts = module.name.split(".")
            for start in range(len(parts)):
                self._by_name.setdefault(".".join(parts[start:]), []).append(module)
        self._callers: dict[Scope, list[CallSite]] = {}
        self._bases: dict[str, tuple[list[Class], list[str]]] = {}
        self._sites: dict[str, list[CallSite]] = {}

    def module(self, name: str, near: Module | None = None) -> Module | None:
        """The file behind a dotted name; of several the one nearest to `near`."""
        found = self._by_name.get(name, [])
        if len(found) <= 1 or near is None:
            return found[0] if found else None
        return max(found, key=lambda one: _shared(one.path, near.path))

    def lookup(
        self, full: str, near: Module | None = None, depth: int = _DEEP
    ) -> Scope | Class | None:
        """The function or class of the project behind a full name."""
        head, _, last = full.rpartition(".")
        if not head or not depth:
            return None
        module = self.module(head, near)
        if module is not None:
            found = module.classes.get(last) or module.functions.get(last)
            if found is not None:
                return found
            if last in module.names and module.names[last] != full:
                return self.lookup(module.names[last], module, depth - 1)
            for star in module.stars:
                found = self.lookup(f"{star}.{last}", module, depth - 1)
                if found is not None:
                    return found
            return None
        owner = self.lookup(head, near, depth - 1)
        return self.method(owner, last) if isinstance(owner, Class) else None

    def dotted(self, node: ast.expr, module: Module) -> str:
        """``torch.utils.data.DataLoader``, with imports undone; empty: no name."""
        rest = ""
        while isinstance(node, ast.Attribute):
            rest = f".{node.attr}{rest}"
            node = node.value
        return (
            self.full(f"{node.id}{rest}", module) if isinstance(node, ast.Name) else ""
        )

    def full(self, written: str, module: Module) -> str:
        """The same for a name as it is written: most are asked for often."""
        known = module.full.get(written)
        if known is None:
            known = module.full[written] = self._full(written, module)
        return known

    def _full(self, written: str, module: Module) -> str:
        first, dot, rest = written.partition(".")
        top = module.names.get(first)
        own = module.classes.get(first)
        if top is None or (own is not None and _hides(own)):
            if own is not None or first in module.functions:
                top = f"{module.name}.{first}"
            elif module.stars:
                top = self._by_star(first, module)
        return self._settled(f"{top}{dot}{rest}", module) if top is not None else ""

    def _settled(self, full: str, module: Module) -> str:
        """A name that another file of the project only passes on: where from."""
        for _ in range(_DEEP):
            head, _, last = full.rpartition(".")
            there = self.module(head, module) if head else None
            if there is None:
                return full
            if last in there.classes or last in there.functions:
                return f"{there.name}.{last}"
            onward = there.names.get(last) or self._by_star(last, there)
            if onward is None or onward == full:
                return full
            full, module = onward, there
        return full

    def _by_star(self, name: str, module: Module) -> str | None:
        for star in module.stars:
            if f"{star}.{name}" in STARRED:
                return f"{star}.{name}"
            there = self.module(star, module)
            if there is not None and there is not module:
                if name in there.classes or name in there.functions:
                    return f"{there.name}.{name}"
                if name in there.names:
                    return there.names[name]
        return None

    def found(self, node: ast.expr, module: Module) -> Scope | Class | None:
        """The function or class of the project that an expression names."""
        full = self.dotted(node, module)
        return self.lookup(full, module) if full else None

    def bases(self, cls: Class) -> tuple[list[Class], list[str]]:
        """Its ancestors in the project, itself first; and the foreign ones by name."""
        key = f"{cls.module.path}:{cls.name}"
        if key in self._bases:
            return self._bases[key]
        known, foreign, queue = [cls], list[str](), [cls]
        while queue and len(known) < _DEEP * 2:
            one = queue.pop(0)
            for base in one.node.bases:
                node = base.value if isinstance(base, ast.Subscript) else base
                if isinstance(node, ast.Name) and node.id == one.name:
                    foreign.append(one.module.names.get(node.id, node.id))
                    continue
                found = self.found(node, one.module)
                if isinstance(found, Class) and found not in known:
                    known.append(found)
                    queue.append(found)
                elif not isinstance(found, Class):
                    full = self.dotted(node, one.module)
                    foreign.append(
                        full or (node.id if isinstance(node, ast.Name) else "")
                    )
        self._bases[key] = known, foreign
        return self._bases[key]

    def method(self, cls: Class, name: str) -> Scope | None:
        """A method, its own or inherited."""
        for one in self.bases(cls)[0]:
            if name in one.methods:
                return one.methods[name]
        return None

    def methods(self, cls: Class) -> Iterator[Scope]:
        """All methods of a class, its own and inherited, each name once."""
        seen: set[str] = set()
        for one in self.bases(cls)[0]:
            for name, method in one.methods.items():
                if name not in seen:
                    seen.add(name)
                    yield method

    @property
    def scopes(self) -> Iterator[Scope]:
        """Every function of every file."""
        for module in self.modules:
            yield from module.scopes

    @property
    def classes(self) -> Iterator[Class]:
        """Every class of every file."""
        for module in self.modules:
            yield from module.classes.values()

    def sites(self, last: str) -> list[CallSite]:
        """Calls by the last part of the name that is called."""
        known = self._sites.get(last)
        if known is None:
            known = self._sites[last] = [
                CallSite(scope, step, step.node)
                for module in self._calling.get(last, ())
                for scope, step in module.calling(last)
                if isinstance(step.node, ast.Call)
            ]
        return known

    @cached_property
    def _calling(self) -> dict[str, list[Module]]:
        """The modules that call something of this name."""
        found: dict[str, list[Module]] = {}
        for module in self.modules:
            for last in {name.rpartition(".")[2] for name in module.called}:
                found.setdefault(last, []).append(module)
        return found

    def callers(self, scope: Scope) -> list[CallSite]:
        """The calls of a function or method, as far as its name tells."""
        known = self._callers.get(scope)
        if known is None:
            known = self._callers[scope] = self._called(scope)
        return known

    def _called(self, scope: Scope) -> list[CallSite]:
        last = scope.name.rpartition(".")[2]
        if scope.owner is not None and last == "__init__":
            last = scope.owner.name
        return [site for site in self.sites(last) if self._calls(site, scope)]

    def _calls(self, site: CallSite, scope: Scope) -> bool:
        func = site.node.func
        if scope.owner is None:
            full = self.dotted(func, site.scope.module)
            return bool(full) and self.lookup(full, site.scope.module) is scope
        if isinstance(func, ast.Attribute) and key_is_self(func.value):
            mine = site.scope.owner
            return mine is not None and self.method(mine, func.attr) is scope
        if scope.name.endswith(".__init__"):
            found = self.found(func, site.scope.module)
            return isinstance(found, Class) and self.method(found, "__init__") is scope
        if _of_any_module(site.node):
            return self._made_here(site, scope)
        return isinstance(func, ast.Attribute)

    def _made_here(self, site: CallSite, scope: Scope) -> bool:
        """Is it called on what this function has made of the class itself?"""
        func = site.node.func
        on = func.value if isinstance(func, ast.Attribute) else func
        key = on.id if isinstance(on, ast.Name) else ""
        return any(
            isinstance(value, ast.Call)
            and isinstance(made := self.found(value.func, site.scope.module), Class)
            and self.method(made, scope.name.rpartition(".")[2]) is scope
            for value, _ in site.scope.bound.get(key, [])
        )


def _hides(cls: Class) -> bool:
    """``class Dataset(Dataset)``: from then on the name means this one."""
    return any(
        isinstance(base, ast.Name) and base.id == cls.name for base in cls.node.bases
    )


def _of_any_module(call: ast.Call) -> bool:
    """``model.eval()``, ``model.train()``: what any module of torch has, too."""
    return last_name(call.func) in {"eval", "train"} and not (
        call.args or call.keywords
    )


def key_is_self(node: ast.expr) -> bool:
    """Is it ``self``, or ``cls``, or ``super()``?"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def last_name(node: ast.expr) -> str:
    """``c`` of ``a.b.c``; empty for what is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """What a call gives for a parameter."""
    for word in call.keywords:
        if word.arg == name:
            return word.value
    before = call.args[: position + 1]
    if any(isinstance(one, ast.Starred) for one in before):
        return None
    return call.args[position] if 0 <= position < len(call.args) else None


def _shared(one: str, other: str) -> int:
    mine, theirs = one.split("/"), other.split("/")
    count = 0
    for left, right in zip(mine, theirs, strict=False):
        if left != right:
            break
        count += 1
    return count


STARRED = {
    "torch.utils.data.DataLoader",
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.dataloader.DataLoader",
}
