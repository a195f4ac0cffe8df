"""Refactorings that keep what code does: what is found before must be found after."""

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import TypeAlias, TypeGuard, TypeVar

from tests.checks.code_samples import HEAD

Files: TypeAlias = Mapping[str, str]
Refactoring: TypeAlias = Callable[[str], Files | None]
Node = TypeVar("Node", bound=ast.AST)
Function: TypeAlias = ast.FunctionDef
_IMPORTED = {
    name.asname or name.name
    for node in ast.walk(ast.parse(HEAD))
    if isinstance(node, (ast.Import, ast.ImportFrom))
    for name in node.names
}
_GIVEN_LOADER = "loader = DataLoader(dataset, 64, shuffle=True, num_workers=2, pin_memory=True)"
_ITEM_METHODS = ("__getitem__", "__iter__", "__len__")


def ground(code: str) -> str:
    """Give an example the loader that it iterates, where it makes none."""
    tree = ast.parse(code)
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_store(n)}
    if "loader" in bound or not _batch_loops(tree) or _select(tree, ast.FunctionDef):
        return code
    free = {n.id for n in _select(tree, ast.Name)} - bound - _IMPORTED - set(dir(builtins))
    given = ", ".join(sorted({"dataset", *free} - {"loader"}))
    (main,) = ast.parse(f"def main({given}):\n    {_GIVEN_LOADER}").body
    assert isinstance(main, Function)
    main.body += _without_imports(tree)
    return _text([*_imports(tree), main])


def rename(code: str) -> Files | None:
    """Give every name and attribute of its own a name that says nothing."""
    tree = ast.parse(code)
    names = {name: f"v{n}" for n, name in enumerate(sorted(_bound_names(tree)))}
    attributes = {name: f"a{n}" for n, name in enumerate(sorted(_own_attributes(tree)))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.name = names.get(node.name, attributes.get(node.name, node.name))
        elif isinstance(node, ast.Attribute) and _root(node) not in _IMPORTED:
            node.attr = attributes.get(node.attr, node.attr)
    return _one_file(tree)


def extract_item_function(code: str) -> Files | None:
    """Move what makes an item into a method of its own, in another method's hands."""
    tree, changed = ast.parse(code), False
    for cls in _select(tree, ast.ClassDef):
        for method in [m for m in cls.body if isinstance(m, Function)]:
            if method.name in _ITEM_METHODS:
                inner = deepcopy(method)
                inner.name = f"_make_{method.name.strip('_')}"
                given = ", ".join(one.arg for one in method.args.args[1:])
                call = f"self.{inner.name}({given})"
                text = f"yield from {call}" if method.name == "__iter__" else f"return {call}"
                method.body = ast.parse(text).body
                cls.body.append(inner)
                changed = True
    return _one_file(tree) if changed else None


def extract_item_object(code: str) -> Files | None:
    """Let an object in another file make the items, which the dataset only holds."""
    tree, made = ast.parse(code), list[ast.stmt]()
    for cls in _select(tree, ast.ClassDef):
        for method in [m for m in cls.body if isinstance(m, Function)]:
            if method.name == "__getitem__" and not _writes_self(cls):
                maker = ast.parse("class Maker:\n    pass\n").body[0]
                assert isinstance(maker, ast.ClassDef)
                call = deepcopy(method)
                call.name = "__call__"
                owner = ast.arg("owner")
                for node in _select(call, ast.Name):
                    node.id = "owner" if node.id == "self" else node.id
                call.args.args = [ast.arg("self"), owner, *call.args.args[1:]]
                maker.body = [call]
                made.append(maker)
                given = ", ".join(one.arg for one in method.args.args)
                method.body = ast.parse(f"return self.maker({given})").body
                _add_to_init(cls, "self.maker = Maker()")
    if not made:
        return None
    top = _without_imports(tree)
    own = _top_level_data(tree)
    return {
        "data/makers.py": HEAD + _text([*_imports(tree), *own, *made]),
        "train.py": f"{HEAD}from data.makers import Maker\n"
        + _text([*_imports(tree), *[s for s in top if s not in own]]),
    }


def extract_step(code: str) -> Files | None:
    """Move what is done with a batch into a function in another file."""
    tree = ast.parse(code)
    for loop in _batch_loops(tree):
        if any(isinstance(n, (ast.AugAssign, ast.For, ast.Yield)) for n in _inside(loop)):
            return None
        stored = {n.id for n in _inside(loop) if _is_store(n)}
        read = {n.id for n in _inside(loop) if isinstance(n, ast.Name)} - stored
        read |= {n.id for n in _select(loop.target, ast.Name)} & {
            n.id for n in _inside(loop) if isinstance(n, ast.Name)
        }
        given = ", ".join(sorted(read - _IMPORTED - set(dir(builtins))))
        function = f"def handle_batch({given}):\n    pass\n"
        target = ast.parse(function).body[0]
        assert isinstance(target, Function)
        target.body = loop.body
        loop.body = ast.parse(f"handle_batch({given})").body
        return {
            "steps.py": HEAD + _text([target]),
            "train.py": f"{HEAD}import steps\n" + _text(_qualify(tree, "handle_batch", "steps")),
        }
    return None


def nest_step(code: str) -> Files | None:
    """Move what is done with a batch into a function within the function."""
    return _nest(code, whole=False)


def nest_loop(code: str) -> Files | None:
    """Iterate the loader in a function within the function, which is given it."""
    return _nest(code, whole=True)


def _nest(code: str, *, whole: bool) -> Files | None:
    tree = ast.parse(code)
    for function in _select(tree, ast.FunctionDef):
        for loop in _batch_loops(function):
            if any(isinstance(n, (ast.AugAssign, ast.Yield, ast.Return)) for n in _inside(loop)):
                return None
            given = ", ".join(sorted({n.id for n in _select(loop.target, ast.Name)}))
            header = "run(batches)" if whole else f"handle({given})"
            (nested,) = ast.parse(f"def {header}:\n    pass\n").body
            assert isinstance(nested, Function)
            if whole:
                iterated = ast.Name("batches", ast.Load())
                nested.body = [ast.For(loop.target, iterated, loop.body, [])]
                call = ast.Expr(ast.Call(ast.Name("run", ast.Load()), [loop.iter], []))
                block = next(one for one in _blocks(function) if loop in one)
                block[block.index(loop)] = call
            else:
                nested.body, loop.body = loop.body, ast.parse(f"handle({given})").body
            function.body.insert(0, nested)
            return _one_file(tree)
    return None


def wrap_in_generator(code: str) -> Files | None:
    """Iterate the loader within a generator that passes its batches on."""
    tree = ast.parse(code)
    for loop in _batch_loops(tree):
        loop.iter = ast.Call(ast.Name("read_batches", ast.Load()), [loop.iter], [])
        return {
            "train.py": f"{HEAD}\ndef read_batches(source):\n    for one in source:\n"
            f"        yield one\n\n{_text(tree.body)}"
        }
    return None


def wrap_in_class(code: str) -> Files | None:
    """Iterate the loader within an object that counts its batches."""
    tree = ast.parse(code)
    for loop in _batch_loops(tree):
        loop.iter = ast.Call(ast.Name("Feed", ast.Load()), [loop.iter], [])
        return {
            "feed.py": "class Feed:\n    def __init__(self, source):\n"
            "        self.source = source\n        self.count = 0\n\n"
            "    def __iter__(self):\n        for one in self.source:\n"
            "            self.count += 1\n            yield one\n",
            "train.py": f"{HEAD}from feed import Feed\n{_text(tree.body)}",
        }
    return None


def hold_in_object(code: str) -> Files | None:
    """Keep the loader in a dataclass that a function in another file makes."""
    tree = ast.parse(code)
    made = [
        (block, node, node.value)
        for block in _blocks(tree)
        for node in block
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if _names_loader(node.value.func)
    ]
    if len(made) != 1:
        return None
    ((block, node, call),) = made
    (target,) = node.targets
    assert isinstance(target, ast.Name)
    if isinstance(call.args[0], ast.Call):
        source = ast.Assign([ast.Name("source", ast.Store())], call.args[0], lineno=0)
        block.insert(block.index(node), source)
        call.args[0] = ast.Name("source", ast.Load())
    given = ", ".join(sorted(_own_reads(call, tree)))
    block[block.index(node)] = ast.parse(f"held = build({given})").body[0]
    for used in _select(tree, ast.Name):
        used.id = "held.train" if used.id == target.id else used.id
    build = f"def build({given}):\n    return Loaders(count=1, train={ast.unparse(call)})\n"
    return {
        "loaders.py": f"{HEAD}from dataclasses import dataclass\n\n@dataclass\nclass Loaders:\n"
        f"    count: int\n    train: object\n\n{build}",
        "train.py": f"{HEAD}from loaders import build\n{_text(tree.body)}",
    }


def pass_keywords(code: str) -> Files | None:
    """Hand the arguments of the loader through ``**options``."""
    tree, changed = ast.parse(code), False
    for call in _select(tree, ast.Call):
        if _names_loader(call.func) and call.keywords:
            call.func = ast.Name("make_loader", ast.Load())
            changed = True
    wrapper = "\ndef make_loader(source, **options):\n    return DataLoader(source, **options)\n\n"
    return {"train.py": f"{HEAD}{wrapper}{_text(tree.body)}"} if changed else None


def split_files(code: str) -> Files | None:
    """Move the classes into another file."""
    tree = ast.parse(code)
    classes = [s for s in tree.body if isinstance(s, ast.ClassDef)]
    rest = [s for s in _without_imports(tree) if not isinstance(s, ast.ClassDef)]
    if not classes or not rest:
        return None
    own = _top_level_data(tree)
    names = ", ".join(one.name for one in classes)
    return {
        "data/__init__.py": f"from .classes import {names}\n",
        "data/classes.py": HEAD + _text([*_imports(tree), *own, *classes]),
        "train.py": f"{HEAD}from data import {names}\n"
        + _text([*_imports(tree), *(s for s in rest if s not in own)]),
    }


def move_into_trainer(code: str) -> Files | None:
    """Make the loop a method of a trainer, and what it uses attributes."""
    tree = ast.parse(code)
    if not _batch_loops(tree):
        return None
    trains = [s for s in tree.body if isinstance(s, Function) and _batch_loops(s)]
    source = trains[0] if trains else tree
    body = source.body if trains else [s for s in _without_imports(tree) if not _defines(s)]
    if any(isinstance(n, ast.Return) for s in body for n in ast.walk(s)):
        return None
    parameters = [one.arg for one in trains[0].args.args] if trains else []
    local = {n.id for s in body for n in ast.walk(s) if _is_store(n)} | set(parameters)
    bound = {
        n.id for loop in _select(source, ast.For) for n in ast.walk(loop.target) if _is_store(n)
    }
    first = next((n for n, s in enumerate(body) if isinstance(s, ast.For)), 0)
    for statement in body:
        for node in _select(statement, ast.Name):
            if node.id in local - bound:
                node.id = f"self.{node.id}"
    init = [f"    self.{one} = {one}" for one in parameters] or ["    pass"]
    head = ", ".join(["self", *parameters])
    text = "\n    ".join([f"class Trainer(Base):\n    def __init__({head}):", *init])
    cls = ast.parse(f"{text}\n\n    def fit(self):\n        pass\n").body[0]
    assert isinstance(cls, ast.ClassDef)
    start, fit = cls.body
    assert isinstance(start, Function)
    assert isinstance(fit, Function)
    start.body += body[:first]
    fit.body = body[first:]
    others = [s for s in tree.body if s is not source and s not in body]
    end = "" if trains else "\nif __name__ == '__main__':\n    Trainer().run()\n"
    return {
        "base.py": "class Base:\n    def run(self):\n        self.fit()\n",
        "train.py": f"{HEAD}from base import Base\n{_text([*others, cls])}{end}",
    }


REFACTORINGS: tuple[Refactoring, ...] = (
    rename,
    extract_item_function,
    extract_item_object,
    extract_step,
    nest_step,
    nest_loop,
    wrap_in_generator,
    wrap_in_class,
    hold_in_object,
    pass_keywords,
    split_files,
    move_into_trainer,
)


def _one_file(tree: ast.Module) -> Files:
    return {"train.py": HEAD + _text(tree.body)}


def _text(statements: list[ast.stmt]) -> str:
    module = ast.Module(statements, [])
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _select(top: ast.AST, kind: type[Node]) -> list[Node]:
    return [node for node in ast.walk(top) if isinstance(node, kind)]


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _inside(loop: ast.For) -> Iterator[ast.AST]:
    for statement in loop.body:
        yield from ast.walk(statement)


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            yield node.body  # type: ignore[attr-defined]


def _bound_names(tree: ast.Module) -> set[str]:
    names = {n.id for n in _select(tree, ast.Name) if isinstance(n.ctx, ast.Store)}
    names |= {a.arg for a in _select(tree, ast.arg)} - {"self"}
    return names | {s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}


def _own_attributes(tree: ast.Module) -> set[str]:
    attributes = {n.attr for n in _select(tree, ast.Attribute) if _is_self(n.value)}
    attributes |= {n.attr for n in _select(tree, ast.Attribute) if isinstance(n.ctx, ast.Store)}
    methods = {
        m.name for c in _select(tree, ast.ClassDef) for m in c.body if isinstance(m, Function)
    }
    return (attributes | methods) - {m for m in methods if m.startswith("__")}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _writes_self(cls: ast.ClassDef) -> bool:
    """Does an item change the dataset itself?"""
    item = next(m for m in cls.body if isinstance(m, Function) and m.name == "__getitem__")
    stores = (ast.AugAssign, ast.Assign)
    return any(_is_self(n) for s in ast.walk(item) if isinstance(s, stores) for n in ast.walk(s))


def _add_to_init(cls: ast.ClassDef, line: str) -> None:
    init = next((m for m in cls.body if isinstance(m, Function) and m.name == "__init__"), None)
    if init is None:
        init = _select(ast.parse("def __init__(self): pass"), ast.FunctionDef)[0]
        cls.body.insert(0, init)
    init.body.extend(ast.parse(line).body)


def _batch_loops(tree: ast.AST) -> list[ast.For]:
    """Loops over what is called a loader, or made there."""
    return [
        loop
        for loop in _select(tree, ast.For)
        if (isinstance(loop.iter, ast.Name) and loop.iter.id == "loader")
        or (isinstance(loop.iter, ast.Call) and _names_loader(loop.iter.func))
    ]


def _names_loader(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "DataLoader"


def _own_reads(node: ast.AST, tree: ast.Module) -> set[str]:
    """The names that an expression reads, but those of imports, classes and functions."""
    defined = {s.name for s in tree.body if isinstance(s, ast.ClassDef)}
    inner = {a.arg for a in _select(node, ast.arg)}
    imported = {n.asname or n.name for s in _imports(tree) for n in s.names}  # type: ignore[attr-defined]
    names = {n.id for n in _select(node, ast.Name)} - inner - imported
    return {n for n in names - _IMPORTED - defined if n not in dir(builtins)}


def _imports(tree: ast.Module) -> list[ast.stmt]:
    return [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]


def _without_imports(tree: ast.Module) -> list[ast.stmt]:
    return [s for s in tree.body if not isinstance(s, (ast.Import, ast.ImportFrom))]


def _defines(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.ClassDef))


def _top_level_data(tree: ast.Module) -> list[ast.stmt]:
    """Values of the module that its classes read."""
    read = {n.id for c in _select(tree, ast.ClassDef) for n in _select(c, ast.Name)}
    return [
        s
        for s in tree.body
        if isinstance(s, ast.Assign)
        and any(n.id in read for n in s.targets if isinstance(n, ast.Name))
    ]


def _qualify(tree: ast.Module, name: str, module: str) -> list[ast.stmt]:
    for node in _select(tree, ast.Name):
        node.id = f"{module}.{name}" if node.id == name else node.id
    return tree.body
