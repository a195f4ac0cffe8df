"""Lists of Python objects that grow while a dataset is made."""

import ast
from collections.abc import Iterable, Iterator

from pipedoctor.source.around import Step
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.walk import nodes

_TABLES = {"array", "asarray", "stack", "tensor", "as_tensor", "DataFrame", "Series"}


def object_lists(recorder: Recorder, methods: Iterable[Scope]) -> None:
    """Lists of Python objects that grow while the dataset is made."""
    for scope in methods:
        if id(scope) not in recorder.reach.initial:
            continue
        for step, key, item in _added(scope):
            value = item
            if isinstance(item, ast.Name) and item.id in scope.bound:
                value = scope.bound[item.id][-1][0]
            kept = key.startswith("self.") or _stays(recorder, scope, key)
            varies = _varies(step, value) and not _converted(scope, key)
            if isinstance(value, (ast.Dict, ast.Tuple, ast.List)) and kept and varies:
                node = _inner_list(scope, value) or value
                recorder.add("object-list", scope, step, key, node=node)


def _added(scope: Scope) -> Iterator[tuple[Step, str, ast.expr]]:
    """``rows.append(x)`` and ``rows += [x]`` in loops: to which list, and what."""
    for step in scope.calls:
        node = step.node
        if isinstance(node, ast.Call) and step.around.loops and node.args:
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr == "append":
                yield step, key_of(func.value), node.args[0]
    for step in scope.of_type.get(ast.AugAssign, ()):
        node = step.node
        if isinstance(node, ast.AugAssign) and step.around.loops:
            if isinstance(node.op, ast.Add) and isinstance(node.value, ast.List):
                for one in node.value.elts[:1]:
                    yield step, key_of(node.target), one


def _inner_list(scope: Scope, value: ast.expr) -> ast.expr | None:
    """A list within each record: where it is made."""
    parts = value.values if isinstance(value, ast.Dict) else []
    for part in parts:
        if isinstance(part, ast.Name) and part.id in scope.bound:
            made = scope.bound[part.id][-1][0]
            call = isinstance(made, ast.Call) and last_name(made.func) == "list"
            if call or isinstance(made, ast.ListComp):
                return made
    return None


def _varies(step: Step, value: ast.expr) -> bool:
    """Does it come from the loop, and is it not the same whenever it is kept?"""
    made = {
        part.id
        for loop in step.around.loops
        for part in nodes(loop, (ast.Name,))
        if isinstance(part.ctx, ast.Store)
    }
    return any(isinstance(n, ast.Name) and n.id in made for n in ast.walk(value))


def _converted(scope: Scope, key: str) -> bool:
    """``self.rows = np.array(self.rows)``: does it become a table afterwards?"""
    return any(
        isinstance(value, ast.Call)
        and last_name(value.func) in _TABLES
        and any(key_of(one) == key for one in value.args)
        for values in scope.bound.values()
        for value, _ in values
    )


def _stays(recorder: Recorder, scope: Scope, key: str, depth: int = 3) -> bool:
    """Does a local list come to stay on the data set, here or in who asked for it?"""
    for name, values in scope.bound.items():
        same = any(
            isinstance(value, ast.Name) and value.id == key for value, _ in values
        )
        if same and name.startswith("self."):
            return True
    if any(_handed_up(step.node, key) for step in scope.calls):
        return True
    returned = any(
        isinstance(n, ast.Name) and n.id == key
        for step in scope.of_type.get(ast.Return, [])
        for n in ast.walk(step.node)
    )
    return returned and depth > 0 and _kept_by_callers(recorder, scope, depth)


def _kept_by_callers(recorder: Recorder, scope: Scope, depth: int) -> bool:
    for site in recorder.project.callers(scope):
        if id(site.scope) not in recorder.reach.initial:
            continue
        for name, values in site.scope.bound.items():
            mine = any(n is site.node for value, _ in values for n in ast.walk(value))
            if mine and name.startswith("self."):
                return True
            if mine and _stays(recorder, site.scope, name, depth - 1):
                return True
        if any(
            n is site.node
            for step in site.scope.of_type.get(ast.Return, [])
            for n in ast.walk(step.node)
        ):
            return _kept_by_callers(recorder, site.scope, depth - 1)
    return False


def _handed_up(node: ast.AST, key: str) -> bool:
    """``super().__init__(rows)``: a base class keeps it."""
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) == "__init__"
        and any(
            key_of(one) == key
            for one in [*node.args, *(w.value for w in node.keywords)]
        )
    )
