"""What asks for the platform, and the answer on Linux, where the program looks."""

import ast
from collections.abc import Callable, Mapping

PLATFORM_ANSWERS: Mapping[str, str] = {
    "platform.system": "Linux",
    "sys.platform": "linux",
    "os.name": "posix",
}
"""By full names: https://docs.python.org/3/library/sys.html#sys.platform and its neighbours."""


def platform_answer(node: ast.expr, full_name_of: Callable[[ast.expr], str]) -> str:
    """``"Linux"`` for ``platform.system()``; empty: it asks for something else."""
    asks = isinstance(node, ast.Attribute)
    if isinstance(node, ast.Call) and not (node.args or node.keywords):
        asks, node = True, node.func
    return PLATFORM_ANSWERS.get(full_name_of(node), "") if asks else ""
