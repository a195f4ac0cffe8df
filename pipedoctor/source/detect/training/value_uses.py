"""Who asks for a value: a call, a text, a comparison."""

import ast
from collections.abc import Set as AbstractSet

from pipedoctor.source.detect.flow_state import tensor_names
from pipedoctor.source.detect.training.gradient_reads import GRADIENT_NORMS
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_REDUCTIONS = {"sum", "mean", "norm", "amax", "amin", "det", "logdet"}
_TENSOR_REDUCTIONS = _REDUCTIONS | {"all", "any", "max", "min", "prod", "std", "var", "median"}
_TENSOR_QUESTIONS = {"all", "any", "equal", "allclose", "isnan", "isinf", "isfinite"}
"""Functions of torch whose answer is one truth value, or is asked for one."""
_READING_METHODS = {"item", "cpu", "tolist"}
_PRINTING_METHODS = {
    *("set_postfix", "set_description", "add_scalar", "add_scalars", "log_metric", "log_metrics"),
}
_CONVERTERS = {"print", "float", "int"}
_CHOICES = {"max", "min"}
"""Functions of Python that compare the values that they are given, and so ask for them."""
_FAILURES = ("Error", "Exception", "Exit", "Warning")
FINITE_CHECKS = {"isnan", "isinf", "isfinite"}
_ASKING_NAMES = _TENSOR_REDUCTIONS | _TENSOR_QUESTIONS | FINITE_CHECKS


def tests_value(part: ast.AST, name: str) -> bool:
    """``loss == 0``, ``isnan(loss)``: does it wait for the value itself?"""
    if isinstance(part, ast.Compare):
        sides = [part.left, *part.comparators]
        values = all(isinstance(op, _COMPARISONS) for op in part.ops)
        return values and any(binding_key(x) == name for x in sides)
    return (
        isinstance(part, ast.Call)
        and last_name(part.func) in FINITE_CHECKS
        and any(binding_key(x) == name for x in part.args)
    )


def compares_values(node: ast.expr) -> bool:
    """Is it no comparison, or one of values: not ``x is None``, ``key in batch``, ``not x``?"""
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not)
    return not isinstance(node, ast.Compare) or all(isinstance(x, _COMPARISONS) for x in node.ops)


def is_computed_of_gradients(node: ast.Call) -> bool:
    """Is it a number of the gradients, which lie on the device?"""
    return last_name(node.func) in GRADIENT_NORMS


def reads_tensor(node: ast.Call) -> str:
    """
    ``x.item()``, ``x.cpu()``, ``x.to("cpu")``: how a method reads its tensor; empty: not so.

    ``hits.sum().cpu()`` reads one number, as does ``hits.cpu().sum()``, which also copies all.
    """
    how = last_name(node.func)
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(inner, ast.Call) and last_name(inner.func) == "numpy":
        return ""  # an array, which lies on the host: what made it waited, if anything did
    if how == "cpu" and isinstance(inner, ast.Call) and is_plain_reduction(inner):
        return "item"
    if is_plain_reduction(node) and isinstance(inner, ast.Call) and last_name(inner.func) == "cpu":
        return "item"
    if how == "to" and node.args and isinstance(node.args[0], ast.Constant):
        return "cpu" if node.args[0].value == "cpu" else ""
    return how if how in _READING_METHODS else ""


def converts_values(node: ast.Call) -> str:
    """How a call asks for the values that it is given: ``print``, ``float``; empty: not so."""
    func = node.func
    if isinstance(func, ast.Name):
        if func.id in _CHOICES and len(node.args) > 1:
            return "choice"
        if func.id in _CONVERTERS:
            return func.id if func.id == "print" else "float"
        failure = func.id.endswith(_FAILURES)  # raised once, and not in each step
        return "text" if not failure and any(map(is_formatted_text, node.args)) else ""
    if not isinstance(func, ast.Attribute):
        return ""
    if isinstance(func.value, ast.Name) and func.value.id == "math":
        asked = func.attr in {*FINITE_CHECKS, "exp"} or not any(map(_is_entry, node.args))
        return "float" if asked else ""
    if func.attr in _PRINTING_METHODS or (func.attr == "log" and last_name(func.value) == "wandb"):
        return "print"
    return "text" if any(map(is_formatted_text, node.args)) else ""


def _is_entry(node: ast.expr) -> bool:
    """``state["step"]``: of a dictionary, which holds numbers beside tensors."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def is_formatted_text(node: ast.expr) -> bool:
    """``f"{loss}"``, ``"{}".format(loss)``, ``"%f" % loss``: it holds the values as text."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_formatted_text(node.left) or is_formatted_text(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "format" and isinstance(node.func.value, ast.Constant)
    return isinstance(node, ast.JoinedStr)


def converts_result(
    node: ast.Call, how: str, results: AbstractSet[str], on_device: AbstractSet[str]
) -> bool:
    """
    Does ``print``, ``float`` or a text ask for the value of something just computed?

    Also ``int((net(x) == y).sum())``, computed there of what is on the device.
    """
    if how == "choice":
        return any(_reduces_tensor(one, results | on_device) for one in _list_parts(node.args))
    if how == "text":
        texts = (tensor_names(one) for one in node.args if is_formatted_text(one))
        return any(not names.isdisjoint(results) for names in texts)
    if how == "float":
        first = node.args[0] if node.args else None
        reduced = isinstance(first, ast.Call) and is_plain_reduction(first)
        if first is None or not (reduced or _is_one_element(first)):
            on_device = frozenset()
        return first is not None and bool(tensor_names(first) & (results | on_device))
    given = [*node.args, *(word.value for word in node.keywords)]
    return bool({name for one in given for name in tensor_names(one)} & results)


def _is_one_element(node: ast.expr) -> bool:
    """``x[0][1]``: of a tensor, at places that are written out."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)


def _list_parts(given: list[ast.expr]) -> list[ast.expr]:
    """What is given, and what that is computed of: ``9 - mask.sum()``."""
    parts = list(given)
    for one in parts:
        if isinstance(one, ast.BinOp):
            parts += [one.left, one.right]
    return parts


def is_plain_reduction(node: ast.Call) -> bool:
    """``x.sum()``: of all that a tensor holds."""
    return not (node.args or node.keywords) and _reduces(node)


def is_reduced_tensor(scope: CodeScope, key: str) -> bool:
    """Is a name given nothing but what tensors are reduced to: ``(y >= 0).sum()``?"""
    given = [value for value, _ in scope.bindings.get(key, ())]
    given += [
        one.value
        for step in scope.steps_by_type.get(ast.AugAssign, ())
        if isinstance(one := step.node, ast.AugAssign) and binding_key(one.target) == key
    ]
    begun = [one for one in given if not isinstance(one, ast.Constant)]
    return bool(begun) and all(
        isinstance(one, ast.Call) and (_reduces(one) or is_computed_of_gradients(one))
        for one in begun
    )


def _reduces(node: ast.Call) -> bool:
    """A reduction that NumPy and lists are not given here: of a tensor without arguments."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCTIONS


def compares_tensor(test: ast.expr, tensors: set[str]) -> bool:
    """Does a condition ask for the value of one of these tensors?"""
    names = tensors - {""}
    return bool(names) and any(
        tests_value(part, name)
        for part in find_nodes(test, (ast.Compare, ast.Call))
        for name in names
    )


def asks_for_number(test: ast.expr, tensors: AbstractSet[str]) -> bool:
    """``target[n, c, 0] > 1``, ``mask.sum() > 0``, ``(x <= y).all()``: of tensors there?"""
    sides = [test, *(test.values if isinstance(test, ast.BoolOp) else ())]
    sides += [one.operand for one in find_nodes(test, (ast.UnaryOp,))]
    for part in find_nodes(test, (ast.Compare,)):
        if all(isinstance(op, _COMPARISONS) for op in part.ops):
            sides += [part.left, *part.comparators]
    return any(_is_element(one, tensors) or _reduces_tensor(one, tensors) for one in sides)


def may_ask_for_value(test: ast.expr) -> bool:
    """Does a condition ask for values, whatever its names are: is it more than ``x is None``?"""
    return (
        any(
            all(isinstance(op, _COMPARISONS) for op in c.ops)
            for c in find_nodes(test, (ast.Compare,))
        )
        or any(isinstance(s.slice, ast.Tuple) for s in find_nodes(test, (ast.Subscript,)))
        or any(last_name(c.func) in _ASKING_NAMES for c in find_nodes(test, (ast.Call,)))
    )


def _reduces_tensor(node: ast.expr, tensors: AbstractSet[str]) -> bool:
    """``(x == y).sum()``, to one number: without a dimension."""
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    func = node.func
    if isinstance(func, ast.Attribute) and binding_key(func.value) == "torch":
        whole = func.attr in _TENSOR_REDUCTIONS and len(node.args) == 1
        asked = whole or (func.attr in _TENSOR_QUESTIONS and bool(node.args))
        return asked and bool(tensor_names(node.args[0]) & tensors)
    if node.args:
        return False
    if not isinstance(func, ast.Attribute) or func.attr not in _TENSOR_REDUCTIONS:
        return False
    return bool(tensor_names(func.value) & tensors)


def _is_element(node: ast.expr, tensors: AbstractSet[str]) -> bool:
    """By several numbers, as only tensors and arrays are indexed."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)):
        return False
    whole = any(
        isinstance(one, (ast.Slice, ast.Constant)) and _is_part(one) for one in node.slice.elts
    )
    return not whole and binding_key(node.value) in tensors


def _is_part(index: ast.expr) -> bool:
    """A slice, an ellipsis or a new axis: what it picks is no number."""
    return isinstance(index, ast.Slice) or (
        isinstance(index, ast.Constant) and not isinstance(index.value, int)
    )


def is_read_by_host(scope: CodeScope, value: ast.expr) -> bool:
    """Does a value hold nothing but numbers that the host has read, itself or by its names?"""
    names = tensor_names(value)
    given = [[one for one, _ in scope.bindings.get(name, ())] for name in names]
    written = [one for its in given for one in its]
    reads = any(find_nodes(top, (ast.Call,)) for top in (value, *written))
    return reads and all(its and not any(map(tensor_names, its)) for its in given)
