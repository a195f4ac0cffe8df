"""Cached samples that are changed: of a dataset that keeps what it has loaded."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.facts.code_events.dataset import CachedSampleMutation
from pipedoctor.source.detect.dataset.changed_names import list_changed_names
from pipedoctor.source.detect.dataset.kept_containers import KeptContainer, is_cache, keeps_elements
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeContext, CodeStep, can_coincide
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.views import find_container, strip_slices
from pipedoctor.source.syntax.walk import find_nodes

_MAX_DEPTH = 3
"""Functions that are given a cached sample, and hand it on to others."""


class _Element(NamedTuple):
    """What a variable stands for: an element of a container, since a step."""

    container: KeptContainer
    since: CodeContext


def record_cached_mutations(recorder: EventRecorder, scope: CodeScope) -> None:
    """``x = self.items[i]``, and later ``x[...] = ...``: the cached one changes."""
    _ElementWalk(recorder, scope, {}, _MAX_DEPTH).follow()


class _ElementWalk:
    """Follows elements of containers through a function, and into those that it calls."""

    def __init__(
        self, recorder: EventRecorder, scope: CodeScope, given: dict[str, _Element], depth: int
    ) -> None:
        self.recorder = recorder
        self.scope = scope
        self.elements = given
        self.depth = depth
        self._entered: set[int] = set()

    def follow(self) -> None:
        for step in self.scope.steps:
            node = step.node
            if isinstance(node, ast.Call):
                self._enter(node, step)
            elif isinstance(node, ast.Assign):
                for call in find_nodes(node.value, (ast.Call,)):
                    self._enter(call, step)
                for target in node.targets:
                    self._bind(target, node.value, step)
            for name in list_changed_names(self.scope, node):
                self._record_change(name, step)

    def _record_change(self, name: str, step: CodeStep) -> None:
        element = self.elements.get(name)
        if element is None or not can_coincide(element.since, step.context):
            return
        if keeps_elements(self.recorder, element.container):
            details, container = CachedSampleMutation(variable=name), element.container.key
            self.recorder.add_event(details, self.scope, step, container)

    def _enter(self, node: ast.Call, step: CodeStep) -> None:
        """``x = jitter(x)``, ``self.turn(self.points[index])``: what others do to it."""
        if self.depth == 0 or id(node) in self._entered:
            return
        self._entered.add(id(node))
        given = [*node.args, *(word.value for word in node.keywords)]
        known = {id(one): element for one in given if (element := self._find(one, step))}
        if not known:
            return
        for function, _ in self.recorder.call_graph.resolve_call(
            node.func, self.scope, self.scope.owner
        ):
            inner = {
                name: known[id(value)]._replace(since=CodeContext())
                for name, value in match_arguments(function, node)
                if id(value) in known
            }
            if inner and function is not self.scope:
                _ElementWalk(self.recorder, function, inner, self.depth - 1).follow()

    def _find(self, node: ast.expr, step: CodeStep) -> _Element | None:
        """The element that an argument is: of a variable, or taken at once."""
        if isinstance(node, ast.Name):
            element = self.elements.get(node.id)
            coincide = element is not None and can_coincide(element.since, step.context)
            return element if coincide else None
        key = find_container(node, self.scope)
        return self._element(key, step) if key.startswith("self.") else None

    def _element(self, key: str, step: CodeStep) -> _Element:
        return _Element(KeptContainer(self.scope, key), step.context)

    def _bind(self, target: ast.expr, value: ast.expr, step: CodeStep) -> None:
        before = dict(self.elements)
        for name, element in self._list_bound(target, value, step):
            if element is not None:
                self.elements[name] = element
            else:
                self.elements.pop(name, None)
        for name in before.keys() - self.elements.keys():
            if not can_coincide(before[name].since, step.context):
                self.elements[name] = before[name]

    def _list_bound(
        self, target: ast.expr, value: ast.expr, step: CodeStep
    ) -> Iterator[tuple[str, _Element | None]]:
        """Variables that an assignment binds, and the elements that they are then."""
        yield from self._list_parts(target, value, step)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        named = any(isinstance(one, ast.Name) for one in targets)
        returned = self._find_returned(value) if named and isinstance(value, ast.Call) else {}
        for number, one in enumerate(targets):
            if isinstance(one, ast.Name) and number in returned:
                yield one.id, _Element(returned[number], step.context)

    def _list_parts(
        self, target: ast.expr, value: ast.expr, step: CodeStep
    ) -> Iterator[tuple[str, _Element | None]]:
        if isinstance(target, (ast.Tuple, ast.List)):
            written = value if isinstance(value, (ast.Tuple, ast.List)) else None
            parts = written.elts if written is not None else [value] * len(target.elts)
            for one, its in zip(target.elts, parts, strict=False):
                yield from self._list_parts(one, its, step)
        elif isinstance(target, ast.Name):
            known = self.elements.get(target.id)
            if not (known and self._may_stay(target.id, value)):
                yield target.id, self._find_view(value, step)

    def _may_stay(self, name: str, value: ast.expr) -> bool:
        """One branch takes it from the cache, another makes it again: still possible."""
        part = value.value if isinstance(value, ast.Subscript) else None
        return isinstance(part, ast.Name) and part.id != name and part.id not in self.elements

    def _find_view(self, value: ast.expr, step: CodeStep) -> _Element | None:
        """The element that a value is, or shares memory with."""
        container = find_container(value, self.scope)
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            container = find_container(value.value, self.scope)  # a view, if it is an array
        if container.startswith("self."):
            return self._element(container, step)
        same = strip_slices(value)
        if isinstance(same, ast.Subscript) and _is_field(same.slice):
            same = same.value
        return self.elements.get(same.id) if isinstance(same, ast.Name) else None

    def _find_returned(self, value: ast.Call) -> dict[int, KeptContainer]:
        """``image = self.load(name)``, where that returns ``self.kept[name]``, which it fills."""
        found: dict[int, KeptContainer] = {}
        for function, _ in self.recorder.call_graph.resolve_call(
            value.func, self.scope, self.scope.owner
        ):
            if function is self.scope or "self" not in function.parameter_names:
                continue
            found.update(_list_returned_elements(self.recorder, function))
        return found


def _is_field(index: ast.expr) -> bool:
    """``row["box"]``, ``row[0]``: a part of a record, which a view of an array is as well."""
    return isinstance(index, ast.Constant) and isinstance(index.value, (str, int))


def _list_returned_elements(
    recorder: EventRecorder, function: CodeScope
) -> Mapping[int, KeptContainer]:
    """Which parts of what a function returns are elements of caches, by their numbers."""
    found: dict[int, KeptContainer] = {}
    values = returned_values(function)
    for returned in values:
        parts = returned.elts if isinstance(returned, ast.Tuple) else [returned]
        for number, part in enumerate(parts):
            key = find_container(part, function)
            plain = len(values) == 1 and key.startswith("self.")
            if plain or is_cache(recorder, function, key):
                found[number] = KeptContainer(function, key)
    return found
