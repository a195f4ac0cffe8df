"""
The values that the model tells apart, and the calls in which they are asked for.

Values hash by where they stand, never by an identity or a string: sets of them then have
the same order in every run, and what is found when the limit of evaluations is reached
does not depend on addresses or on the seed of hashes.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.context import FunctionNode
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope


@dataclass(eq=False, slots=True)
class Frame:
    """
    One call of a function, or any call of it where `call` is None.

    Frames are interned: two that mean the same are the same object.
    """

    scope: CodeScope
    owner: "InstanceValue | None" = None
    """What `self` is."""
    call: ast.Call | None = None
    caller: "Frame | None" = None
    depth: int = 0
    """Calls around it that are told apart."""
    number: int = 0
    """Its place among the frames of a project, in the order in which they were asked for."""
    ways: int = 1
    """In how many ways the function may be entered so, as far as names tell."""


def _hash_place(node: ast.expr | FunctionNode | None, frame: Frame | None) -> int:
    """A hash of a place in the code, in one frame."""
    place = (node.lineno, node.col_offset) if node is not None else (0, 0)
    return hash((place, frame.number if frame is not None else -1))


class LoaderValue(msgspec.Struct, frozen=True):
    """A loader that the project makes, by its index among the loader calls."""

    index: int

    def __hash__(self) -> int:
        return hash((1, self.index))


class IteratorValue(msgspec.Struct, frozen=True):
    """What hands on the batches of a loader: ``iter(loader)``."""

    index: int

    def __hash__(self) -> int:
        return hash((2, self.index))


class BatchValue(msgspec.Struct, frozen=True):
    """A batch of a loader, or something taken from it or made of it."""

    index: int

    def __hash__(self) -> int:
        return hash((3, self.index))


class InstanceValue(msgspec.Struct, frozen=True):
    """An object of a class of the project; made by a call, or any of its objects."""

    cls: ClassDefinition
    call: ast.Call | None = None
    frame: Frame | None = None

    def __hash__(self) -> int:
        return hash((4, self.cls.node.lineno, _hash_place(self.call, self.frame)))


class FunctionValue(msgspec.Struct, frozen=True):
    """A function or a bound method."""

    scope: CodeScope
    owner: InstanceValue | None = None

    def __hash__(self) -> int:
        return hash((5, self.scope.number, hash(self.owner) if self.owner else 0))


class LocalFunctionValue(msgspec.Struct, frozen=True):
    """A function or lambda within a function."""

    node: FunctionNode | ast.Lambda
    frame: Frame

    def __hash__(self) -> int:
        return hash((6, _hash_place(self.node, self.frame)))


class ClassValue(msgspec.Struct, frozen=True):
    """A class of the project."""

    cls: ClassDefinition

    def __hash__(self) -> int:
        return hash((7, self.cls.node.lineno))


class ModuleValue(msgspec.Struct, frozen=True):
    """A file of the project, as a value: what ``getattr(models, name)`` takes from."""

    name: str

    def __hash__(self) -> int:
        return hash((8, len(self.name)))


class PartialValue(msgspec.Struct, frozen=True):
    """``functools.partial(function, ...)``."""

    call: ast.Call
    frame: Frame

    def __hash__(self) -> int:
        return hash((9, _hash_place(self.call, self.frame)))


class GeneratorValue(msgspec.Struct, frozen=True):
    """What a call of a function with ``yield`` returns."""

    frame: Frame

    def __hash__(self) -> int:
        return hash((10, self.frame.number))


class ContainerValue(msgspec.Struct, frozen=True):
    """A list, tuple, dictionary, comprehension or namespace, as it is written."""

    node: ast.expr
    frame: Frame

    def __hash__(self) -> int:
        return hash((11, _hash_place(self.node, self.frame)))


class TupleValue(msgspec.Struct, frozen=True):
    """Parts that stand side by side, each with what it may be."""

    parts: tuple[frozenset["Value"], ...]

    def __hash__(self) -> int:
        return hash((self.parts,))


class StreamValue(msgspec.Struct, frozen=True):
    """``enumerate`` and ``zip``: when it is iterated, a tuple of one element of each."""

    parts: tuple[frozenset["Value"], ...]

    def __hash__(self) -> int:
        return hash((self.parts,))


class ExternalValue(msgspec.Struct, frozen=True):
    """What a call of a library returns, by the full name of what is called."""

    name: str
    call: ast.Call
    frame: Frame

    def __hash__(self) -> int:
        return hash((12, _hash_place(self.call, self.frame)))


class ChosenValue(msgspec.Struct, frozen=True):
    """An object of a class that a text chooses, by the call that makes it."""

    call: ast.Call
    frame: Frame

    def __hash__(self) -> int:
        return hash((13, _hash_place(self.call, self.frame)))


Value: TypeAlias = (
    LoaderValue
    | IteratorValue
    | BatchValue
    | InstanceValue
    | FunctionValue
    | LocalFunctionValue
    | ClassValue
    | ModuleValue
    | PartialValue
    | GeneratorValue
    | ContainerValue
    | TupleValue
    | StreamValue
    | ExternalValue
    | ChosenValue
)
Values: TypeAlias = frozenset[Value]
"""All that something may be, as far as is known; empty: unknown."""
UNKNOWN: Values = frozenset()


class Evaluating(Protocol):
    """What the parts of the evaluator ask each other for."""

    project: Project
    object_calls: "dict[CodeScope, list[CallSite]]"
    """By ``__call__`` or ``forward``: the calls of objects that enter it."""

    def is_settled(self, node: ast.expr, frame: Frame) -> bool:
        """Is the value of an expression final?"""
        ...

    def find_object_calls(self) -> list[CallSite]:
        """Calls of what loops take from lists, and of variables where classes have no names."""
        ...

    def evaluate(self, node: ast.expr | None, frame: Frame) -> Values:
        """What an expression may be."""
        ...

    def evaluate_attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value may be."""
        ...

    def call_value(self, callee: Value, call: ast.Call, frame: Frame) -> Values:
        """What a call of a value returns."""
        ...

    def call_method(self, instance: InstanceValue, name: str) -> Values:
        """What a method returns that is called without arguments."""
        ...

    def item(self, value: Value, index: object) -> Values:
        """What stands at an index or key; at any where that is None."""
        ...

    def iterate(self, value: Value) -> Values:
        """What iterating a value gives."""
        ...

    def subclasses_of(self, cls: ClassDefinition) -> list[ClassDefinition]:
        """The classes of the project that derive from one."""
        ...

    def frame_of(
        self,
        scope: CodeScope,
        owner: InstanceValue | None = None,
        call: ast.Call | None = None,
        caller: Frame | None = None,
    ) -> Frame:
        """The frame of a function; of any call where none is given."""
        ...


def join(parts: Iterable[Values]) -> Values:
    """All that any of these may be."""
    found = UNKNOWN
    for part in parts:
        if part:
            found = found | part if found else part
    return found


def any_object(values: Values) -> Iterator[Value]:
    """Objects of classes, made in a way that is not seen."""
    for value in values:
        if isinstance(value, ClassValue):
            yield InstanceValue(value.cls)


def is_sequence(value: Value) -> bool:
    """Is it a container of some kind?"""
    return isinstance(value, (ContainerValue, TupleValue))
