"""Numbers that are made of how many CPUs there are: ``os.cpu_count() // 2``."""

import ast
from collections.abc import Callable

CPU_COUNTS = {
    "os.cpu_count",
    "multiprocessing.cpu_count",
    "torch.multiprocessing.cpu_count",
    "os.process_cpu_count",
    "psutil.cpu_count",
}
_NUMBER_FUNCTIONS = {"int", "max", "round"}
"""Of such a number and of constants they make another."""


def cpu_count_function(node: ast.expr, full_name: Callable[[ast.expr], str], depth: int = 9) -> str:
    """
    The full name of the CPU-count function in an expression; `min`: at most so many.

    Empty where anything else takes part, or where it may be zero.
    """
    if isinstance(node, ast.Call):
        name = full_name(node.func)
        if name in CPU_COUNTS:
            return name
        plain = isinstance(node.func, ast.Name) and node.func.id in _NUMBER_FUNCTIONS
        if isinstance(node.func, ast.Name) and node.func.id in {"len", "min"}:
            return _bounded_count(node, node.func.id, full_name, depth)
        parts = node.args if plain and not node.keywords else []
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    else:
        parts = node.values if isinstance(node, ast.BoolOp) else []
    if depth <= 0:
        return ""
    others = [one for one in parts if not isinstance(one, ast.Constant)]
    found = [cpu_count_function(one, full_name, depth - 1) for one in others]
    return found[0] if found and all(found) else ""


def _bounded_count(
    node: ast.Call, name: str, full_name: Callable[[ast.expr], str], depth: int
) -> str:
    """``len(os.sched_getaffinity(0))``, ``min(8, os.cpu_count())``."""
    first = node.args[0] if node.args else None
    if name == "len":
        asked = full_name(first.func) if isinstance(first, ast.Call) else ""
        return asked if asked == "os.sched_getaffinity" else ""
    parts = first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args
    others = [one for one in parts if not (isinstance(one, ast.Constant) and one.value)]
    if node.keywords or depth <= 0 or not others:
        return ""
    return name if all(cpu_count_function(one, full_name, depth - 1) for one in others) else ""
