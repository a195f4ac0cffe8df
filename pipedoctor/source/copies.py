"""Copies to the device, and streams of their own for them."""

import ast
import re

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import written

_DTYPES = {
    "float",
    "float16",
    "float32",
    "float64",
    "half",
    "bfloat16",
    "int",
    "int32",
    "int64",
    "long",
    "bool",
    "uint8",
    "double",
}

_HOST = re.compile(r"(?<![a-z])cpu(?![a-z])(?!.*(cuda|gpu))", re.IGNORECASE)


FACTORIES = {
    f"torch.{name}"
    for name in (
        [
            "zeros",
            "ones",
            "empty",
            "full",
            "rand",
            "randn",
            "arange",
            "randint",
            "eye",
            "linspace",
            "tensor",
        ]
    )
}


def is_copy(node: ast.Call) -> bool:
    """``x.to(device)`` or ``x.cuda()``, and no change of type."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return False
    if func.attr == "cuda":
        return not (isinstance(func.value, ast.Name) and func.value.id == "torch")
    if func.attr != "to":
        return False
    words = {word.arg: word.value for word in node.keywords}
    if "device" in words:
        return not _is_host(words["device"])
    if not node.args:
        return False
    first = node.args[0]
    if isinstance(first, ast.Constant) and not isinstance(first.value, (str, int)):
        return False
    typed = last_name(first) in _DTYPES or "dtype" in written(first)
    return not typed and not _is_host(first)


def _is_host(node: ast.expr) -> bool:
    """``"cpu"``, ``torch.device("cpu")``, ``self.cpu_device``; no choice of two."""
    choice = isinstance(node, (ast.IfExp, ast.BoolOp))
    return not choice and bool(_HOST.search(written(node)))


def creates(recorder: Recorder, scope: Scope, node: ast.Call, *, deep: bool) -> bool:
    """``torch.zeros(3).cuda()``; deep in functions not what may come from lists."""
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    known = isinstance(inner, ast.Call) and recorder.name(inner.func, scope)
    return known in FACTORIES and not (deep and known == "torch.tensor")


def streams(recorder: Recorder, scope: Scope) -> None:
    """Copies on a stream of their own, with nothing that keeps the memory alive."""
    within = [step for step in scope.calls if step.around.managers]
    managers = {id(m): m for step in within for m in step.around.managers}
    beside = {key for key, m in managers.items() if _is_stream(recorder, scope, m)}
    if not beside:
        return
    source = [*scope.owner.methods.values()] if scope.owner else [scope]
    recorded = any(
        node.attr == "record_stream" for one in source for node in one.attributes
    )
    for step in within:
        node = step.node
        if beside.isdisjoint(map(id, step.around.managers)):
            continue
        if not isinstance(node, ast.Call) or not is_copy(node):
            continue
        words = {word.arg: word.value for word in node.keywords}
        value = recorder.values.of(words.get("non_blocking"), scope)
        if value.value is True and not recorded:
            recorder.add("side-stream", scope, step, written(node))


def _is_stream(recorder: Recorder, scope: Scope, node: ast.expr) -> bool:
    text = written(node)
    if "cuda.stream(" in text:
        return True
    if isinstance(node, ast.Call) and key_of(node.func):
        values = recorder.values.assigned(key_of(node.func), scope)
        return any("cuda.stream" in written(value) for value, _ in values)
    return False
