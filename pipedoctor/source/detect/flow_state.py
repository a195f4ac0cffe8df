"""What is known of the variables on the way of a batch."""

import ast
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.source.detect.bound_parts import drop_count
from pipedoctor.source.syntax.context import CodeContext, can_coincide
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.walk import child_nodes, find_nodes

_HOST_METHODS = {
    *("item", "tolist", "numpy", "cpu", "size", "dim", "numel", "keys"),
    *("batch_decode", "replace", "strip", "lower", "upper"),
}
"""Methods that give what the host has: numbers, arrays, and texts of a tokenizer or of texts."""
_HOST_MODULES = {"wandb", "math", "re", "json", "os"}
_HOST_FUNCTIONS = {"float", "int", "bool", "len", "str", "round", "isinstance", "type", "range"}
BINDING_NODES = (ast.Call, ast.For, ast.ListComp, ast.GeneratorExp, ast.DictComp)
"""What may bind variables to parts of a batch."""
_SHAPE_ATTRIBUTES = {"shape", "device", "dtype", "ndim", "requires_grad", "batch_sizes"}
"""What the host knows of a tensor; of packed sequences the sizes, which torch keeps there."""


@dataclass(slots=True)
class FlowState:
    """What the steps so far show about the variables, by their names."""

    batch: set[str]
    losses: set[str] = field(default_factory=set[str])
    results: set[str] = field(default_factory=set[str])
    """Computed on the device: losses and what comes of them."""
    step_losses: set[str] = field(default_factory=set[str])
    """Losses that a function has gone backward from, and returned."""
    absent: frozenset[str] = frozenset()
    """None in this call of the function."""
    fresh_on_host: set[str] = field(default_factory=set[str])
    """Made again on the host, and so not in pinned memory."""
    on_device: dict[str, tuple[int, CodeContext]] = field(default_factory=dict[str, Any])
    """On the device: since which line, and within what."""
    on_host: set[str] = field(default_factory=set[str])
    """What was read back: ``rows = rows.cpu()``, and each of them."""

    def rebind(self, names: AbstractSet[str], *, host: bool) -> None:
        """Variables get a value that the host has read back, or another."""
        if host:
            self.results -= names
            self.on_host |= names
        else:
            self.on_host -= names

    def on_device_before(self, line: int, context: CodeContext) -> set[str]:
        """Those that are on the device already, on this way through the loop."""
        if not self.on_device:
            return set()
        return {
            name
            for name, (since, within) in self.on_device.items()
            if since < line and can_coincide(within, context)
        }


@dataclass(slots=True)
class ObjectState:
    """What the attributes of ``self`` hold of a batch, between the calls of its methods."""

    batch: set[str] = field(default_factory=set[str])
    results: set[str] = field(default_factory=set[str])
    on_device: set[str] = field(default_factory=set[str])

    def enter(self, state: FlowState) -> None:
        """Let a method see what others have left on ``self``."""
        state.batch |= self.batch
        state.results |= self.results
        state.results |= {_key_of_any(name) for name in self.results} - {""}
        for name in self.on_device:
            state.on_device.setdefault(name, (0, CodeContext()))

    def leave(self, state: FlowState) -> None:
        """Keep what a method leaves on ``self``."""
        self.batch |= {name for name in state.batch if name.startswith("self.")}
        self.results |= {name for name in state.results if name.startswith("self.")}
        self.on_device |= {name for name in state.on_device if name.startswith("self.")}

    @property
    def is_empty(self) -> bool:
        """Does nothing on ``self`` come from a batch?"""
        return not (self.batch or self.results or self.on_device)


def _key_of_any(name: str) -> str:
    """``self.loss_*`` of ``self.loss_G``: what stands for all that is called so."""
    first, between, _ = name.partition("_")
    return f"{first}_*" if between and first != "self." else ""


def _key_of_getattr(node: ast.Call) -> str:
    """``self.loss_*`` of ``getattr(self, "loss_" + name)``; empty: not so."""
    if not (isinstance(node.func, ast.Name) and node.func.id == "getattr" and node.args[1:]):
        return ""
    owner, name = node.args[:2]
    first = name.left if isinstance(name, ast.BinOp) else name
    if isinstance(name, ast.JoinedStr):
        first = name.values[0]
    own = isinstance(owner, ast.Name) and owner.id == "self"
    if not (own and isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return ""
    return _key_of_any(f"self.{first.value}")


def find_flow_key(node: ast.expr) -> str:
    """The variable that an expression begins with: ``x`` or ``self.x``; or empty."""
    while True:
        if isinstance(node, ast.Call):
            wraps = last_name(node.func) == "Variable" and len(node.args) == 1
            node = node.args[0] if wraps else node.func
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                return f"self.{node.attr}"
            node = node.value
        elif isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else ""


def is_part_of_result(node: ast.expr) -> bool:
    """``model(**batch).loss``, ``net(x)[0]``: of what a call returns that is given something."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Call) and bool(node.args or node.keywords)


def holds_attribute(names: AbstractSet[str]) -> bool:
    """Is any of these variables an attribute of ``self``, where other methods find it?"""
    return any(name.startswith("self.") for name in names)


def flow_names(node: ast.expr) -> set[str]:
    """All variables in an expression: ``x`` and ``self.x``."""
    return _collect_names(node, host=True)


def target_names(node: ast.expr) -> set[str]:
    """The variables that an assignment changes: of ``x[:, self.size]`` only ``x``."""
    return _collect_names(node, host=True, indices=False)


def tensor_names(node: ast.expr) -> set[str]:
    """Those of which the expression holds more than numbers that the host has read."""
    return _collect_names(node, host=False)


class ExpressionNames:
    """The same of expressions that are asked about again, and the calls in them."""

    def __init__(self) -> None:
        self._all: dict[int, frozenset[str]] = {}
        self._targets: dict[int, frozenset[str]] = {}
        self._tensors: dict[int, frozenset[str]] = {}
        self._calls: dict[int, list[ast.Call]] = {}
        self._given: dict[int, frozenset[str]] = {}
        self._tensor_calls: dict[int, list[ast.Call]] = {}

    def of_all(self, node: ast.expr) -> frozenset[str]:
        """All variables in an expression."""
        found = self._all.get(id(node))
        if found is None:
            found = self._all[id(node)] = frozenset(flow_names(node))
        return found

    def of_target(self, node: ast.expr) -> frozenset[str]:
        """The variables that an assignment changes."""
        found = self._targets.get(id(node))
        if found is None:
            found = self._targets[id(node)] = frozenset(target_names(node))
        return found

    def of_tensors(self, node: ast.expr) -> frozenset[str]:
        """Those of which the expression holds more than numbers."""
        found = self._tensors.get(id(node))
        if found is None:
            found = self._tensors[id(node)] = frozenset(tensor_names(node))
        return found

    def given_to(self, node: ast.Call) -> frozenset[str]:
        """Those of all arguments of a call, of which they hold more than numbers."""
        found = self._given.get(id(node))
        if found is None:
            given = (*node.args, *(word.value for word in node.keywords))
            found = frozenset(name for one in given for name in self.of_tensors(one))
            self._given[id(node)] = found
        return found

    def tensor_calls_in(self, node: ast.expr) -> list[ast.Call]:
        """The calls in an expression, apart from those of which the host only reads numbers."""
        found = self._tensor_calls.get(id(node))
        if found is None:
            found = self._tensor_calls[id(node)] = list_tensor_calls(node)
        return found

    def calls_in(self, node: ast.expr) -> list[ast.Call]:
        """All calls in an expression."""
        found = self._calls.get(id(node))
        if found is None:
            found = self._calls[id(node)] = find_nodes(node, (ast.Call,))
        return found


def _collect_names(top: ast.AST, *, host: bool, indices: bool = True) -> set[str]:
    """Of an expression the variables, apart from what the host reads where that is not meant."""
    found: set[str] = set()
    queue: list[ast.AST] = [top]
    for node in queue:
        if isinstance(node, ast.Name):
            if node.id != "self":
                found.add(node.id)
            continue
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(f"self.{node.attr}")
                continue
            if not host and node.attr in _SHAPE_ATTRIBUTES:
                continue
        elif isinstance(node, ast.Call):
            if not host and _is_read_by_host(node.func):
                continue
            if key := _key_of_getattr(node):
                found.add(key)
        elif not indices and isinstance(node, ast.Subscript):
            queue.append(node.value)
            continue
        queue += child_nodes(node)
    return found


def list_tensor_calls(top: ast.expr) -> list[ast.Call]:
    """The calls in an expression, apart from those of which the host only reads numbers."""
    found: list[ast.Call] = []
    queue: list[ast.AST] = [top]
    for node in queue:
        if isinstance(node, ast.Call):
            if _is_read_by_host(node.func):
                continue
            found.append(node)
        if not (isinstance(node, ast.Attribute) and node.attr in _SHAPE_ATTRIBUTES):
            queue += child_nodes(node)
    return found


def _is_read_by_host(func: ast.expr) -> bool:
    if isinstance(func, ast.Attribute):
        return func.attr in _HOST_METHODS or find_flow_key(func) in _HOST_MODULES
    return isinstance(func, ast.Name) and func.id in _HOST_FUNCTIONS


def bind_target(target: ast.expr, value: ast.expr, state: FlowState) -> None:
    """Carry over to a target what is known of the value that is assigned to it."""
    target, value = drop_count(target, value)
    zipped = isinstance(value, ast.Call) and last_name(value.func) == "zip"
    if zipped and isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
        if len(target.elts) == len(value.args):
            for one, its in zip(target.elts, value.args, strict=True):
                bind_target(one, its, state)
            return
    read = flow_names(value)
    if read & state.results:
        state.results |= target_names(target)
    elif read & state.batch:
        state.batch |= target_names(target)
        moved = read & state.on_device.keys()
        for name in target_names(target) if moved else ():
            state.on_device.setdefault(name, state.on_device[min(moved)])
    elif read and read <= state.on_host:
        state.on_host |= target_names(target)
