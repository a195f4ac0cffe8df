"""Takes a file apart in one pass: classes, functions, and every step in them."""

import ast
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from pipedoctor.source.around import BLOCKS, Around, FunctionNode, Step
from pipedoctor.source.parse import Text
from pipedoctor.source.scope import Class, Module, Scope, key_of
from pipedoctor.source.walk import LEAVES

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RECORDED: frozenset[type[ast.AST]] = frozenset(
    (
        ast.AnnAssign,
        ast.Assign,
        ast.AsyncFor,
        ast.AsyncFunctionDef,
        ast.AugAssign,
        ast.BinOp,
        ast.Call,
        ast.Delete,
        ast.DictComp,
        ast.ExceptHandler,
        ast.For,
        ast.FunctionDef,
        ast.GeneratorExp,
        ast.If,
        ast.Import,
        ast.ImportFrom,
        ast.ListComp,
        ast.NamedExpr,
        ast.Return,
        ast.SetComp,
        ast.Subscript,
        ast.While,
        ast.With,
        ast.Yield,
    )
)
"""Nodes that recognisers ask for; names and attributes are walked where needed."""
_PARTS: frozenset[type[ast.AST]] = frozenset((ast.ClassDef, *_FUNCTIONS))
_BINDING: frozenset[type[ast.AST]] = frozenset(
    (
        ast.AnnAssign,
        ast.Assign,
        ast.AsyncFunctionDef,
        ast.FunctionDef,
        ast.Import,
        ast.ImportFrom,
        ast.NamedExpr,
        ast.With,
    )
)
_NOTED = _RECORDED | _PARTS | BLOCKS.keys()
"""Of which there is more to do than to go into their parts."""
_step: Callable[..., Step] = tuple[Any, ...].__new__
"""Makes a step as `Step` does, in half of the time."""
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_LOAD = ast.Load()
_PLAIN = frozenset(
    (
        *("ctx", "op", "ops", "id", "attr", "arg", "kind", "names", "conversion"),
        *("type_comment", "simple", "is_async"),
    )
)


class _Parts(dict[type[ast.AST], Callable[[ast.AST], tuple[Any, ...]]]):
    """Of each type of node: what gets all of its fields that may hold more nodes."""

    def __missing__(self, kind: type[ast.AST]) -> Callable[[ast.AST], tuple[Any, ...]]:
        names = [name for name in reversed(kind._fields) if name not in _PLAIN]
        while len(names) < 2:  # noqa: PLR2004  (of one name it would make no tuple)
            names.append("__doc__")
        self[kind] = attrgetter(*names)
        return self[kind]


_PARTS_OF = _Parts()


def take_apart(text: Text, name: str, *, package: bool) -> Module:
    """Find the parts of a file in one pass."""
    parent = name if package else name.rpartition(".")[0]
    module = Module(text.path, name, parent, text)
    _walk(module.body, list(text.tree.body))
    return module


def _walk(scope: Scope, body: list[ast.stmt]) -> None:
    """Visit in the order of the text, with a stack of our own: no recursion."""
    around = Around()
    nodes: list[ast.AST] = list(reversed(body))
    outer: list[tuple[list[ast.AST], Around]] = [(nodes, around)]
    while outer:
        nodes, around = outer.pop()
        while nodes:
            node = nodes.pop()
            kind = type(node)
            if kind in _NOTED:
                if kind in _PARTS and _part(scope, node, nodes):
                    continue
                if kind in _RECORDED:
                    _record(scope, _step(Step, (node, around)), kind)
                if kind in BLOCKS:
                    outer.append((nodes, around))
                    for part, its in reversed(BLOCKS[kind](node, around)):
                        outer.append((_backwards(part), its))
                    nodes, around = outer.pop()
                    continue
                if kind is ast.Call:
                    _into_call(node, nodes)
                    continue
            for value in _PARTS_OF[kind](node):
                held = type(value)  # pyright: ignore[reportUnknownVariableType]
                if held is list:
                    if value:
                        nodes += [n for n in value[::-1] if type(n) not in LEAVES]
                elif held not in LEAVES:
                    nodes.append(value)


def _into_call(node: Any, nodes: list[ast.AST]) -> None:
    """What is given, and what is called: names with dots have no more parts."""
    if node.keywords:
        nodes += _backwards([word.value for word in node.keywords])
    if node.args:
        nodes += _backwards(node.args)
    func = node.func
    while type(func) is ast.Attribute:
        func = func.value
    if type(func) not in LEAVES:
        nodes.append(func)


def _backwards(nodes: Sequence[ast.AST]) -> list[ast.AST]:
    return [node for node in reversed(nodes) if type(node) not in LEAVES]


def _record(scope: Scope, step: Step, kind: type[ast.AST]) -> None:
    scope.steps.append(step)
    of_type = scope.of_type
    same = of_type.get(kind)
    if same is None:
        same = of_type[kind] = []
    if kind is ast.Call:
        name = _called(step.node)
        places = scope.module.called.get(name)
        if places is None:
            places = scope.module.called[name] = []
        places.append((scope.number, len(same)))
    elif kind in _BINDING:
        _note(scope, step)
    same.append(step)


def _called(node: Any) -> str:
    """``a.b.c`` of a call; ``.c``, where it begins with no name; else nothing."""
    func = node.func
    if type(func) is ast.Name:
        return str(func.id)
    last = ""
    while type(func) is ast.Attribute:
        last = f".{func.attr}{last}"
        func = func.value
    if type(func) is ast.Name:
        return f"{func.id}{last}"
    return last[last.rindex(".") :] if last else ""


def _part(scope: Scope, node: ast.AST, nodes: list[ast.AST]) -> bool:
    """A class, or a function of the module, is a part of its own."""
    if isinstance(node, ast.ClassDef):
        _class(scope.module, node)
        return True
    if isinstance(node, _FUNCTIONS) and scope.at_top:
        _function(scope.module, node, node.name)
        nodes.extend(one for one in node.decorator_list if type(one) not in LEAVES)
        return True
    return False


def _function(
    module: Module, node: FunctionNode, name: str, owner: Class | None = None
) -> Scope:
    scope = Scope(module, name, node, owner, len(module.scopes))
    module.scopes.append(scope)
    if owner is None:
        module.functions[name] = scope
    _walk(scope, node.body)
    return scope


def _class(module: Module, node: ast.ClassDef) -> None:
    found = Class(module, node.name, node)
    module.classes[node.name] = found
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{node.name}.{item.name}"
            found.methods[item.name] = _function(module, item, name, found)
        elif isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Name):
                    found.values[target.id] = item.value
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if item.value is not None:
                found.values[item.target.id] = item.value
        elif isinstance(item, ast.ClassDef):
            _class(module, item)


def _note(scope: Scope, step: Step) -> None:
    """Keep what a step binds: imports, variables, inner functions."""
    node = step.node
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _bind(scope, target, node.value, step)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        _bind(scope, node.target, node.value, step)
    elif isinstance(node, ast.With):
        for item in node.items:
            if item.optional_vars is not None:
                _bind(scope, item.optional_vars, item.context_expr, step)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        scope.local[node.name] = node
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        _imports(scope.module, node)


def _bind(scope: Scope, target: ast.expr, value: ast.expr, step: Step) -> None:
    key = key_of(target)
    if key:
        scope.bound.setdefault(key, []).append((value, step))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for one, its in zip(target.elts, _spread(target, value), strict=True):
            _bind(scope, one, its, step)


def _spread(target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.expr]:
    """What each of some names is given: a part of what is written, or of its value."""
    count = len(target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        return value.elts
    place = {name: getattr(value, name) for name in _PLACE}
    return [
        ast.Subscript(value, ast.Constant(number), _LOAD, **place)
        for number in range(count)
    ]


def _imports(module: Module, node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.Import):
        for item in node.names:
            top = item.name.partition(".")[0]
            module.names[item.asname or top] = item.name if item.asname else top
        return
    base = node.module or ""
    if node.level:
        parts = module.package.split(".") if module.package else []
        kept = parts[: len(parts) - (node.level - 1)]
        base = ".".join([*kept, *([base] if base else [])])
    for item in node.names:
        if item.name == "*":
            module.stars.append(base)
        else:
            full = f"{base}.{item.name}" if base else item.name
            module.names[item.asname or item.name] = full
