"""The parts of a file: classes, functions, and every step with what stands around."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, cast

from pipedoctor.source.parse import Text

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
LoopNode: TypeAlias = ast.For | ast.AsyncFor | ast.While


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
_LEAVES: frozenset[type] = frozenset(
    (ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del, str, int, bool, type(None))
)


class Guard(NamedTuple):
    """A condition that holds here, or whose opposite holds."""

    test: ast.expr
    holds: bool


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a step, within its function."""

    loops: tuple[LoopNode, ...] = ()
    guards: tuple[Guard, ...] = ()
    tries: tuple[ast.Try, ...] = ()
    managers: tuple[ast.expr, ...] = ()
    handler: bool = False
    inner: bool = False
    """In a function or lambda within the function."""


class Step(NamedTuple):
    """A node, and what stands around it."""

    node: ast.AST
    around: Around


@dataclass(eq=False)
class Scope:
    """A function, a method, or the body of a module."""

    module: "Module"
    name: str
    """Within the module: ``Dataset.__getitem__``, ``main``, ``<module>``."""
    node: FunctionNode | ast.Module
    owner: "Class | None" = None
    steps: list[Step] = field(default_factory=list[Step])
    local: dict[str, FunctionNode] = field(default_factory=dict[str, FunctionNode])
    of_type: dict[type[ast.AST], list[Step]] = field(
        default_factory=dict[type[ast.AST], list[Step]]
    )
    bound: dict[str, list[tuple[ast.expr, Step]]] = field(
        default_factory=dict[str, list[tuple[ast.expr, Step]]]
    )
    """What is assigned to each name here, in order: ``x`` and ``self.x``."""

    @property
    def calls(self) -> list[Step]:
        """All its calls."""
        return self.of_type.get(ast.Call, [])

    @cached_property
    def attributes(self) -> list[ast.Attribute]:
        """All its attributes, read and written."""
        return [n for n in ast.walk(self.node) if isinstance(n, ast.Attribute)]

    @cached_property
    def loads(self) -> list[ast.Name]:
        """All names that it reads."""
        return [
            n
            for n in ast.walk(self.node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        ]

    @property
    def full(self) -> str:
        """``package.module.Class.method``."""
        return f"{self.module.name}.{self.name}"

    @property
    def parameters(self) -> list[ast.arg]:
        """Those that a position can fill, in order; ``self`` among them."""
        if isinstance(self.node, ast.Module):
            return []
        return [*self.node.args.posonlyargs, *self.node.args.args]

    @property
    def at_top(self) -> bool:
        """Is it the body of the module?"""
        return isinstance(self.node, ast.Module)


@dataclass(eq=False)
class Class:
    """A class of the project."""

    module: "Module"
    name: str
    node: ast.ClassDef
    methods: dict[str, Scope] = field(default_factory=dict[str, Scope])
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    @property
    def full(self) -> str:
        """``package.module.Class``."""
        return f"{self.module.name}.{self.name}"


@dataclass(eq=False)
class Module:
    """One file, taken apart."""

    path: str
    name: str
    """Dotted, by its folders: as far as anybody may import it."""
    package: str
    text: Text
    scopes: list[Scope] = field(default_factory=list[Scope])
    functions: dict[str, Scope] = field(default_factory=dict[str, Scope])
    classes: dict[str, Class] = field(default_factory=dict[str, Class])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """What imports bind: local name to full name."""
    stars: list[str] = field(default_factory=list[str])
    body: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.body = Scope(self, "<module>", self.text.tree)
        self.scopes.append(self.body)


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
        if isinstance(node, ast.ClassDef):
            _class(scope.module, node)
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and scope.at_top:
            _function(scope.module, node, node.name)
            stack.extend((d, around) for d in node.decorator_list)
            continue
        kind = type(node)
        if kind in _LEAVES:
            continue
        if kind in _RECORDED:
            step = Step(node, around)
            scope.steps.append(step)
            scope.of_type.setdefault(kind, []).append(step)
            _note(scope, step)
        if kind in _BLOCKS:
            stack.extend(reversed(list(_children(node, around))))
        else:
            _push(stack, node, around)


def _push(stack: list[tuple[ast.AST, Around]], node: ast.AST, around: Around) -> None:
    """Put the parts of a plain node on the stack, last first; names say nothing."""
    start = len(stack)
    for name in node._fields:
        value: Any = getattr(node, name, None)
        parts = cast("list[ast.AST]", value if type(value) is list else [value])
        stack.extend((p, around) for p in parts if type(p) not in _LEAVES)
    if len(stack) - start > 1:
        stack[start:] = stack[start:][::-1]


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


def key_of(node: ast.expr) -> str:
    """``x`` or ``self.x``; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"self.{node.attr}" if node.value.id == "self" else ""
    return ""


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


def _children(node: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """The parts of a node; blocks know what they stand in."""
    if isinstance(node, ast.If):
        yield node.test, around
        yield from _block(node.body, _guarded(around, node.test, holds=True))
        yield from _block(node.orelse, _guarded(around, node.test, holds=False))
    elif isinstance(node, ast.IfExp):
        yield node.test, around
        yield node.body, _guarded(around, node.test, holds=True)
        yield node.orelse, _guarded(around, node.test, holds=False)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        yield from _loop(node, around)
    elif isinstance(node, ast.Try):
        yield from _try(node, around)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        contexts = [item.context_expr for item in node.items]
        yield from _block(contexts, around)
        within = (*around.managers, *contexts)
        yield from _block(node.body, _with(around, managers=within))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        body = node.body if isinstance(node.body, list) else [node.body]
        yield from _block(body, _with(around, inner=True))
    else:
        for child in ast.iter_child_nodes(node):
            yield child, around


def _block(
    nodes: "list[ast.stmt] | list[ast.expr]", around: Around
) -> Iterator[tuple[ast.AST, Around]]:
    return ((node, around) for node in nodes)


def _loop(node: LoopNode, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    within = _with(around, loops=(*around.loops, node))
    if isinstance(node, ast.While):
        yield node.test, around
    else:
        yield node.iter, around
        yield node.target, around
    yield from _block(node.body, within)
    yield from _block(node.orelse, around)


def _try(node: ast.Try, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    yield from _block(node.body, _with(around, tries=(*around.tries, node)))
    for handler in node.handlers:
        yield handler, _with(around, handler=True)
    yield from _block(node.orelse, around)
    yield from _block(node.finalbody, around)


def _guarded(around: Around, test: ast.expr, *, holds: bool) -> Around:
    return _with(around, guards=(*around.guards, Guard(test, holds)))


def _with(around: Around, **changed: Any) -> Around:
    known = {name: getattr(around, name) for name in Around.__slots__}
    return Around(**(known | changed))
