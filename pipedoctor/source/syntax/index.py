"""Takes a file apart in one pass: classes, functions, and every step in them."""

import ast
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from pipedoctor.source.syntax.context import (
    BLOCK_SPLITTERS,
    CodeContext,
    CodeStep,
    FunctionNode,
)
from pipedoctor.source.syntax.expressions import binding_key, default_of_field
from pipedoctor.source.syntax.parse import ParsedFile
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope, Module
from pipedoctor.source.syntax.testing_files import is_test_file
from pipedoctor.source.syntax.walk import LEAF_TYPES

_FUNCTION_TYPES = (ast.FunctionDef, ast.AsyncFunctionDef)
_RECORDED_TYPES: frozenset[type[ast.AST]] = frozenset(
    (
        ast.AnnAssign,
        ast.Assert,
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
        ast.YieldFrom,
    )
)
"""Nodes that recognizers ask for; names and attributes are walked where needed."""
_DEFINITION_TYPES: frozenset[type[ast.AST]] = frozenset((ast.ClassDef, *_FUNCTION_TYPES))
_BINDING_TYPES: frozenset[type[ast.AST]] = frozenset(
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
_HANDLED_TYPES = _RECORDED_TYPES | _DEFINITION_TYPES | BLOCK_SPLITTERS.keys()
"""Of which there is more to do than to go into their parts."""
_make_step: Callable[..., CodeStep] = tuple[Any, ...].__new__
"""Makes a step as `Step` does, in half of the time."""
_POSITION_FIELDS = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_LOAD_CONTEXT = ast.Load()
_CHILDLESS_FIELDS = frozenset(
    (
        *("ctx", "op", "ops", "id", "attr", "arg", "kind", "names", "conversion"),
        *("type_comment", "simple", "is_async"),
    )
)


class _ChildGetters(dict[type[ast.AST], Callable[[ast.AST], tuple[Any, ...]]]):
    """For each type of node the getter of all its fields that may hold child nodes."""

    def __missing__(self, kind: type[ast.AST]) -> Callable[[ast.AST], tuple[Any, ...]]:
        names = [name for name in reversed(kind._fields) if name not in _CHILDLESS_FIELDS]
        while len(names) < 2:  # noqa: PLR2004  (of one name it would make no tuple)
            names.append("__doc__")
        self[kind] = attrgetter(*names)
        return self[kind]


_CHILD_GETTERS = _ChildGetters()


def index_module(text: ParsedFile, name: str, *, package: bool) -> Module:
    """Index a parsed file in one pass: its classes, functions and steps."""
    parent = name if package else name.rpartition(".")[0]
    module = Module(text.path, name, parent, text)
    _index_scope(module.body, list(text.tree.body))
    module.is_test = is_test_file(module.path, module.imported_names.values())
    return module


def _index_scope(scope: CodeScope, body: list[ast.stmt]) -> None:
    """Visit in the order of the text, with a stack of our own: no recursion."""
    around = CodeContext()
    nodes: list[ast.AST] = list(reversed(body))
    outer: list[tuple[list[ast.AST], CodeContext]] = [(nodes, around)]
    while outer:
        nodes, around = outer.pop()
        while nodes:
            node = nodes.pop()
            kind = type(node)
            if kind in _HANDLED_TYPES:
                if kind in _DEFINITION_TYPES and _index_definition(scope, node, nodes):
                    continue
                if kind in _RECORDED_TYPES:
                    _record_step(scope, _make_step(CodeStep, (node, around)), kind)
                if kind in BLOCK_SPLITTERS:
                    outer.append((nodes, around))
                    for part, its in reversed(BLOCK_SPLITTERS[kind](node, around)):
                        outer.append((_reversed_branches(part), its))
                    nodes, around = outer.pop()
                    continue
                if kind is ast.Call:
                    _push_call_children(node, nodes)
                    continue
            for value in _CHILD_GETTERS[kind](node):
                held = type(value)  # pyright: ignore[reportUnknownVariableType]
                if held is list:
                    if value:
                        nodes += [n for n in value[::-1] if type(n) not in LEAF_TYPES]
                elif held not in LEAF_TYPES:
                    nodes.append(value)


def _push_call_children(node: Any, nodes: list[ast.AST]) -> None:
    """What is given, and what is called: names with dots have no more parts."""
    if node.keywords:
        nodes += _reversed_branches([word.value for word in node.keywords])
    if node.args:
        nodes += _reversed_branches(node.args)
    func = node.func
    while type(func) is ast.Attribute:
        func = func.value
    if type(func) not in LEAF_TYPES:
        nodes.append(func)


def _reversed_branches(nodes: Sequence[ast.AST]) -> list[ast.AST]:
    return [node for node in reversed(nodes) if type(node) not in LEAF_TYPES]


def _record_step(scope: CodeScope, step: CodeStep, kind: type[ast.AST]) -> None:
    scope.steps.append(step)
    of_type = scope.steps_by_type
    same = of_type.get(kind)
    if same is None:
        same = of_type[kind] = []
    if kind is ast.Call:
        name = _called_name(step.node)
        places = scope.module.calls_by_name.get(name)
        if places is None:
            places = scope.module.calls_by_name[name] = []
        places.append((scope.number, len(same)))
    elif kind in _BINDING_TYPES:
        _record_bindings(scope, step)
    same.append(step)


def _called_name(node: Any) -> str:
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


def _index_definition(scope: CodeScope, node: ast.AST, nodes: list[ast.AST]) -> bool:
    """A class, or a function of the module, is a part of its own."""
    if isinstance(node, ast.ClassDef):
        _index_class(scope.module, node, scope.node)
        return True
    if isinstance(node, _FUNCTION_TYPES) and scope.is_module_body:
        _index_function(scope.module, node, node.name)
        nodes.extend(one for one in node.decorator_list if type(one) not in LEAF_TYPES)
        return True
    return False


def _index_function(
    module: Module, node: FunctionNode, name: str, owner: ClassDefinition | None = None
) -> CodeScope:
    scope = CodeScope(node, module, name, owner, len(module.scopes))
    module.scopes.append(scope)
    if owner is None:
        module.functions[name] = scope
    _index_scope(scope, node.body)
    return scope


def _index_class(
    module: Module, node: ast.ClassDef, outer: FunctionNode | ast.Module | ast.ClassDef
) -> None:
    found = ClassDefinition(module, node.name, node)
    if not isinstance(outer, ast.Module):
        found.visible = range(outer.lineno, (outer.end_lineno or outer.lineno) + 1)
    _add_class(module, found)
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{node.name}.{item.name}"
            found.methods[item.name] = _index_function(module, item, name, found)
        elif isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Name):
                    found.class_attributes[target.id] = item.value
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if item.value is not None:
                found.class_attributes[item.target.id] = default_of_field(item.value)
        elif isinstance(item, ast.ClassDef):
            _index_class(module, item, node)


def _add_class(module: Module, definition: ClassDefinition) -> None:
    """Add a class; of several of one name the last of the widest scope is meant by it."""
    other = module.classes.get(definition.name)
    if other is not None:
        definition.number = 1 + sum(one.name == definition.name for one in module.class_definitions)
    module.class_definitions.append(definition)
    if other is None or len(definition.visible) >= len(other.visible):
        module.classes[definition.name] = definition


def _record_bindings(scope: CodeScope, step: CodeStep) -> None:
    """Keep what a step binds: imports, variables, inner functions."""
    node = step.node
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if type(target) is not ast.Name:
                scope.stores.append((target, node.value))
            _bind_target(scope, target, node.value, step)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        _bind_target(scope, node.target, node.value, step)
    elif isinstance(node, ast.With):
        for item in node.items:
            if item.optional_vars is not None:
                _bind_target(scope, item.optional_vars, item.context_expr, step)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        scope.local_functions[node.name] = node
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        _record_imports(scope.module, node)


def _bind_target(scope: CodeScope, target: ast.expr, value: ast.expr, step: CodeStep) -> None:
    key = binding_key(target)
    if key:
        scope.bindings.setdefault(key, []).append((value, step))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for one, its in zip(target.elts, _spread_value(target, value), strict=True):
            _bind_target(scope, one, its, step)


def _spread_value(target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.expr]:
    """What each of some names is given: a part of what is written, or of its value."""
    count = len(target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        return value.elts
    place = {name: getattr(value, name) for name in _POSITION_FIELDS}
    return [
        ast.Subscript(value, ast.Constant(number), _LOAD_CONTEXT, **place)
        for number in range(count)
    ]


def _record_imports(module: Module, node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.Import):
        for item in node.names:
            top = item.name.partition(".")[0]
            module.imported_names[item.asname or top] = item.name if item.asname else top
        return
    base = node.module or ""
    if node.level:
        parts = module.package.split(".") if module.package else []
        kept = parts[: len(parts) - (node.level - 1)]
        base = ".".join([*kept, *([base] if base else [])])
    for item in node.names:
        if item.name == "*":
            module.star_imports.append(base)
        else:
            full = f"{base}.{item.name}" if base else item.name
            module.imported_names[item.asname or item.name] = full
