"""What refactorings of code look up and write: names, loops over batches, classes."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import TypeAlias, TypeGuard, TypeVar

from tests.checks.code_samples import HEAD

Files: TypeAlias = Mapping[str, str]
Node = TypeVar("Node", bound=ast.AST)
Function: TypeAlias = ast.FunctionDef
IMPORTED = {
    name.asname or name.name
    for node in ast.walk(ast.parse(HEAD))
    if isinstance(node, (ast.Import, ast.ImportFrom))
    for name in node.names
}
_GIVEN_LOADER = "loader = DataLoader(dataset, 64, shuffle=True, num_workers=2, pin_memory=True)"


def ground(code: str) -> str:
    """Give an example the loader that it iterates, where it makes none."""
    tree = ast.parse(code)
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and is_store(n)}
    if "loader" in bound or not batch_loops(tree) or select(tree, ast.FunctionDef):
        return code
    free = {n.id for n in select(tree, ast.Name)} - bound - IMPORTED - set(dir(builtins))
    given = ", ".join(sorted({"dataset", *free} - {"loader"}))
    (main,) = ast.parse(f"def main({given}):\n    {_GIVEN_LOADER}").body
    assert isinstance(main, Function)
    main.body += without_imports(tree)
    return unparse([*imports(tree), main])


def one_file(tree: ast.Module) -> Files:
    return {"train.py": HEAD + unparse(tree.body)}


def unparse(statements: list[ast.stmt]) -> str:
    module = ast.Module(statements, [])
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def select(top: ast.AST, kind: type[Node]) -> list[Node]:
    return [node for node in ast.walk(top) if isinstance(node, kind)]


def is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def inside(loop: ast.For) -> Iterator[ast.AST]:
    for statement in loop.body:
        yield from ast.walk(statement)


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            yield node.body  # type: ignore[attr-defined]


def bound_names(tree: ast.Module) -> set[str]:
    names = {n.id for n in select(tree, ast.Name) if isinstance(n.ctx, ast.Store)}
    names |= {a.arg for a in select(tree, ast.arg)} - {"self"}
    return names | {s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}


def own_attributes(tree: ast.Module) -> set[str]:
    attributes = {n.attr for n in select(tree, ast.Attribute) if is_self(n.value)}
    attributes |= {n.attr for n in select(tree, ast.Attribute) if isinstance(n.ctx, ast.Store)}
    methods = {
        m.name for c in select(tree, ast.ClassDef) for m in c.body if isinstance(m, Function)
    }
    return (attributes | methods) - {m for m in methods if m.startswith("__")}


def root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def writes_self(cls: ast.ClassDef) -> bool:
    """Does an item change the dataset itself?"""
    item = next(m for m in cls.body if isinstance(m, Function) and m.name == "__getitem__")
    stores = (ast.AugAssign, ast.Assign)
    return any(is_self(n) for s in ast.walk(item) if isinstance(s, stores) for n in ast.walk(s))


def add_to_init(cls: ast.ClassDef, line: str) -> None:
    init = next((m for m in cls.body if isinstance(m, Function) and m.name == "__init__"), None)
    if init is None:
        init = select(ast.parse("def __init__(self): pass"), ast.FunctionDef)[0]
        cls.body.insert(0, init)
    init.body.extend(ast.parse(line).body)


def batch_loops(tree: ast.AST) -> list[ast.For]:
    """Loops over what is called a loader, or made there."""
    return [
        loop
        for loop in select(tree, ast.For)
        if (isinstance(loop.iter, ast.Name) and loop.iter.id == "loader")
        or (isinstance(loop.iter, ast.Call) and names_loader(loop.iter.func))
    ]


def names_loader(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "DataLoader"


def own_reads(node: ast.AST, tree: ast.Module) -> set[str]:
    """The names that an expression reads, but those of imports, classes and functions."""
    defined = {s.name for s in tree.body if isinstance(s, ast.ClassDef)}
    inner = {a.arg for a in select(node, ast.arg)}
    imported = {n.asname or n.name for s in imports(tree) for n in s.names}  # type: ignore[attr-defined]
    names = {n.id for n in select(node, ast.Name)} - inner - imported
    return {n for n in names - IMPORTED - defined if n not in dir(builtins)}


def imports(tree: ast.Module) -> list[ast.stmt]:
    return [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]


def without_imports(tree: ast.Module) -> list[ast.stmt]:
    return [s for s in tree.body if not isinstance(s, (ast.Import, ast.ImportFrom))]


def defines(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.ClassDef))


def top_level_data(tree: ast.Module) -> list[ast.stmt]:
    """Values of the module that its classes read."""
    read = {n.id for c in select(tree, ast.ClassDef) for n in select(c, ast.Name)}
    return [
        s
        for s in tree.body
        if isinstance(s, ast.Assign)
        and any(n.id in read for n in s.targets if isinstance(n, ast.Name))
    ]


def qualify(tree: ast.Module, name: str, module: str) -> list[ast.stmt]:
    for node in select(tree, ast.Name):
        node.id = f"{module}.{name}" if node.id == name else node.id
    return tree.body
