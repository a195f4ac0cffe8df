"""What a call gives for a parameter, and what holds where it gives nothing."""

import ast


def find_call_argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """The expression that a call gives for a parameter; none: not given, or not to be seen."""
    for word in call.keywords:
        if word.arg == name:
            return word.value
    if not 0 <= position < len(call.args) or ast.Starred in map(type, call.args[: position + 1]):
        return None
    return call.args[position]


def find_default(node: ast.AST, name: str) -> ast.expr | None:
    """The default of a parameter of a function."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return None
    args = node.args
    plain = [*args.posonlyargs, *args.args]
    late = plain[len(plain) - len(args.defaults) :]
    for one, value in zip(late, args.defaults, strict=True):
        if one.arg == name:
            return value
    for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if one.arg == name:
            return default
    return None
