"""Conditions on the device: what they are where there is a GPU."""

import ast

from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 5
_AVAILABLE = frozenset(("torch.cuda.is_available", "torch.cuda.device_count"))
_OF_TENSORS = frozenset(("shape", "ndim", "numel", "unsqueeze", "requires_grad", "is_cuda"))
"""What tensors have and options have not."""
_HOST, _GPU = frozenset(("cpu", "mps")), frozenset(("cuda", "gpu"))


def holds_with_gpu(
    values: ValueResolver, node: ast.expr, scope: CodeScope, depth: int = _MAX_DEPTH
) -> bool | None:
    """
    Does a condition hold where there is a GPU, which the code then uses?

    None: it is about something else, or nobody knows.
    """
    if depth <= 0:
        return None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = holds_with_gpu(values, node.operand, scope, depth - 1)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        found = [holds_with_gpu(values, one, scope, depth - 1) for one in node.values]
        decides = isinstance(node.op, ast.Or)
        if decides in found:
            return decides
        return None if None in found else not decides
    if isinstance(node, ast.IfExp):
        test = holds_with_gpu(values, node.test, scope, depth - 1)
        branch = node.body if test else node.orelse
        return None if test is None else holds_with_gpu(values, branch, scope, depth - 1)
    if isinstance(node, ast.Compare):
        return _compares_device(node)
    if isinstance(node, ast.Call):
        return _asks_for_gpu(values, node, scope, depth)
    known = values.resolve(node, scope)
    if known.is_known:
        return bool(known.value)
    found = [
        holds_with_gpu(values, value, its, depth - 1)
        for value, its in values.find_assignments(binding_key(node), scope)
    ]
    return found[0] if found and found.count(found[0]) == len(found) else None


def is_gpu(
    values: ValueResolver, node: ast.expr, scope: CodeScope, depth: int = _MAX_DEPTH
) -> bool:
    """Is it a GPU wherever there is one: ``torch.device("cuda" if ... else "cpu")``?"""
    if depth <= 0:
        return False
    if isinstance(node, ast.JoinedStr):
        return bool(node.values) and is_gpu(values, node.values[0], scope, depth - 1)
    if isinstance(node, ast.Call):
        made = last_name(node.func) == "device" and bool(node.args)
        return made and is_gpu(values, node.args[0], scope, depth - 1)
    if isinstance(node, ast.IfExp):
        test = holds_with_gpu(values, node.test, scope)
        ways = [node.body, node.orelse] if test is None else [node.body if test else node.orelse]
        return all(is_gpu(values, one, scope, depth - 1) for one in ways)
    key = binding_key(node)
    found = list(values.find_assignments(key, scope)) if key else []
    if any(_is_of_tensor(one, its) for one, its in [(node, scope), *found]):
        return False
    known = values.resolve(node, scope)
    if known.is_known:
        return isinstance(known.value, str) and known.value.startswith("cuda")
    if not found and key and scope.has_parameter(key):
        found = values.find_call_arguments(scope, key)
    return bool(found) and all(is_gpu(values, one, its, depth - 1) for one, its in found)


def _is_of_tensor(node: ast.expr, scope: CodeScope) -> bool:
    """``rows.device`` of what is computed here or used as a tensor: wherever that lies."""
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value
    if isinstance(owner, ast.Subscript):
        index = owner.slice
        return not (isinstance(index, ast.Constant) and isinstance(index.value, str))
    if not isinstance(owner, ast.Name) or scope.is_module_body:
        return False
    given = scope.bindings.get(owner.id, ())
    if given and all(_is_result_of_method(value) for value, _ in given):
        return True
    return any(
        isinstance(one.value, ast.Name) and one.value.id == owner.id and one.attr in _OF_TENSORS
        for one in scope.attribute_nodes
    )


def _is_result_of_method(value: ast.expr) -> bool:
    """``loader.first()``, but not ``parser.parse_args()``."""
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Attribute) and not called.attr.startswith("parse")


def _asks_for_gpu(
    values: ValueResolver, node: ast.Call, scope: CodeScope, depth: int
) -> bool | None:
    name = values.project.full_name_of(node.func, scope.module)
    if name in _AVAILABLE:
        return True
    if name == "" and last_name(node.func) == "bool" and len(node.args) == 1:
        return holds_with_gpu(values, node.args[0], scope, depth - 1)
    return None


def _compares_device(node: ast.Compare) -> bool | None:
    """``device != "cpu"``, ``device.type == "cuda"``, ``"cuda" in str(device)``."""
    if len(node.ops) != 1:
        return None
    sides = (node.left, node.comparators[0])
    named = next((_device_kind(one) for one in sides if _device_kind(one)), "")
    others = [one for one in sides if not _device_kind(one)]
    if not named or len(others) != 1:
        return _counts_devices(node)
    if not any(word in unparse_short(others[0]).lower() for word in ("device", "gpu", "accel")):
        return None
    equal = isinstance(node.ops[0], (ast.Eq, ast.In, ast.Is))
    return equal == (named in _GPU)


def _counts_devices(node: ast.Compare) -> bool | None:
    counts = "device_count()" in unparse_short(node.left)
    return True if counts and isinstance(node.ops[0], (ast.Gt, ast.GtE)) else None


def _device_kind(node: ast.expr) -> str:
    """``cuda`` or ``cpu``, as a text or in ``torch.device(...)``."""
    if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args:
        node = node.args[0]
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return ""
    kind = node.value.partition(":")[0].lower()
    return kind if kind in _HOST | _GPU else ""
