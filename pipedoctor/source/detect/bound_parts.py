"""What loops, comprehensions and ``map`` bind to the parts of a value."""

import ast

from pipedoctor.source.syntax.expressions import last_name

_PAIR = 2


def drop_count(target: ast.expr, value: ast.expr) -> tuple[ast.expr, ast.expr]:
    """``x`` and ``rows`` of ``i, x in enumerate(rows)``, ``name, x in losses.items()``."""
    while (
        isinstance(value, ast.Call) and isinstance(target, ast.Tuple) and len(target.elts) == _PAIR
    ):
        if last_name(value.func) == "enumerate" and value.args:
            target, value = target.elts[1], value.args[0]
        elif isinstance(value.func, ast.Attribute) and value.func.attr == "items":
            target, value = target.elts[1], value.func.value
        else:
            break
    return target, value


def list_bound_parts(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What loops, comprehensions and ``map(lambda x: ..., batch)`` bind, and to parts of what."""
    if isinstance(node, ast.Call):
        given = node.args[0] if node.args else None
        if not isinstance(given, ast.Lambda) or last_name(node.func) != "map":
            return []
        names = (ast.Name(one.arg, ast.Store()) for one in given.args.args)
        return list(zip(names, node.args[1:], strict=False))
    if isinstance(node, ast.For):
        return [(node.target, node.iter)]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
        return [(part.target, part.iter) for part in node.generators]
    return []
