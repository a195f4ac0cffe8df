"""Tensors made on the host and moved, in code that runs for each batch outside of its loop."""

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from pipedoctor.facts.code_events.training import CreatedThenMoved
from pipedoctor.source.detect.device_copies import find_copied, is_device_copy, speaks_of_moves
from pipedoctor.source.detect.positions import is_initializer
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.evaluating_code import (
    EvaluatingCode,
    counts_epochs,
    only_evaluates,
)
from pipedoctor.source.detect.training.host_factories import (
    creates_then_moves,
    find_kept_key,
    find_made,
    is_created,
)
from pipedoctor.source.detect.training.layers import is_module
from pipedoctor.source.detect.training.step_reach import (
    StepReach,
    list_callers,
    may_be_kept,
    may_be_rare,
)
from pipedoctor.source.detect.trials import is_trial
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, unparse_short
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.values.callables import Callee
from pipedoctor.source.values.lattice import InstanceValue

_DETAILS = CreatedThenMoved(
    in_loop=-1, non_blocking=False, unknown=False, fresh=False, variable="", pins=False
)

_Copy: TypeAlias = tuple[CodeScope, CodeStep, ast.Call]


def record_created_tensors(recorder: EventRecorder) -> None:
    """Record them in ``forward``, in what loops call, and in loops that no loader feeds."""
    known = {
        (event.at.path, event.at.line, event.at.column)
        for event in recorder.events
        if event.kind == CreatedThenMoved.kind
    }
    copies = _CopyFinder(recorder)
    steps = (
        *(_list_copies_of_forward, _list_copies_of_losses),
        *(_list_copies_of_evaluations, _list_copies_of_helpers),
    )
    _record_given_to_movers(copies, known)
    for scope, step, node in (one for listed in steps for one in listed(copies)):
        place = (scope.module.path, node.lineno, node.col_offset + 1)
        if place in known or not copies.creates((scope, step, node)):
            continue
        if is_trial(recorder, scope, step.context):
            continue
        known.add(place)
        details = replace(_DETAILS, variable=find_kept_key(node), made_line=find_made(scope, node))
        recorder.add_event(details, scope, step, unparse_short(node))


class _CopyFinder:
    """The copies to the device in the functions of a project, each looked for once."""

    def __init__(self, recorder: EventRecorder) -> None:
        self.recorder = recorder
        self.evaluating = EvaluatingCode(recorder)
        self.reach = StepReach(recorder, self.evaluating)
        self._known: dict[CodeScope, list[_Copy]] = {}

    def find_all(self, scope: CodeScope) -> list[_Copy]:
        """All copies of a function."""
        found = self._known.get(scope)
        if found is None:
            found = self._known[scope] = [
                (scope, step, step.node)
                for step in (() if scope.keeps_its_result else scope.calls)
                if isinstance(step.node, ast.Call)
                if is_device_copy(step.node, self.recorder, scope)
            ]
        return found

    def find_plain(self, scope: CodeScope) -> list[_Copy]:
        """Those that are made each time."""
        return [
            copy
            for copy in self.find_all(scope)
            if not copy[1].context.inner
            if not any(may_be_kept(one, scope) for one in copy[1].context.guards)
        ]

    def creates(self, copy: _Copy) -> bool:
        """Is it of what is made there on the host?"""
        scope, _, node = copy
        return creates_then_moves(self.recorder, scope, node, in_callee=True)

    @cached_property
    def moving_modules(self) -> list[Module]:
        """The files that speak of moves, and are no tests."""
        modules = self.recorder.project.modules
        return [one for one in modules if not one.is_test and speaks_of_moves(one)]

    @cached_property
    def creating_scopes(self) -> set[CodeScope]:
        """The functions that make something on the host and move it, or may within others."""
        moving = (one for one in self.recorder.project.modules if speaks_of_moves(one))
        return {
            scope
            for module in moving
            for scope in module.scopes
            if any(copy[1].context.inner or self.creates(copy) for copy in self.find_all(scope))
        }


def _list_copies_of_forward(copies: _CopyFinder) -> Iterator[_Copy]:
    """What ``forward`` of a module does unconditionally, itself and in what it calls."""
    recorder = copies.recorder
    for cls in recorder.project.classes:
        forward = cls.methods.get("forward", cls.methods.get("__call__"))
        if forward is None or not _may_move(forward) or cls.module.is_test:
            continue
        if not is_module(recorder.project, cls):
            continue
        yield from copies.find_plain(forward)
        if copies.creating_scopes <= {forward}:
            continue
        entered = recorder.call_graph.callables.called_from(Callee(forward, InstanceValue(cls)))
        for scope in dict.fromkeys(one.scope for one in entered if _is_plain(one)):
            yield from copies.find_plain(scope)


def _list_copies_of_losses(copies: _CopyFinder) -> Iterator[_Copy]:
    """What functions do that are called losses."""
    for scope in copies.recorder.project.scopes:
        named = "loss" in scope.name.rpartition(".")[2].lower() and not is_initializer(scope)
        if named and scope.parameters and _may_move(scope) and not scope.module.is_test:
            yield from copies.find_plain(scope)


def _is_plain(callee: Callee) -> bool:
    """A function or a method that may move tensors, and makes no object to keep."""
    return _may_move(callee.scope) and not is_initializer(callee.scope)


def _list_copies_of_evaluations(copies: _CopyFinder) -> Iterator[_Copy]:
    """What loops without gradients do that no loader feeds: for each file or image."""
    for scope in (scope for module in copies.moving_modules for scope in module.scopes):
        for copy in copies.find_all(scope):
            context = copy[1].context
            fed = any(id(loop) in copies.recorder.loop_indices for loop in context.loops)
            often = bool(context.loops) and not counts_epochs(context.loops[-1])
            if often and not fed and copies.creates(copy):
                if copies.evaluating.holds(scope, copy[1]):
                    yield copy


def _list_copies_of_helpers(copies: _CopyFinder) -> Iterator[_Copy]:
    """
    What functions do that a loop over batches calls in each step, without the batch.

    Not where they evaluate a model themselves: so does who measures one, now and then.
    """
    for scope in (scope for module in copies.moving_modules for scope in module.scopes):
        if is_initializer(scope):
            continue
        plain = [
            copy
            for copy in copies.find_plain(scope)
            if not any(may_be_rare(one, scope) for one in copy[1].context.guards)
            if not only_evaluates(scope, copy[2].lineno) and copies.creates(copy)
        ]
        if plain and copies.reach.comes_to(scope):
            yield from plain


def _record_given_to_movers(copies: _CopyFinder, known: set[tuple[str, int, int]]) -> None:
    """``to_device(torch.zeros(3))`` in each step: a function moves what it is given."""
    recorder = copies.recorder
    for scope in (scope for module in copies.moving_modules for scope in module.scopes):
        moved = {key for copy in copies.find_plain(scope) if (key := _moved_parameter(scope, copy))}
        for site in list_callers(recorder, scope) if moved and not is_initializer(scope) else ():
            given = [value for name, value in match_arguments(scope, site.node) if name in moved]
            if not given or not _runs_per_step(copies, site):
                continue
            if is_created(recorder, site.scope, given[0], site.node, in_callee=True):
                node = _find_creation(site.scope, given[0])
                place = (site.scope.module.path, node.lineno, node.col_offset + 1)
                if place not in known:
                    known.add(place)
                    step = CodeStep(node, site.step.context)
                    recorder.add_event(_DETAILS, site.scope, step, unparse_short(node))


def _moved_parameter(scope: CodeScope, copy: _Copy) -> str:
    """The parameter that a copy is made of; empty: of something else."""
    key = binding_key(find_copied(copy[2]) or copy[2])
    return key if key in scope.parameter_names else ""


def _find_creation(scope: CodeScope, given: ast.expr) -> ast.expr:
    """Where a tensor is made: what its variable was given last, if it has one."""
    values = [value for value, _ in scope.bindings.get(binding_key(given), ())]
    before = [one for one in values if one.lineno < given.lineno]
    return max(before, key=lambda one: one.lineno, default=given)


def _runs_per_step(copies: _CopyFinder, site: CallSite) -> bool:
    """In a loop over batches, or in a function that such a loop has led to."""
    followed = id(site.scope) in copies.recorder.step_scopes and not is_initializer(site.scope)
    context = site.step.context
    kept = any(may_be_kept(one, site.scope) for one in context.guards)
    return copies.reach.is_in_loop(site) or (followed and not (context.inner or kept))


def _may_move(scope: CodeScope) -> bool:
    return speaks_of_moves(scope.module)
