"""Whether what a call is given differs from item to item: drawn at random, or of the item."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.resolve.dataset_classes import ITEM_METHODS
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node, find_nodes

_RANDOM_MODULES = ("random.", "numpy.random.", "torch.rand")
_SIZES = frozenset(("height", "width", "size", "shape"))
_YIELDS = (ast.Yield, ast.YieldFrom)
_LIST_METHODS = ("append", "extend", "insert")
_MAX_EXPRESSIONS = 64
"""What a call is given is followed through no more of them."""


def depends_on_item(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """``Compose([Rotate(angle)])``, where ``angle = random.randint(0, 90)`` or ``image.height``."""
    seen: set[tuple[int, str]] = set()
    given = (*node.args, *(word.value for word in node.keywords))
    queue = [(value, scope) for value in given]
    of_item = _item_names(scope, node)
    for value, its in queue:
        if its is scope and of_item & expression_names(value):
            return True
        if any(_draws(recorder, its, one) for one in find_nodes(value, (ast.Call,))):
            return True
        if any(_is_size_of_item(recorder, its, x) for x in find_nodes(value, (ast.Attribute,))):
            return True
        if len(queue) < _MAX_EXPRESSIONS:
            queue += _follow_names(recorder, value, its, seen)
    return False


def _item_names(scope: CodeScope, node: ast.Call) -> set[str]:
    """The index of ``__getitem__``, or what a generator makes an item of in each turn."""
    if scope.name.rpartition(".")[2] in ITEM_METHODS:
        return set(scope.given_names)
    yields = [step.node for kind in _YIELDS for step in scope.steps_by_type.get(kind, ())]
    return {
        name
        for step in (scope.steps_by_type.get(ast.For, ()) if yields else ())
        if isinstance(loop := step.node, ast.For)
        if contains_node(loop, node) and any(contains_node(loop, one) for one in yields)
        for name in expression_names(loop.target)
    }


def _follow_names(
    recorder: EventRecorder, value: ast.expr, scope: CodeScope, seen: set[tuple[int, str]]
) -> list[tuple[ast.expr, CodeScope]]:
    """What the names of an expression were given: here, or by calls of the function."""
    found: list[tuple[ast.expr, CodeScope]] = []
    for name in sorted({one.id for one in find_nodes(value, (ast.Name,))}):
        if (id(scope), name) in seen:
            continue
        seen.add((id(scope), name))
        written = [given for given, _ in scope.bindings.get(name, ())]
        found += [(one, scope) for one in (*written, *_list_added(scope, name))]
        if name in scope.parameter_names and name != "self" and not written:
            found += [
                (given, site.scope)
                for site in recorder.project.find_callers(scope)
                if recorder.is_item_code(site.scope)
                for parameter, given in match_arguments(scope, site.node)
                if parameter == name
            ]
    return found


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
    """``random.random()``, or a function of the project that does that itself."""
    if recorder.full_name_of(node.func, scope).startswith(_RANDOM_MODULES):
        return True
    called = recorder.project.find_definition(node.func, scope.module)
    return isinstance(called, CodeScope) and any(
        isinstance(step.node, ast.Call)
        and recorder.full_name_of(step.node.func, called).startswith(_RANDOM_MODULES)
        for step in called.calls
    )


def _list_added(scope: CodeScope, name: str) -> list[ast.expr]:
    """What is added to a list of this name."""
    extended = [
        step.node.value
        for step in scope.steps_by_type.get(ast.AugAssign, [])
        if isinstance(step.node, ast.AugAssign) and binding_key(step.node.target) == name
    ]
    return extended + [
        given
        for method in _LIST_METHODS
        for step in scope.find_calls(method)
        if isinstance(step.node, ast.Call) and isinstance(step.node.func, ast.Attribute)
        if last_name(step.node.func.value) == binding_key(step.node.func.value) == name
        for given in step.node.args
    ]
