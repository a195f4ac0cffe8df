"""What a file gives that is iterated: its keys, the rows of a column of a table."""

import ast

from pipedoctor.source.detect.kinds import HANDLE_FACTORIES
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 6
_KEYED = ("h5py.", "zarr.", "tables.", "netCDF4.")
"""Libraries whose files and groups give their names when they are iterated."""
_PARTS = {"begin", "cursor", "iternext", "require_group"}


def lists_keys(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """Does it give a string for each member of a file, when it is iterated?"""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "keys":
            return _find_opener(recorder, scope, node.func.value).startswith(_KEYED)
        if node.func.attr in {"cursor", "iternext"}:
            return _find_opener(recorder, scope, node.func.value).startswith("lmdb.")
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _find_opener(recorder, scope, node).startswith(_KEYED)
    return False


def gives_values(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``table["path"]``, ``table.path.values``: a column of a table that pandas has read."""
    if isinstance(node, ast.Attribute) and node.attr == "values":
        return gives_values(recorder, scope, node.value)
    if isinstance(node, ast.Subscript) and is_text(node.slice):
        return _is_table(recorder, scope, node.value)
    return isinstance(node, ast.Attribute) and _is_table(recorder, scope, node.value)


def _is_table(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int = _MAX_DEPTH
) -> bool:
    """What ``pd.read_csv(path)`` returns, and selections of its rows."""
    if depth <= 0:
        return False
    if isinstance(node, ast.Call):
        if recorder.full_name_of(node.func, scope).startswith("pandas.read_"):
            return True
        same = isinstance(node.func, ast.Attribute) and node.func.attr in _TABLE_METHODS
        return same and _is_table(recorder, scope, getattr(node.func, "value", node), depth - 1)
    if isinstance(node, ast.Subscript):
        return not is_text(node.slice) and _is_table(recorder, scope, node.value, depth - 1)
    key = binding_key(node)
    given = recorder.values.find_assignments(key, scope) if key else ()
    return any(_is_table(recorder, its, value, depth - 1) for value, its in given)


_TABLE_METHODS = frozenset(
    ("reset_index", "dropna", "fillna", "sort_values", "drop_duplicates", "sample", "query", "copy")
)
"""Methods of tables that return one."""


def is_text(node: ast.expr) -> bool:
    """``"x"``, ``f"x_{split}"``, ``"x_" + split``, ``"x_{}".format(split)``."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.BinOp):
        return is_text(node.left) or is_text(node.right)
    if isinstance(node, ast.Call):
        named = isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "join"}
        return named or (isinstance(node.func, ast.Name) and node.func.id == "str")
    return isinstance(node, ast.JoinedStr)


def _find_opener(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, depth: int = _MAX_DEPTH
) -> str:
    """The full name of the function that opened what this is, or is a group of."""
    if depth <= 0:
        return ""
    if isinstance(node, ast.Subscript) and is_text(node.slice):
        return _find_opener(recorder, scope, node.value, depth - 1)
    if isinstance(node, ast.Call):
        name = recorder.full_name_of(node.func, scope)
        if name in HANDLE_FACTORIES or not isinstance(node.func, ast.Attribute):
            return name
        part = node.func.attr in _PARTS
        return _find_opener(recorder, scope, node.func.value, depth - 1) if part else ""
    key = binding_key(node)
    given = recorder.values.find_assignments(key, scope) if key else ()
    found = {
        _find_opener(recorder, its, value, depth - 1)
        for value, its in given
        if not isinstance(value, ast.Constant)  # closed
    }
    return found.pop() if len(found) == 1 else ""
