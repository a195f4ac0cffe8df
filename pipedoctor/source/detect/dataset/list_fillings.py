"""Where something is put into a list or a dictionary that was empty."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.source.detect.dataset.object_lists import find_appends
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope

_EMPTY_MAKERS = {"list", "dict", "OrderedDict", "set", "deque"}


class Filling(NamedTuple):
    """What is put where, for each pass of a loop."""

    step: CodeStep
    value: ast.expr
    keyed: bool
    """By a key of its own, or into a list of a dictionary."""


def is_empty(node: ast.expr) -> bool:
    """``[]``, ``{}``, ``list()``, ``defaultdict(list)``."""
    if isinstance(node, (ast.List, ast.Set)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    return name == "defaultdict" or (name in _EMPTY_MAKERS and not node.args)


def find_fillings(scope: CodeScope, key: str) -> Iterator[Filling]:
    """``rows.append(x)``, ``rows[key] = x``, ``rows[key].append(x)`` in loops."""
    for step, owner, item in find_appends(scope):
        if owner == key:
            yield Filling(step, item, keyed=False)
    yield from find_keyed_appends(scope, key)
    for step in scope.steps_by_type.get(ast.Assign, ()):
        node = step.node
        for target in node.targets if isinstance(node, ast.Assign) and step.context.loops else ():
            if isinstance(target, ast.Subscript) and binding_key(target.value) == key:
                if not isinstance(target.slice, ast.Constant) and isinstance(node, ast.Assign):
                    yield Filling(step, node.value, keyed=True)


def find_stored(scope: CodeScope, key: str) -> Iterator[tuple[CodeStep, ast.expr]]:
    """``files[split] = listing``: what stands for one key, in a loop or not."""
    for step in scope.steps_by_type.get(ast.Assign, ()):
        node = step.node
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and binding_key(target.value) == key:
                if isinstance(node, ast.Assign):
                    yield step, node.value


def find_keyed_appends(scope: CodeScope, key: str) -> Iterator[Filling]:
    """``rows[key].append(x)``, ``rows.setdefault(key, []).append(x)`` in loops."""
    for step in scope.find_calls("append"):
        node = step.node
        if not (isinstance(node, ast.Call) and step.context.loops and node.args):
            continue
        whole = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(whole, ast.Call) and last_name(whole.func) == "setdefault":
            owner = whole.func.value if isinstance(whole.func, ast.Attribute) else None
        else:
            owner = whole.value if isinstance(whole, ast.Subscript) else None
        if owner is not None and binding_key(owner) == key:
            yield Filling(step, node.args[0], keyed=True)


def find_extensions(scope: CodeScope, key: str) -> Iterator[tuple[CodeStep, ast.expr]]:
    """``rows.extend(more)``, ``rows += more``: what a list is lengthened by."""
    for step in scope.find_calls("extend"):
        node = step.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if binding_key(node.func.value) == key:
                yield step, node.args[0]
    for step in scope.steps_by_type.get(ast.AugAssign, ()):
        node = step.node
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            if binding_key(node.target) == key:
                yield step, node.value
