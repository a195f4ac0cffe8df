"""Whether a call can be one of a method at all, by what it gives and what that takes."""

import ast

from pipedoctor.source.syntax.scope import CodeScope

_KEEPING_DECORATORS = frozenset(
    (
        *("abstractmethod", "classmethod", "override", "final"),
        *("contextmanager", "no_grad", "inference_mode", "enable_grad"),
    )
)
"""What leaves the parameters of a method as they are written."""


def fits_call(scope: CodeScope, call: ast.Call) -> bool:
    """
    May this call of an attribute enter this method?

    Others have methods of the same name: ``env.run(policy)`` is none of ``run(self)``.
    """
    node = scope.node
    if isinstance(node, ast.Module) or not all(map(_keeps_parameters, node.decorator_list)):
        return True
    bound = [one.arg for one in scope.parameters][1:]
    words = {word.arg for word in call.keywords}
    spread = any(isinstance(one, ast.Starred) for one in call.args)
    if node.args.vararg is None and not spread and len(call.args) > len(bound):
        return False
    known = {*bound, *(one.arg for one in node.args.kwonlyargs)}
    if node.args.kwarg is None and words - {None} - known:
        return False
    needed = bound[: len(bound) - len(node.args.defaults)] if node.args.defaults else bound
    given = set(bound[: len(call.args)]) | words
    return spread or None in words or not set(needed) - given


def _keeps_parameters(decorator: ast.expr) -> bool:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in _KEEPING_DECORATORS


def is_torch_module_method(call: ast.Call) -> bool:
    """``model.eval()``, ``model.train()``: what any module of torch has, too."""
    return getattr(call.func, "attr", "") in {"eval", "train"} and not (call.args or call.keywords)
