"""Which loaders feed a loop, and which calls give one batch of a loader."""

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.loader_calls import LoaderCallFinder, ResolvedLoaderCall
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.lattice import (
    UNKNOWN,
    BatchValue,
    ContainerValue,
    ExternalValue,
    GeneratorValue,
    InstanceValue,
    IteratorValue,
    LoaderValue,
    StreamValue,
    TupleValue,
    Value,
    Values,
)
from pipedoctor.source.values.library import PARAMETER_NAMES
from pipedoctor.source.values.loader_forms import ForeignForms

_MAX_NESTING = 3
_REQUESTS = frozenset(("next", "__next__", "anext"))
_PARTS = frozenset(
    ("parameters", "named_parameters", "modules", "children", "buffers", "values", "keys", "items")
)
"""Methods that list the parts of a module or of a dictionary."""
_ROUNDS = 3
"""Functions around the one that takes a batch from an iterator."""


class LoaderFlow:
    """Follows the loaders of one project to where their batches are used."""

    def __init__(self, evaluator: Evaluator, constructions: LoaderCallFinder) -> None:
        self.project = evaluator.project
        by_call: dict[int, list[int]] = {}
        constructors = [_find_constructor(made) for made in constructions.calls]
        for index, site in enumerate(constructors):
            by_call.setdefault(id(site.node), []).append(index)
        self.evaluator = evaluator
        self.evaluator.set_loaders(by_call)
        for index, made in enumerate(constructions.calls):
            cls = constructions.inherited.get(id(made.site.node))
            for one in (cls, *self.evaluator.subclasses_of(cls)) if cls else ():
                self.evaluator.loaders_by_class.setdefault(one, []).append(index)
        for index, made in enumerate(constructions.calls):
            around = made.through if constructors[index] is made.site else (made.site,)
            for site in around:
                self.evaluator.variants_by_call.setdefault(id(site.node), set()).add(index)
        self.evaluator.loader_argument = lambda index, name: self.evaluate_argument(
            constructions.calls[index], name
        )
        self._is_empty = not by_call
        self._known: dict[tuple[int, int], frozenset[int]] = {}
        self._held: dict[tuple[Value, int], frozenset[int]] = {}

    def find_loaders(self, node: ast.expr, scope: CodeScope) -> frozenset[int]:
        """Indices of the loaders whose batches iterating this gives; empty: not known."""
        if self._is_empty:
            return frozenset()
        key = (id(node), id(scope))
        found = self._known.get(key)
        if found is None and self._forms.excludes(node, scope):
            found = self._known[key] = frozenset()
        if found is None:
            values = self.evaluator.evaluate(node, self.evaluator.frame_of(scope))
            found = frozenset(n for one in values for n in self._find_source_loaders(one))
            self._known[key] = found
        return found

    @cached_property
    def _forms(self) -> ForeignForms:
        return ForeignForms(self.evaluator, called=False)

    def evaluate_argument(self, loader_call: ResolvedLoaderCall, name: str) -> Values:
        """What an argument of a loader may be, in the call that makes this loader."""
        given = loader_call.arguments.get(name)
        if given is None:
            return UNKNOWN
        frame = self.evaluator.frame_of(given.scope)
        if loader_call.through and given.scope is loader_call.site.scope:
            frame = self.evaluator.frame_of(loader_call.through[0].scope)
            into = (*(site.scope for site in loader_call.within), given.scope)
            for site, scope in zip(
                (loader_call.through[0], *loader_call.within), into, strict=True
            ):
                frame = self.evaluator.frame_of(scope, None, site.node, frame)
        return self.evaluator.evaluate(given.node, frame)

    def find_batches(self, node: ast.expr, scope: CodeScope) -> frozenset[int]:
        """Indices of the loaders of which a call gives one batch."""
        if self._is_empty:
            return frozenset()
        values = self.evaluator.evaluate(node, self.evaluator.frame_of(scope))
        return frozenset(self._batches_in(values))

    @cached_property
    def requesting_names(self) -> frozenset[str]:
        """Names of functions that take one batch from an iterator, themselves or in others."""
        names: set[str] = set(_REQUESTS)
        for _ in range(_ROUNDS):
            before = len(names)
            for name in list(names):
                for site in self.project.find_call_sites(name):
                    if site.scope.steps_by_type.get(ast.Return) and not _takes_part(site.node):
                        names.add(site.scope.name.rpartition(".")[2])
            if len(names) == before:
                break
        return frozenset(names - {"main", "__init__", "<module>"})

    @cached_property
    def taking_names(self) -> frozenset[str]:
        """Names of functions of the project that call ``next``, themselves or in others."""
        names: set[str] = set(_REQUESTS)
        for _ in range(_ROUNDS):
            before = len(names)
            for name in list(names):
                for site in self.project.find_call_sites(name):
                    if not _takes_part(site.node):
                        names.add(site.scope.name.rpartition(".")[2])
            if len(names) == before:
                break
        return frozenset(names - {"main", "__init__", "<module>", "__next__", "__iter__"})

    def _find_source_loaders(self, value: Value, depth: int = _MAX_NESTING) -> Iterator[int]:
        if isinstance(value, (LoaderValue, IteratorValue)):
            yield value.index
        elif isinstance(value, GeneratorValue) or _is_expression(value):
            yield from self._batches_in(self.evaluator.iterate(value))
        elif isinstance(value, StreamValue) and depth:
            for part in value.parts:
                for one in part:
                    yield from self._find_source_loaders(one, depth - 1)
        elif isinstance(value, InstanceValue) and value.cls in self.evaluator.loaders_by_class:
            yield from self.evaluator.loaders_by_class[value.cls]
        elif isinstance(value, InstanceValue) and depth:
            elements = frozenset(self._batches_in(self.evaluator.iterate(value)))
            yield from elements or self._given_loaders(value, depth)

    def _given_loaders(self, value: InstanceValue, depth: int) -> Iterator[int]:
        """An object whose iteration is not seen, but which is given a loader."""
        if value.call is None or value.frame is None:
            return
        if self.project.find_method(value.cls, "__getitem__") is not None:
            return
        given = list(value.call.args[:2])
        given += [w.value for w in value.call.keywords if w.arg in PARAMETER_NAMES]
        for one in given:
            for held in self.evaluator.evaluate(one, value.frame):
                yield from self._find_source_loaders(held, depth - 1)

    def _batches_in(self, values: Iterable[Value], depth: int = _MAX_NESTING) -> Iterator[int]:
        for one in values:
            if isinstance(one, BatchValue):
                yield one.index
            elif depth and isinstance(one, (TupleValue, ContainerValue, ExternalValue)):
                yield from self._batches_held(one, depth - 1)

    def _batches_held(
        self, value: TupleValue | ContainerValue | ExternalValue, depth: int
    ) -> frozenset[int]:
        """The loaders of the batches in a container, or given to a function of a library."""
        known = self._held.get((value, depth))
        if known is not None:
            return known
        self._held[value, depth] = frozenset()  # where it comes back to itself
        if isinstance(value, TupleValue):
            parts = list(value.parts)
        elif isinstance(value, ContainerValue):
            parts = [self.evaluator.item(value, None)]
        else:
            given = (*value.call.args, *(word.value for word in value.call.keywords))
            parts = [self.evaluator.evaluate(one, value.frame) for one in given]
        found = frozenset(n for part in parts for n in self._batches_in(part, depth))
        self._held[value, depth] = found
        return found


def _is_expression(value: Value) -> bool:
    """``(one for one in loader)``: iterating it iterates the loader."""
    return isinstance(value, ContainerValue) and isinstance(value.node, ast.GeneratorExp)


def _find_constructor(made: ResolvedLoaderCall) -> CallSite:
    """
    The call whose result a loader is.

    Of a function that hands its ``**kwargs`` on to it that of the function, where it returns
    the loader; where it puts it among other things, the call of the class.
    """
    inner = made.wrapped
    if inner is None:
        return made.site
    names = inner.scope.names_by_value.get(id(inner.node), ())
    plain = any(
        one is inner.node or binding_key(one) in names for one in returned_values(inner.scope)
    )
    return made.site if plain else inner


def _takes_part(call: ast.Call) -> bool:
    """``next(model.parameters())``: takes no batch, but a part of what is there."""
    given = call.args[0] if call.args else None
    return isinstance(given, ast.Call) and last_name(given.func) in _PARTS
