"""Whether what a call is given is drawn at random here, so that it differs from item to item."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_RANDOM_MODULES = ("random.", "numpy.random.", "torch.rand")
_LIST_METHODS = ("append", "extend", "insert")


def is_drawn_here(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """``Compose([Rotate(angle)])``, where ``angle = random.randint(0, 90)``."""
    seen: set[str] = set()
    queue: list[ast.expr] = [*node.args, *(word.value for word in node.keywords)]
    for value in queue:
        if any(_draws(recorder, scope, one) for one in find_nodes(value, (ast.Call,))):
            return True
        fresh = {one.id for one in find_nodes(value, (ast.Name,))} - seen
        seen |= fresh
        for name in sorted(fresh):
            queue += [given for given, _ in scope.bindings.get(name, ())]
            queue += _list_added(scope, name)
    return False


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
