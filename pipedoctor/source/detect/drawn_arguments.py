"""Whether what a call is given differs from item to item: drawn at random, or the item's size."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_RANDOM_MODULES = ("random.", "numpy.random.", "torch.rand")
_SIZES = frozenset(("height", "width", "size", "shape"))
_LIST_METHODS = ("append", "extend", "insert")


def depends_on_item(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """``Compose([Rotate(angle)])``, where ``angle = random.randint(0, 90)`` or ``image.height``."""
    seen: set[str] = set()
    queue: list[ast.expr] = [*node.args, *(word.value for word in node.keywords)]
    for value in queue:
        if any(_draws(recorder, scope, one) for one in find_nodes(value, (ast.Call,))):
            return True
        if any(_is_size_of_item(recorder, scope, x) for x in find_nodes(value, (ast.Attribute,))):
            return True
        fresh = {one.id for one in find_nodes(value, (ast.Name,))} - seen
        seen |= fresh
        for name in sorted(fresh):
            queue += [given for given, _ in scope.bindings.get(name, ())]
            queue += _list_added(scope, name)
    return False


def _is_size_of_item(recorder: EventRecorder, scope: CodeScope, node: ast.Attribute) -> bool:
    """``image.height``, ``image.size``: of what is made here, or handed over by who made it."""
    if node.attr not in _SIZES or not isinstance(node.value, ast.Name):
        return False
    name = node.value.id
    return name in scope.bindings or any(
        isinstance(value, ast.Name) and value.id in site.scope.bindings
        for site in recorder.project.find_callers(scope)
        for given, value in match_arguments(scope, site.node)
        if given == name
    )


def _draws(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    return recorder.full_name_of(node.func, scope).startswith(_RANDOM_MODULES)


def _list_added(scope: CodeScope, name: str) -> list[ast.expr]:
    """What is added to a list of this name."""
    return [
        given
        for method in _LIST_METHODS
        for step in scope.find_calls(method)
        if isinstance(step.node, ast.Call) and isinstance(step.node.func, ast.Attribute)
        if last_name(step.node.func.value) == binding_key(step.node.func.value) == name
        for given in step.node.args
    ]
