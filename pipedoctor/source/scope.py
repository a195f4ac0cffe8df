"""The parts of a file: classes, functions, and what is bound in them."""

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from pipedoctor.source.around import FunctionNode, Step
from pipedoctor.source.parse import Text
from pipedoctor.source.walk import nodes

_MASK, _INNER = 0b11000000, 0b10000000
"""Bytes of UTF-8 that begin no character."""
Place: TypeAlias = tuple[int, int]
"""Where a call stands: the number of its function, and its own among those there."""


@dataclass(eq=False)
class Scope:
    """A function, a method, or the body of a module."""

    module: "Module"
    name: str
    """Within the module: ``Dataset.__getitem__``, ``main``, ``<module>``."""
    node: FunctionNode | ast.Module
    owner: "Class | None" = None
    number: int = 0
    """Its place in `Module.scopes`."""
    steps: list[Step] = field(default_factory=list[Step])
    local: dict[str, FunctionNode] = field(default_factory=dict[str, FunctionNode])
    of_type: dict[type[ast.AST], list[Step]] = field(
        default_factory=dict[type[ast.AST], list[Step]]
    )
    bound: dict[str, list[tuple[ast.expr, Step]]] = field(
        default_factory=dict[str, list[tuple[ast.expr, Step]]]
    )
    """What is assigned to each name here, in order: ``x`` and ``self.x``."""

    in_place: set[str] | None = None
    """Names whose tensors are written to, once somebody has looked."""

    @property
    def calls(self) -> list[Step]:
        """All its calls."""
        return self.of_type.get(ast.Call, [])

    def calling(self, last: str) -> Sequence[Step]:
        """Those by the last part of what is called."""
        return self.module.by_function(last).get(self.number, ())

    @cached_property
    def within(self) -> Mapping[int, list[Step]]:
        """The steps in each of its loops, by the identity of the loop."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            for loop in step.around.loops:
                found.setdefault(id(loop), []).append(step)
        return found

    @cached_property
    def attributes(self) -> list[ast.Attribute]:
        """All its attributes, read and written."""
        return nodes(self.node, (ast.Attribute,))

    @cached_property
    def loads(self) -> list[ast.Name]:
        """All names that it reads."""
        return [n for n in nodes(self.node, (ast.Name,)) if isinstance(n.ctx, ast.Load)]

    @property
    def full(self) -> str:
        """``package.module.Class.method``."""
        return f"{self.module.name}.{self.name}"

    @property
    def parameters(self) -> list[ast.arg]:
        """Those that a position can fill, in order; ``self`` among them."""
        if isinstance(self.node, ast.Module):
            return []
        return [*self.node.args.posonlyargs, *self.node.args.args]

    @property
    def at_top(self) -> bool:
        """Is it the body of the module?"""
        return isinstance(self.node, ast.Module)


@dataclass(eq=False)
class Class:
    """A class of the project."""

    module: "Module"
    name: str
    node: ast.ClassDef
    methods: dict[str, Scope] = field(default_factory=dict[str, Scope])
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    @property
    def full(self) -> str:
        """``package.module.Class``."""
        return f"{self.module.name}.{self.name}"


@dataclass(eq=False)
class Module:
    """One file, taken apart."""

    path: str
    name: str
    """Dotted, by its folders: as far as anybody may import it."""
    package: str
    text: Text
    scopes: list[Scope] = field(default_factory=list[Scope])
    functions: dict[str, Scope] = field(default_factory=dict[str, Scope])
    classes: dict[str, Class] = field(default_factory=dict[str, Class])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """What imports bind: local name to full name."""
    stars: list[str] = field(default_factory=list[str])
    called: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    """
    All calls by what is called: ``torch.zeros``; ``.cuda`` of what is no name.

    Most questions concern few calls: the others need not be looked at, nor their
    nodes be fetched from memory again.
    """
    full: dict[str, str] = field(default_factory=dict[str, str])
    """Of names as they are written here: where they come from, once it is known."""
    wide: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Of lines that somebody asked for: the bytes that begin no character."""
    body: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.body = Scope(self, "<module>", self.text.tree)
        self.scopes.append(self.body)

    def steps(self, places: Iterable[Place]) -> Iterator[tuple[Scope, Step]]:
        """The calls at some places, in the order of functions and their text."""
        for number, index in sorted(places):
            scope = self.scopes[number]
            yield scope, scope.of_type[ast.Call][index]

    def calling(self, last: str) -> Iterator[tuple[Scope, Step]]:
        """Calls by the last part of what is called."""
        return self.steps(self._by_last.get(last, ()))

    def by_function(self, last: str) -> Mapping[int, list[Step]]:
        """The same by the number of the function that they stand in."""
        known = self._of_function.get(last)
        if known is None:
            known = self._of_function[last] = {}
            for scope, step in self.calling(last):
                known.setdefault(scope.number, []).append(step)
        return known

    @cached_property
    def _of_function(self) -> dict[str, dict[int, list[Step]]]:
        return {}

    @cached_property
    def _by_last(self) -> Mapping[str, list[Place]]:
        found: dict[str, list[Place]] = {}
        for name, places in self.called.items():
            found.setdefault(name.rpartition(".")[2], []).extend(places)
        return found

    def characters(self, line: int, offset: int) -> int:
        """Of the bytes up to an offset, for those count in a syntax tree."""
        inner = self.wide.get(line)
        if inner is None:
            lines = self.text.lines
            raw = lines[line - 1] if 0 < line <= len(lines) else b""
            wide = b"" if raw.isascii() else raw
            inner = [n for n, byte in enumerate(wide) if byte & _MASK == _INNER]
            self.wide[line] = inner
        return offset - bisect_left(inner, offset)

    def forget(self) -> None:
        """Let go of the syntax tree now: a circle would wait for the collector."""
        for scope in self.scopes:
            vars(scope).clear()
        vars(self).clear()


def key_of(node: ast.expr) -> str:
    """``x`` or ``self.x``; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return ""
