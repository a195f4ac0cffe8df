"""What a data set keeps: handles, and what it keeps only where somebody asks for it."""

import ast

from pipedoctor.source.around import Step
from pipedoctor.source.kinds import HANDLES
from pipedoctor.source.origin import returned
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Class, Scope, key_of

_OPENING = {"open", "File"}
_DEEP = 3


def opens(
    recorder: Recorder, scope: Scope, value: ast.expr, depth: int = _DEEP
) -> bool:
    """Is something opened here, by what this variable was given, or by its maker?"""
    if depth <= 0:
        return False
    if isinstance(value, ast.Name):
        given = scope.bound.get(value.id, ())
        return any(opens(recorder, scope, one, depth - 1) for one, _ in given)
    if any(
        isinstance(n, ast.Call) and _opener(recorder, scope, n) for n in ast.walk(value)
    ):
        return True
    return isinstance(value, ast.Call) and any(
        opens(recorder, target, one, depth - 1)
        for target, _ in recorder.reach.targets(value.func, scope, scope.owner)
        for one in returned(target)
    )


def _opener(recorder: Recorder, scope: Scope, node: ast.Call) -> bool:
    name = recorder.name(node.func, scope)
    return name in HANDLES or last_name(node.func) in _OPENING


def asked_for(recorder: Recorder, cls: Class, step: Step) -> bool:
    """``if self.keep:``, which is False unless whoever makes the data set says so."""
    init = recorder.project.method(cls, "__init__")
    flags = {key_of(g.test) for g in step.around.guards if g.holds} - {""}
    for flag in flags if init is not None else ():
        for value, _ in init.bound.get(flag, ()) if init else ():
            if isinstance(value, ast.Name) and init is not None:
                default = recorder.values.default(init, value.id)
                if isinstance(default, ast.Constant) and default.value is False:
                    return True
    return False


def own_file(recorder: Recorder, scope: Scope, node: ast.Call, depth: int = 2) -> bool:
    """Does each item have a file of its own, by what is opened?"""
    return bool(node.args) and _varies(recorder, scope, node.args[0], depth)


def _varies(
    recorder: Recorder, scope: Scope, value: ast.expr, depth: int = _DEEP
) -> bool:
    """Is it made from what this function is given, and not kept by an object?"""
    if isinstance(value, ast.Name):
        given = [(one, scope) for one, _ in scope.bound.get(value.id, ())]
        given = given or recorder.values.handed(scope, value.id)
        known = [pair for pair in given if depth > 0]
        if known:
            return any(_varies(recorder, its, one, depth - 1) for one, its in known)
        return any(one.arg == value.id for one in scope.parameters)
    names = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "self"]
    mine = {one.arg for one in scope.parameters} | scope.bound.keys()
    return any(n.id in mine for n in names)


def left_before(scope: Scope, step: Step) -> list[ast.If]:
    """The conditions under which the function has returned before this line."""
    line = getattr(step.node, "lineno", 0)
    return [
        one
        for its in scope.of_type.get(ast.If, [])
        if isinstance(one := its.node, ast.If)
        and one.lineno < line
        and isinstance(one.body[-1], ast.Return)
    ]
