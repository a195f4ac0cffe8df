"""Takes a file apart in one pass: classes, functions, and every step in them."""

import ast
from typing import Any, cast

from pipedoctor.source.around import Around, FunctionNode, Step, children
from pipedoctor.source.parse import Text
from pipedoctor.source.scope import Class, Module, Scope, key_of

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
_BLOCKS: frozenset[type[ast.AST]] = frozenset(
    (
        ast.AsyncFor,
        ast.AsyncFunctionDef,
        ast.AsyncWith,
        ast.For,
        ast.FunctionDef,
        ast.If,
        ast.IfExp,
        ast.Lambda,
        ast.Try,
        ast.While,
        ast.With,
    )
)
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
_LEAVES: frozenset[type] = frozenset(
    (
        ast.Name,
        ast.Constant,
        str,
        int,
        bool,
        type(None),
        *ast.expr_context.__subclasses__(),
        *ast.operator.__subclasses__(),
        *ast.unaryop.__subclasses__(),
        *ast.cmpop.__subclasses__(),
        *ast.boolop.__subclasses__(),
    )
)
"""What has no parts that anybody asks for."""
_PLAIN = {"ctx", "op", "ops", "id", "attr", "arg", "kind", "names", "conversion"}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
"""Of each type of node, last first: the fields that may hold more nodes."""


def take_apart(text: Text, name: str, *, package: bool) -> Module:
    """Find the parts of a file in one pass."""
    parent = name if package else name.rpartition(".")[0]
    module = Module(text.path, name, parent, text)
    _walk(module.body, list(text.tree.body))
    return module


def _walk(scope: Scope, body: list[ast.stmt]) -> None:
    """Visit in the order of the text, with a stack of our own: no recursion."""
    start = Around()
    stack: list[tuple[ast.AST, Around]] = [(node, start) for node in reversed(body)]
    while stack:
        node, around = stack.pop()
        kind = type(node)
        if kind in _LEAVES:
            continue
        if kind in _PARTS and _part(scope, node, around, stack):
            continue
        if kind in _RECORDED:
            step = Step(node, around)
            scope.steps.append(step)
            of_type = scope.of_type.get(kind)
            if of_type is None:
                scope.of_type[kind] = [step]
            else:
                of_type.append(step)
            if kind in _BINDING:
                _note(scope, step)
        if kind in _BLOCKS:
            stack.extend(reversed(list(children(node, around))))
        else:
            _push(stack, node, around)


def _part(
    scope: Scope, node: ast.AST, around: Around, stack: list[tuple[ast.AST, Around]]
) -> bool:
    """A class, or a function of the module, is a part of its own."""
    if isinstance(node, ast.ClassDef):
        _class(scope.module, node)
        return True
    if isinstance(node, _FUNCTIONS) and scope.at_top:
        _function(scope.module, node, node.name)
        stack.extend((one, around) for one in node.decorator_list)
        return True
    return False


def _push(stack: list[tuple[ast.AST, Around]], node: ast.AST, around: Around) -> None:
    """Put the parts of a plain node on the stack, last first; names say nothing."""
    fields = _FIELDS.get(type(node))
    if fields is None:
        fields = tuple(name for name in reversed(node._fields) if name not in _PLAIN)
        _FIELDS[type(node)] = fields
    for name in fields:
        value: Any = getattr(node, name, None)
        kind = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is list:
            parts = reversed(cast("list[ast.AST]", value))
            stack.extend([(p, around) for p in parts if type(p) not in _LEAVES])
        elif kind not in _LEAVES:
            stack.append((value, around))


def _function(
    module: Module, node: FunctionNode, name: str, owner: Class | None = None
) -> Scope:
    scope = Scope(module, name, node, owner)
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
        values = (
            value.elts
            if isinstance(value, (ast.Tuple, ast.List))
            and len(value.elts) == len(target.elts)
            else [
                ast.Subscript(value=value, slice=ast.Constant(value=n), ctx=ast.Load())
                for n in range(len(target.elts))
            ]
        )
        for one, its in zip(target.elts, values, strict=True):
            ast.copy_location(its, value) if not hasattr(its, "lineno") else None
            _bind(scope, one, its, step)


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
