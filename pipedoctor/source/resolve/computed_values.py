"""Values that are computed from known ones: ``not args.cpu``, ``int(os.getenv("N", "4"))``."""

import ast
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pipedoctor.facts.source import Argument, ValueOrigin
from pipedoctor.source.resolve.folding import fold_constants

Resolve: TypeAlias = Callable[[ast.expr], Argument]
FullName: TypeAlias = Callable[[ast.expr], str]
_COMPUTED = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)
_CONVERSIONS: Mapping[str, Callable[[object], object]] = {
    "int": int,  # type: ignore[dict-item]
    "float": float,  # type: ignore[dict-item]
    "bool": bool,
    "str": str,
}
_ENVIRONMENT_READS = frozenset(("os.getenv", "os.environ.get"))
_LEAST_WITH_DEFAULT = 2


def resolve_computed(
    node: ast.expr, resolve: Resolve, full_name_of: FullName, unknown: Argument
) -> Argument | None:
    """The value of an expression whose parts are all known; none: they are not."""
    if isinstance(node, ast.Call):
        return _resolve_call(node, resolve, full_name_of, unknown)
    if not isinstance(node, _COMPUTED):
        return None
    parts: list[Argument] = []
    folded = fold_constants(_Substitution(resolve, parts).visit_parts(node))
    known = [part for part in parts if part.is_known]
    return _derive(known, folded.value, unknown) if isinstance(folded, ast.Constant) else None


def _resolve_call(
    node: ast.Call, resolve: Resolve, full_name_of: FullName, unknown: Argument
) -> Argument | None:
    name = full_name_of(node.func)
    if name in _ENVIRONMENT_READS:
        return _resolve_environment(node, resolve, unknown)
    plain = node.func.id if isinstance(node.func, ast.Name) and not name else ""
    convert = _CONVERSIONS.get(plain)
    if convert is None or len(node.args) != 1 or node.keywords:
        return None
    given = resolve(node.args[0])
    if not given.is_known or given.value is None:
        return None
    try:
        value = convert(given.value)
    except (TypeError, ValueError, OverflowError):
        return None
    return _derive([given], value, unknown)


def _resolve_environment(node: ast.Call, resolve: Resolve, unknown: Argument) -> Argument | None:
    """The default of a variable of the environment."""
    if len(node.args) < _LEAST_WITH_DEFAULT:
        return None
    variable, default = node.args[0], resolve(node.args[1])
    if not default.is_known:
        return None
    name = str(variable.value) if isinstance(variable, ast.Constant) else "a variable"
    return Argument(
        how="default",
        value=default.value,
        text=unknown.text,
        at=unknown.at,
        why=f"default of ${name}",
    )


def _derive(parts: list[Argument], value: object, unknown: Argument) -> Argument | None:
    if not (value is None or isinstance(value, (bool, int, float, str))):
        return None
    if isinstance(value, int) and abs(value) > 1 << 62:
        return None
    default = next((part for part in parts if part.how == "default"), None)
    how: ValueOrigin = "default" if default is not None else "inferred"
    why = default.why if default is not None else ""
    return Argument(how=how, value=value, text=unknown.text, at=unknown.at, why=why)


class _Substitution:
    """Puts the values of the parts of an expression in their place."""

    def __init__(self, resolve: Resolve, parts: list[Argument]) -> None:
        self.resolve = resolve
        self.parts = parts

    def visit_parts(self, node: ast.expr) -> ast.expr:
        """A copy of the expression, on constants as far as its parts are known."""
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self._replace(one) for one in node.values])
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, self._replace(node.operand))
        if isinstance(node, ast.BinOp):
            return ast.BinOp(self._replace(node.left), node.op, self._replace(node.right))
        if isinstance(node, ast.Compare):
            right = [
                one if isinstance(one, (ast.Tuple, ast.List, ast.Set)) else self._replace(one)
                for one in node.comparators
            ]
            return ast.Compare(self._replace(node.left), node.ops, right)
        return node

    def _replace(self, node: ast.expr) -> ast.expr:
        found = self.resolve(node)
        self.parts.append(found)
        return ast.Constant(found.value) if found.is_known and found.how != "absent" else node
