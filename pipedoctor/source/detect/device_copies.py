"""Copies to the device, and streams of their own for them."""

import ast
import re
from collections.abc import Set as AbstractSet

from pipedoctor.facts.code_events.training import SideStreamCopy
from pipedoctor.source.detect.flow_state import find_flow_key
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.syntax.walk import child_nodes

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

_MAX_DEPTH = 2
"""Functions between a call and a copy to the device."""
_PLACING = frozenset(("as_tensor", "asarray"))
"""Functions of torch whose result lies on the device that they are told."""
_CPU_PATTERN = re.compile(r"(?<![a-z])cpu(?![a-z])(?!.*(cuda|gpu))", re.IGNORECASE)


def is_device_copy(
    node: ast.Call, recorder: EventRecorder | None = None, scope: CodeScope | None = None
) -> bool:
    """
    ``x.to(device)``, ``x.cuda()`` or ``x.type(cuda_type)``, and no other change of type.

    Also ``torch.as_tensor(x, device=device)``, which copies a tensor that is elsewhere.
    """
    func = node.func
    if recorder is not None and scope is not None and last_name(func) in _PLACING:
        return _is_placed(recorder, scope, node)
    if not isinstance(func, ast.Attribute):
        return False
    if func.attr == "type" and node.args and recorder is not None and scope is not None:
        return _is_cuda_type(recorder, scope, node.args[0])
    if func.attr == "cuda":
        return not (isinstance(func.value, ast.Name) and func.value.id == "torch")
    if func.attr != "to":
        return False
    words = {word.arg: word.value for word in node.keywords}
    if "device" in words:
        return not is_cpu_device(words["device"])
    if not node.args:
        return False
    first = node.args[0]
    if isinstance(first, ast.Constant) and not isinstance(first.value, (str, int)):
        return False
    typed = last_name(first) in _DTYPES or "dtype" in unparse_short(first)
    return not typed and not is_cpu_device(first)


def find_copied(node: ast.Call) -> ast.expr | None:
    """What is copied: ``x`` of ``x.cuda()`` and of ``torch.as_tensor(x, device=device)``."""
    if last_name(node.func) in _PLACING:
        return node.args[0] if node.args else None
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def _is_placed(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    devices = [word.value for word in node.keywords if word.arg == "device"]
    full = recorder.full_name_of(node.func, scope)
    return full.startswith("torch.") and any(not is_cpu_device(one) for one in devices)


def makes_on_device(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``torch.cuda.FloatTensor(rows)``, itself or by a variable that may stand for the type."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        given = (value for value, _ in scope.bindings.get(node.func.id, ()))
        return any("torch.cuda." in unparse_short(one) for one in given)
    full = recorder.full_name_of(node.func, scope)
    return full.startswith("torch.cuda.") and full.endswith("Tensor")


def speaks_of_moves(module: Module) -> bool:
    """May the functions of a file copy to a device, by its text?"""
    return module.file.says_any(_MOVING_WORDS)


def copies_to_device(
    project: Project, scope: CodeScope, node: ast.Call, depth: int = _MAX_DEPTH
) -> bool:
    """``batch.to(device)``, ``self.move(batch)``: a copy, or a function that makes one."""
    if is_device_copy(node):
        return True
    if depth == 0:
        return False
    key = binding_key(node.func)
    called = (
        project.find_method(scope.owner, key.removeprefix("self."))
        if key.startswith("self.") and scope.owner is not None
        else project.find_definition(node.func, scope.module)
    )
    if not isinstance(called, CodeScope) or not speaks_of_moves(called.module):
        return False
    return any(
        isinstance(step.node, ast.Call) and copies_to_device(project, called, step.node, depth - 1)
        for step in called.calls
    )


_MOVING_WORDS = (b".cuda(", b".to(", b"as_tensor(")
_HANDING_ON = frozenset(
    ("list", "tuple", "dict", "map", "zip", "sorted", "reversed", "Variable", "iter", "OrderedDict")
)
"""Functions whose result is what they are given, and nothing computed of it."""
COMPUTATIONS = (ast.BinOp, ast.Compare, ast.UnaryOp)


def list_own_calls(node: ast.expr) -> list[ast.Call]:
    """
    The calls whose results a value is or holds, and not those that it is computed of.

    Of ``criterion(net(x.cuda()), y.cuda())`` only the first; of ``[x.cuda(), y.cuda()]`` both.
    """
    found: list[ast.Call] = []
    queue: list[ast.AST] = [node]
    for one in queue:
        if isinstance(one, ast.Call):
            found.append(one)
            if isinstance(one.func, ast.Attribute):
                queue.append(one.func.value)
            if last_name(one.func) in _HANDING_ON:
                queue += [*one.args, *(word.value for word in one.keywords)]
        elif not isinstance(one, COMPUTATIONS):
            queue += child_nodes(one)
    return found


def copies_to_host(node: ast.Call, on_host: AbstractSet[str]) -> bool:
    """``x.to(batch.device)``, while the batch is still on the host."""
    given = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "device")]
    return any(
        isinstance(one, ast.Attribute)
        and one.attr == "device"
        and find_flow_key(one.value) in on_host
        for one in given
    )


def _is_cuda_type(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``torch.cuda.FloatTensor``, itself or by a variable."""
    if "torch.cuda." in unparse_short(node):
        return True
    key = binding_key(node)
    values = recorder.values.find_assignments(key, scope) if key else ()
    return any("torch.cuda." in unparse_short(value) for value, _ in values)


def is_cpu_device(node: ast.expr) -> bool:
    """``"cpu"``, ``torch.device("cpu")``, ``self.cpu_device``; no choice of two."""
    choice = isinstance(node, (ast.IfExp, ast.BoolOp))
    return not choice and bool(_CPU_PATTERN.search(unparse_short(node)))


def record_side_streams(recorder: EventRecorder, scope: CodeScope) -> None:
    """Copies on a stream of their own, with nothing that keeps the memory alive."""
    within = [step for step in scope.calls if step.context.managers]
    managers = {id(m): m for step in within for m in step.context.managers}
    beside = {key for key, m in managers.items() if _is_cuda_stream(recorder, scope, m)}
    if not beside:
        return
    source = [*scope.owner.methods.values()] if scope.owner else scope.module.scopes
    recorded = any(node.attr == "record_stream" for one in source for node in one.attribute_nodes)
    for step in within:
        node = step.node
        if beside.isdisjoint(map(id, step.context.managers)):
            continue
        if not isinstance(node, ast.Call) or not is_device_copy(node):
            continue
        words = {word.arg: word.value for word in node.keywords}
        value = recorder.values.resolve(words.get("non_blocking"), scope)
        if value.value is True and not recorded:
            copied = node.func.value if isinstance(node.func, ast.Attribute) else None
            names = (k for k, kept in scope.bindings.items() if any(v is node for v, _ in kept))
            details = SideStreamCopy(tensor=unparse_short(copied), copy=next(names, ""))
            recorder.add_event(details, scope, step, unparse_short(node))


def _is_cuda_stream(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    text = unparse_short(node)
    if "cuda.stream(" in text:
        return True
    if isinstance(node, ast.Call) and binding_key(node.func):
        values = recorder.values.find_assignments(binding_key(node.func), scope)
        return any("cuda.stream" in unparse_short(value) for value, _ in values)
    return False
