"""Handles that an object keeps: through variables, functions, helper methods and containers."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipedoctor.source.detect.api_table import KIND_OF_CALL
from pipedoctor.source.detect.dataset.file_keys import is_text
from pipedoctor.source.detect.kinds import HANDLE_FACTORIES
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import FunctionValue

_MAX_DEPTH, _MAX_CALLERS = 4, 3
_PARTED = ("h5py.", "zarr.", "tables.", "netCDF4.")
"""Libraries whose files give parts that read from the file."""
_PART_METHODS = frozenset(("begin", "cursor", "require_dataset", "require_group"))


class KeptHandle(NamedTuple):
    """An attribute that holds what a call opens."""

    attribute: str
    """``self.file``"""
    name: str
    """Of what opens it: ``h5py.File``."""
    call: ast.Call
    scope: CodeScope
    """The method that keeps it."""
    step: CodeStep
    place: ast.expr
    """The call, or where it is another function that opens it, what is kept here."""
    is_direct: bool
    """Written as ``self.file = h5py.File(...)`` in ``__init__``."""


class _Opening(NamedTuple):
    name: str
    call: ast.Call


def find_kept_handles(
    recorder: EventRecorder, init: CodeScope, methods: Sequence[CodeScope]
) -> Iterator[KeptHandle]:
    """What ``__init__``, and the methods that it calls and items do not, keep open."""
    helpers = [
        one
        for one in methods
        if one is not init
        and id(one) in recorder.call_graph.init_scopes
        and not recorder.is_item_code(one)
    ]
    known: set[tuple[str, int]] = set()
    for scope in (init, *helpers):
        for key, value, step in _kept_values(scope):
            for opening in _find_openings(recorder, scope, value, _MAX_DEPTH):
                if (key, id(opening.call)) not in known:
                    known.add((key, id(opening.call)))
                    direct = opening.call is value and scope is init
                    here = any(one.node is opening.call for one in scope.calls)
                    place = opening.call if here else value
                    yield KeptHandle(key, *opening, scope, step, place, direct)


def _kept_values(scope: CodeScope) -> Iterator[tuple[str, ast.expr, CodeStep]]:
    """What is given to attributes of ``self``, or put into them."""
    for key, values in scope.bindings.items():
        if key.startswith("self."):
            yield from ((key, value, step) for value, step in values)
    for key, calls in scope.filling_calls.items():
        if key.startswith("self."):
            found = ((m, call) for m, call in calls if call.args and m in {"append", "insert"})
            yield from ((key, call.args[-1], _step_of(scope, call)) for _, call in found)
    for key, stores in scope.item_stores.items():
        if key.startswith("self."):
            yield from ((key, value, _step_of(scope, value)) for _, value in stores)


def _step_of(scope: CodeScope, node: ast.expr) -> CodeStep:
    return next(step for step in scope.steps if step.node is node or _holds(step.node, node))


def _holds(statement: ast.AST, node: ast.expr) -> bool:
    return isinstance(statement, ast.Assign) and statement.value is node


def _find_openings(
    recorder: EventRecorder, scope: CodeScope, value: ast.expr, depth: int
) -> Iterator[_Opening]:
    """The calls that open what a value is; none: it is none that is open, or it is not seen."""
    if depth <= 0:
        return
    if isinstance(value, ast.Call):
        yield from _find_in_call(recorder, scope, value, depth)
    elif isinstance(value, ast.Name):
        bound = scope.bindings.get(value.id, ())
        for one, step in bound:
            if not isinstance(step.node, (ast.With, ast.AsyncWith)):  # which closes it
                yield from _find_openings(recorder, scope, one, depth - 1)
        if not bound and scope.has_parameter(value.id):
            given = recorder.values.find_call_arguments(scope, value.id)
            for one, its in given if len(given) <= _MAX_CALLERS else ():
                yield from _find_openings(recorder, its, one, depth - 1)
    elif isinstance(value, ast.Subscript):
        yield from _find_of_part(recorder, scope, value, depth)
    else:
        for part in _alternatives(value):
            yield from _find_openings(recorder, scope, part, depth - 1)


def _alternatives(value: ast.expr) -> list[ast.expr]:
    """What it may be, or what it is made of: choices and containers."""
    match value:
        case ast.IfExp():
            return [value.body, value.orelse]
        case ast.List() | ast.Tuple():
            return value.elts
        case ast.BoolOp() | ast.Dict():
            return value.values
        case ast.DictComp():
            return [value.value]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [value.elt]
        case _:
            return []


def _find_in_call(
    recorder: EventRecorder, scope: CodeScope, call: ast.Call, depth: int
) -> Iterator[_Opening]:
    name = opening_name(recorder, scope, call)
    if name:
        yield _Opening(name, call)
        return
    if isinstance(call.func, ast.Attribute) and call.func.attr in _PART_METHODS:
        yield from _find_openings(recorder, scope, call.func.value, depth - 1)
        return
    for target, values in _returned_by(recorder, scope, call):
        for one in values:
            yield from _find_openings(recorder, target, one, depth - 1)


def _returned_by(
    recorder: EventRecorder, scope: CodeScope, call: ast.Call
) -> Iterator[tuple[CodeScope, list[ast.expr]]]:
    """The functions of the project that a call enters, with what they return."""
    evaluator = recorder.loader_flow.evaluator
    for value in evaluator.evaluate(call.func, evaluator.frame_of(scope)):
        if isinstance(value, FunctionValue):
            yield value.scope, returned_values(value.scope)


def _find_of_part(
    recorder: EventRecorder, scope: CodeScope, value: ast.Subscript, depth: int
) -> Iterator[_Opening]:
    """``file["x"]``, which reads from the file; or one of several that a function returns."""
    index = value.slice.value if isinstance(value.slice, ast.Constant) else None
    if isinstance(index, int) and isinstance(value.value, ast.Call):
        for target, values in _returned_by(recorder, scope, value.value):
            for one in values:
                if isinstance(one, ast.Tuple) and index < len(one.elts):
                    yield from _find_openings(recorder, target, one.elts[index], depth - 1)
    named = isinstance(value.slice, (ast.Name, ast.Attribute))
    if is_text(value.slice) or (named and not isinstance(value.value, ast.Subscript)):
        for opening in _find_openings(recorder, scope, value.value, depth - 1):
            if opening.name.startswith(_PARTED):
                yield opening


def opening_name(recorder: EventRecorder, scope: CodeScope, call: ast.expr) -> str:
    """What a call opens that stays open, by the full name of the function; empty: nothing."""
    if not isinstance(call, ast.Call):
        return ""
    name = recorder.full_name_of(call.func, scope)
    if not name:
        name = unparse_short(call.func) if last_name(call.func) == "open" else ""
    known = name in HANDLE_FACTORIES or (name.endswith(".open") and name not in KIND_OF_CALL)
    return name if known else ""
