"""Numbers that the host knows: written, counted, read of a shape; and lists of them."""

import ast
from collections.abc import Set as AbstractSet

from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope

_COUNTERS = frozenset(("len", "int", "float"))
"""Functions of Python that give a number."""
_READERS = frozenset(("size", "numel", "dim", "item"))
"""Methods of a tensor that give a number, or several."""
_COMPUTERS = frozenset(
    ("log", "log2", "log10", "sqrt", "exp", "pow", "max", "min", "abs", "round", "ceil", "floor")
)
"""What gives a number of numbers: of Python, or of one of these."""
_MODULES = ("math", "numpy")
_MAX_DEPTH = 4


def lists_numbers(
    scope: CodeScope, node: ast.expr | None, counted: AbstractSet[str] = frozenset()
) -> bool:
    """``[1, 2]``, ``[0] * n``, ``range(n)``, ``[h, w]`` of a shape: written or counted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return lists_numbers(scope, node.left) or lists_numbers(scope, node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in {"list", "tuple"} and len(node.args) == 1:
            return lists_numbers(scope, node.args[0])
        return node.func.id == "range"
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        made = node.generators[0]
        return (
            isinstance(made.target, ast.Name)
            and lists_numbers(scope, made.iter)
            and is_number(scope, node.elt, counted | {made.target.id})
        )
    return isinstance(node, (ast.List, ast.Tuple)) and all(
        _is_constant_name(one)
        or is_number(scope, one, counted)
        or lists_numbers(scope, one, counted)
        for one in node.elts
    )


def is_number(
    scope: CodeScope,
    node: ast.expr,
    counted: AbstractSet[str] = frozenset(),
    depth: int = _MAX_DEPTH,
) -> bool:
    """``3``, ``len(x)``, ``x.shape[0] / 2``, ``loss.item()``, and variables of these."""
    if depth <= 0:
        return False
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id in counted or _names_number(scope, node.id, depth)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, ast.Slice) and _is_shape(node.value)
    if isinstance(node, ast.UnaryOp):
        return is_number(scope, node.operand, counted, depth)
    if isinstance(node, ast.BinOp):
        return is_number(scope, node.left, counted, depth - 1) and is_number(
            scope, node.right, counted, depth - 1
        )
    return isinstance(node, ast.Call) and _returns_number(scope, node, counted, depth)


def _returns_number(
    scope: CodeScope, call: ast.Call, counted: AbstractSet[str], depth: int
) -> bool:
    """``len(x)``, ``x.size(0)``, ``math.log(3)``; but not ``x.float()``, which is a tensor."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    module = scope.module.imported_names.get(owner.id) if isinstance(owner, ast.Name) else None
    name = last_name(call.func)
    if owner is not None and module not in _MODULES:
        return name in _READERS
    computed = name in _COMPUTERS and bool(call.args)
    return name in _COUNTERS or (
        computed and all(is_number(scope, one, counted, depth - 1) for one in call.args)
    )


def _names_number(scope: CodeScope, name: str, depth: int) -> bool:
    """A variable that is given nothing but numbers, or a parameter with one as its default."""
    given = [value for value, _ in scope.bindings.get(name, ())]
    if given or name not in scope.parameter_names:
        return bool(given) and all(is_number(scope, one, depth=depth - 1) for one in given)
    default = find_default(scope.node, name)
    return isinstance(default, ast.Constant) and isinstance(default.value, (int, float))


def _is_shape(node: ast.expr) -> bool:
    """``x.shape``, ``x.shape[-2:]``, ``x.size()``."""
    whole = node.value if isinstance(node, ast.Subscript) else node
    sized = isinstance(whole, ast.Call) and last_name(whole.func) == "size"
    return sized or last_name(whole) == "shape"


def _is_constant_name(node: ast.expr) -> bool:
    """``PAD``, ``vocab.EOS``: what nobody changes, by its name."""
    name = last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    return name.isupper() and not name.startswith("_")
