"""Whether a call can be one of a method at all, by what it gives and what that takes."""

import ast
from typing import NamedTuple

from pipedoctor.source.syntax.expressions import is_self_expression
from pipedoctor.source.syntax.scope import CodeScope

_KEEPING_DECORATORS = frozenset(
    (
        *("abstractmethod", "classmethod", "override", "final"),
        *("contextmanager", "no_grad", "inference_mode", "enable_grad"),
    )
)
"""What leaves the parameters of a method as they are written."""


class CallShape(NamedTuple):
    """What decides which methods a call can enter; many calls have the same."""

    on_self: bool
    """It is one of ``self``, ``cls`` or ``super()``."""
    on_attribute: bool
    positional: int
    words: frozenset[str | None]
    spread: bool


def describe_call(call: ast.Call) -> CallShape:
    """Look at what a call gives, once for all methods of its name."""
    func = call.func
    return CallShape(
        isinstance(func, ast.Attribute) and is_self_expression(func.value),
        isinstance(func, ast.Attribute),
        len(call.args),
        frozenset(word.arg for word in call.keywords),
        any(isinstance(one, ast.Starred) for one in call.args),
    )


class MethodFit:
    """
    Which calls of an attribute may enter a method.

    Others have methods of the same name: ``env.run(policy)`` is none of ``run(self)``.
    """

    def __init__(self, scope: CodeScope) -> None:
        self._scope = scope
        self._known: dict[CallShape, bool] = {}

    def accepts(self, shape: CallShape) -> bool:
        """May calls of this shape enter it?"""
        known = self._known.get(shape)
        if known is None:
            known = self._known[shape] = _fits(self._scope, shape)
        return known


def _fits(scope: CodeScope, shape: CallShape) -> bool:
    node = scope.node
    if isinstance(node, ast.Module) or not all(map(_keeps_parameters, node.decorator_list)):
        return True
    bound = [one.arg for one in scope.parameters][1:]
    if node.args.vararg is None and not shape.spread and shape.positional > len(bound):
        return False
    known = {*bound, *(one.arg for one in node.args.kwonlyargs)}
    if node.args.kwarg is None and shape.words - {None} - known:
        return False
    needed = bound[: len(bound) - len(node.args.defaults)] if node.args.defaults else bound
    given = {*bound[: shape.positional], *shape.words}
    return shape.spread or None in shape.words or not set(needed) - given


def _keeps_parameters(decorator: ast.expr) -> bool:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in _KEEPING_DECORATORS


def is_torch_module_method(call: ast.Call) -> bool:
    """``model.eval()``, ``model.train()``: what any module of torch has, too."""
    return getattr(call.func, "attr", "") in {"eval", "train"} and not (call.args or call.keywords)
