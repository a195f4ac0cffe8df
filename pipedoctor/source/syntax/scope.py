"""The parts of a file: classes, functions, and what is bound in them."""

import ast
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from pipedoctor.source.syntax.context import CodeStep, FunctionNode
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.function_body import FunctionBody
from pipedoctor.source.syntax.parse import ParsedFile
from pipedoctor.source.syntax.walk import find_nodes

_UTF8_MASK, _UTF8_CONTINUATION = 0b11000000, 0b10000000
"""Bytes of UTF-8 that begin no character."""
CallPosition: TypeAlias = tuple[int, int]
"""Where a call stands: the number of its function, and its own among those there."""

_CACHING_DECORATORS = frozenset(("lru_cache", "cache", "cached_property"))
_FILLING_METHODS = ("append", "insert", "extend", "update")
_CONTAINERS = (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Tuple, ast.Set)


def _is_key(index: ast.expr, key: str) -> bool:
    """``fields["view"]``, ``self.fields[name]``: of a dictionary, not of an array."""
    if isinstance(index, ast.Constant):
        return isinstance(index.value, str)
    return isinstance(index, ast.Name) and key.startswith("self.")


def _constructs(node: ast.expr) -> bool:
    """Is it a lambda, or a call of what is named like a class or a maker of objects?"""
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    makes = name[:1].isupper() or name.startswith(_MAKERS)
    return makes or isinstance(node, ast.Lambda)


_MAKERS = ("get_", "make_", "build_", "create_")


@dataclass(eq=False)
class CodeScope(FunctionBody):
    """A function, a method, or the body of a module."""

    module: "Module"
    name: str
    """Within the module: ``Dataset.__getitem__``, ``main``, ``<module>``."""
    owner: "ClassDefinition | None" = None
    number: int = 0
    """Its place in `Module.scopes`."""
    parent: "CodeScope | None" = None
    """Of a function within a function: that one, whose steps its own are among."""
    modified_in_place: set[str] | None = None
    """Names whose tensors are written to, once somebody has looked."""

    def find_calls(self, last: str) -> Sequence[CodeStep]:
        """Those by the last part of what is called."""
        found = self.module.calls_by_function(last).get(self.number, ())
        return found if self.parent is None else [s for s in found if _is_part(s.node, self.node)]

    @cached_property
    def filling_calls(self) -> Mapping[str, list[tuple[str, ast.Call]]]:
        """``steps.append(x)``: methods that put something into a variable, by the variable."""
        found: dict[str, list[tuple[str, ast.Call]]] = {}
        for method in _FILLING_METHODS:
            for step in self.find_calls(method):
                call = step.node
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    key = binding_key(call.func.value)
                    if key:
                        found.setdefault(key, []).append((method, call))
        return found

    @cached_property
    def filled_names(self) -> Mapping[str, ast.Dict | ast.List]:
        """
        Variables in which objects are put here, though what they hold is made elsewhere.

        Each with an empty container, which stands for what is put in here.
        """
        found: dict[str, ast.Dict | ast.List] = {}
        for key, calls in self.filling_calls.items():
            added = (one for method, call in calls for one in call.args[method == "insert" :])
            if any(map(self._makes_object, added)):
                self._note_filled(found, key, calls[0][1], ast.List([], ast.Load()))
        for key, stored in self.item_stores.items():
            for index, value in stored if key else ():
                if _is_key(index, key) and self._makes_object(value):
                    self._note_filled(found, key, value, ast.Dict([], []))
        return found

    def _note_filled(
        self,
        found: dict[str, ast.Dict | ast.List],
        key: str,
        place: ast.expr,
        node: ast.Dict | ast.List,
    ) -> None:
        bound = [value for value, _ in self.bindings.get(key, ())]
        if key not in found and not any(isinstance(x, _CONTAINERS) for x in bound):
            found[key] = ast.copy_location(node, place)

    def _makes_object(self, node: ast.expr) -> bool:
        """``Flip()``, ``[Flip()]``, a lambda, or a variable that holds one of these."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return any(map(self._makes_object, node.elts))
        if isinstance(node, ast.Name):
            bound = (value for value, _ in self.bindings.get(node.id, ()))
            return any(_constructs(one) for one in bound)
        return _constructs(node)

    @cached_property
    def inner_scopes(self) -> Mapping[int, "CodeScope"]:
        """The functions within this one as parts of their own, by the identity of the node."""
        return {id(node): _make_inner(self, node) for node in self.local_functions.values()}

    @cached_property
    def asserts(self) -> list[ast.Assert]:
        """All that it asserts."""
        written = b"assert" in self.module.file.content
        return find_nodes(self.node, (ast.Assert,)) if written else []

    @cached_property
    def given_names(self) -> list[str]:
        """Of the parameters that a position can fill those that a call gives: not ``self``."""
        names = [one.arg for one in self.parameters]
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        static = any(
            "staticmethod" in (getattr(d, "id", ""), getattr(d, "attr", "")) for d in decorators
        )
        return names if self.owner is None or static else names[1:]

    @property
    def keeps_its_result(self) -> bool:
        """``@cached_property``: is it run once, and never again for what it is given?"""
        decorators: list[ast.expr] = getattr(self.node, "decorator_list", [])
        names = (one.func if isinstance(one, ast.Call) else one for one in decorators)
        return any(last_name(one) in _CACHING_DECORATORS for one in names)

    @property
    def full_name(self) -> str:
        """``package.module.Class.method``."""
        return f"{self.module.name}.{self.name}"


@dataclass(eq=False)
class ClassDefinition:
    """A class of the project."""

    module: "Module"
    name: str
    node: ast.ClassDef
    methods: dict[str, CodeScope] = field(default_factory=dict[str, CodeScope])
    class_attributes: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    visible: range = range(sys.maxsize)
    """The lines in which its name means it, if no other class has that name."""
    number: int = 1
    """Of the classes of this name in the file."""

    @property
    def full_name(self) -> str:
        """``package.module.Class``; ``package.module.Class#2`` of a second one in one file."""
        return f"{self.module.name}.{self.name}" + (f"#{self.number}" if self.number > 1 else "")


@dataclass(eq=False)
class Module:
    """One file of the project, indexed: its scopes, classes, imports and calls."""

    path: str
    name: str
    """Dotted, by its folders: as far as anybody may import it."""
    package: str
    file: ParsedFile
    scopes: list[CodeScope] = field(default_factory=list[CodeScope])
    functions: dict[str, CodeScope] = field(default_factory=dict[str, CodeScope])
    classes: dict[str, ClassDefinition] = field(default_factory=dict[str, ClassDefinition])
    """The classes by name: of several the last one of the widest scope."""
    class_definitions: list[ClassDefinition] = field(default_factory=list[ClassDefinition])
    """All classes, those among them that share a name."""
    imported_names: dict[str, str] = field(default_factory=dict[str, str])
    """What imports bind: local name to full name."""
    star_imports: list[str] = field(default_factory=list[str])
    is_test: bool = False
    """Is it a test or a benchmark?"""
    calls_by_name: dict[str, list[CallPosition]] = field(
        default_factory=dict[str, list[CallPosition]]
    )
    """
    All calls by what is called: ``torch.zeros``; ``.cuda`` of what is no name.

    Most questions concern few calls: the others need not be looked at, nor their
    nodes be fetched from memory again.
    """
    resolved_names: dict[str, str] = field(default_factory=dict[str, str])
    """Of names as they are written here: where they come from, once it is known."""
    continuation_bytes: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Of lines that somebody asked for: the bytes that begin no character."""
    body: CodeScope = field(init=False)

    def __post_init__(self) -> None:
        self.body = CodeScope(self.file.tree, self, "<module>")
        self.scopes.append(self.body)

    def imports_any(self, libraries: Collection[str]) -> bool:
        """Does it import one of these, or something from there?"""
        return not self._imported_libraries.isdisjoint(libraries)

    @cached_property
    def _imported_libraries(self) -> frozenset[str]:
        """The first parts of all names that it imports."""
        return frozenset(name.partition(".")[0] for name in self.imported_names.values())

    def steps_at(self, places: Iterable[CallPosition]) -> Iterator[tuple[CodeScope, CodeStep]]:
        """The calls at some places, in the order of functions and their text."""
        for number, index in sorted(places):
            scope = self.scopes[number]
            yield scope, scope.steps_by_type[ast.Call][index]

    def find_calls(self, last: str) -> Iterator[tuple[CodeScope, CodeStep]]:
        """Calls by the last part of what is called."""
        return self.steps_at(self._calls_by_last_name.get(last, ()))

    def calls_by_function(self, last: str) -> Mapping[int, list[CodeStep]]:
        """The same by the number of the function that they stand in."""
        known = self._known_calls.get(last)
        if known is None:
            known = self._known_calls[last] = {}
            for scope, step in self.find_calls(last):
                known.setdefault(scope.number, []).append(step)
        return known

    @property
    def called_names(self) -> Collection[str]:
        """The last parts of all that it calls."""
        return self._calls_by_last_name.keys()

    @cached_property
    def _known_calls(self) -> dict[str, dict[int, list[CodeStep]]]:
        return {}

    @cached_property
    def _calls_by_last_name(self) -> Mapping[str, list[CallPosition]]:
        found: dict[str, list[CallPosition]] = {}
        for name, places in self.calls_by_name.items():
            found.setdefault(name.rpartition(".")[2], []).extend(places)
        return found

    def character_column(self, line: int, offset: int) -> int:
        """Of the bytes up to an offset, for those count in a syntax tree."""
        inner = self.continuation_bytes.get(line)
        if inner is None:
            lines = self.file.lines
            raw = lines[line - 1] if 0 < line <= len(lines) else b""
            wide = b"" if raw.isascii() else raw
            inner = [n for n, byte in enumerate(wide) if byte & _UTF8_MASK == _UTF8_CONTINUATION]
            self.continuation_bytes[line] = inner
        return offset - bisect_left(inner, offset)

    def discard_tree(self) -> None:
        """Let go of the syntax tree now: a circle would wait for the collector."""
        for scope in self.scopes:
            vars(scope).clear()
        vars(self).clear()


def _make_inner(scope: CodeScope, node: FunctionNode) -> CodeScope:
    """A function within a function: names are looked up in the one around it."""
    name = f"{scope.name}.{node.name}"
    inner = CodeScope(node, scope.module, name, scope.owner, scope.number, scope)
    inner.bindings, inner.local_functions = scope.bindings, scope.local_functions
    deeper = [one for one in scope.local_functions.values() if one is not node]
    deeper = [one for one in deeper if _is_part(one, node)]
    for step in scope.steps:
        if step.context.inner and _is_part(step.node, node):
            within = any(_is_part(step.node, one) for one in deeper)
            own = CodeStep(step.node, step.context.within(node.lineno, inner=within))
            inner.steps.append(own)
            inner.steps_by_type.setdefault(type(step.node), []).append(own)
            if isinstance(step.node, ast.Assign):
                targets = (one for one in step.node.targets if type(one) is not ast.Name)
                inner.stores += [(one, step.node.value) for one in targets]
    return inner


def _is_part(node: ast.AST, function: FunctionNode | ast.Module) -> bool:
    """Does it stand in the body of a function?"""
    if isinstance(function, ast.Module):
        return True
    begin, end = function.body[0].lineno, function.end_lineno or function.lineno
    return node is not function and begin <= getattr(node, "lineno", 0) <= end
