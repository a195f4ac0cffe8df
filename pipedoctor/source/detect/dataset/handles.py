"""What a dataset keeps: handles, and what it keeps only where somebody asks for it."""

import ast
from collections.abc import Iterator

from pipedoctor.source.detect.kinds import HANDLE_FACTORIES
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_OPEN_FUNCTIONS = {"open", "File"}
_READING = frozenset(("read", "readlines", "get_fdata", "asarray"))
"""Methods of a handle that give what was in the file."""
_MAX_DEPTH = 3


def opens_handle(
    recorder: EventRecorder, scope: CodeScope, value: ast.expr, depth: int = _MAX_DEPTH
) -> bool:
    """Is something opened here, by what this variable was given, or by its maker?"""
    if depth <= 0:
        return False
    if isinstance(value, ast.Name):
        given = scope.bindings.get(value.id, ())
        return any(opens_handle(recorder, scope, one, depth - 1) for one, _ in given)
    calls = find_nodes(value, (ast.Call,))
    read = {id(_find_read_out(one)) for one in calls}
    if any(_is_open_call(recorder, scope, one) for one in calls if id(one) not in read):
        return True
    return isinstance(value, ast.Call) and any(
        opens_handle(recorder, target, one, depth - 1)
        for target, _ in recorder.call_graph.resolve_call(value.func, scope, scope.owner)
        for one in returned_values(target)
    )


def _find_read_out(node: ast.Call) -> ast.expr | None:
    """``open(path)`` of ``open(path).read()``, which gives what was in the file."""
    func = node.func
    return func.value if isinstance(func, ast.Attribute) and func.attr in _READING else None


def _is_open_call(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    name = recorder.full_name_of(node.func, scope)
    return name in HANDLE_FACTORIES or last_name(node.func) in _OPEN_FUNCTIONS


def is_opt_in(recorder: EventRecorder, cls: ClassDefinition, step: CodeStep) -> bool:
    """Does it run only under a flag that is False by default: ``if self.keep:``?"""
    init = recorder.project.find_method(cls, "__init__")
    flags = {binding_key(g.test) for g in step.context.guards if g.holds} - {""}
    for flag in flags if init is not None else ():
        for value, _ in init.bindings.get(flag, ()) if init else ():
            if isinstance(value, ast.Name) and init is not None:
                default = find_default(init.node, value.id)
                if isinstance(default, ast.Constant) and default.value is False:
                    return True
    return False


def has_file_per_item(
    recorder: EventRecorder, scope: CodeScope, node: ast.Call, depth: int = _MAX_DEPTH + 1
) -> bool:
    """Does each item have a file of its own, by what is opened?"""
    return bool(node.args) and _depends_on_parameter(recorder, scope, node.args[0], depth)


def _depends_on_parameter(
    recorder: EventRecorder, scope: CodeScope, value: ast.expr, depth: int = _MAX_DEPTH
) -> bool:
    """Is it made from what this function is given, and kept by no object but the item's own?"""
    if isinstance(value, ast.Name):
        given = [(one, scope) for one, _ in scope.bindings.get(value.id, ())]
        given = given or recorder.values.find_call_arguments(scope, value.id)
        known = [pair for pair in given if depth > 0]
        if known:
            return any(_depends_on_parameter(recorder, its, one, depth - 1) for one, its in known)
        return any(one.arg == value.id for one in scope.parameters)
    names = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "self"]
    mine = {one.arg for one in scope.parameters} | scope.bindings.keys()
    return any(n.id in mine for n in names) or (
        depth > 0
        and any(
            _depends_on_parameter(recorder, its, one, depth - 1)
            for key in _list_own_attributes(recorder, scope, value)
            for one, its in recorder.values.find_assignments(key, scope)
        )
    )


def _list_own_attributes(
    recorder: EventRecorder, scope: CodeScope, value: ast.expr
) -> Iterator[str]:
    """``self.path`` of an object that is made for each item."""
    maker = recorder.project.find_method(scope.owner, "__init__") if scope.owner else None
    if maker is not None and recorder.is_item_code(maker):
        keys = map(binding_key, find_nodes(value, (ast.Attribute,)))
        yield from (key for key in keys if key.startswith("self."))


def early_return_conditions(scope: CodeScope, step: CodeStep) -> list[ast.If]:
    """The conditions under which the function has returned before this line."""
    line = getattr(step.node, "lineno", 0)
    return [
        one
        for its in scope.steps_by_type.get(ast.If, [])
        if isinstance(one := its.node, ast.If)
        and one.lineno < line
        and isinstance(one.body[-1], ast.Return)
    ]
