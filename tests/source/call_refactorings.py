"""Refactorings of how things are called and carried: decorators, partials, managers, stars."""

import ast

from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import (
    Files,
    Function,
    batch_loops,
    blocks,
    names_loader,
    one_file,
    select,
    unparse,
)

_ITEM_METHODS = ("__getitem__", "__iter__")
_DECORATOR = """
def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        counts[function.__name__] = counts.get(function.__name__, 0) + 1
        return function(*args, **kwargs)
    return wrapper


counts = {}
"""
_MANAGER = """
@contextlib.contextmanager
def opened(source):
    try:
        yield source
    finally:
        counts.append(1)


counts = []
"""


def keep_in_configuration(code: str) -> Files | None:
    """Take the constants that the loader is given from the fields of a dataclass."""
    tree, fields = ast.parse(code), dict[str, ast.expr]()
    for call in _loader_calls(tree):
        for word in call.keywords:
            if word.arg and isinstance(word.value, ast.Constant):
                fields[f"its_{word.arg}"] = word.value
                word.value = _expression(f"options.its_{word.arg}")
    if not fields:
        return None
    lines = [f"    {name}: object = {ast.unparse(value)}" for name, value in fields.items()]
    text = "\n".join(["@dataclass", "class Options:", *lines])
    return {
        "options.py": f"from dataclasses import dataclass\n\n\n{text}\n",
        "train.py": f"{HEAD}from options import Options\n\n"
        f"options = Options()\n{unparse(tree.body)}",
    }


def make_by_partial(code: str) -> Files | None:
    """Make the loader by a partial that has been given its keywords."""
    tree, changed = ast.parse(code), False
    for block in blocks(tree):
        for node in list(block):
            call = node.value if isinstance(node, ast.Assign) else None
            if isinstance(call, ast.Call) and names_loader(call.func) and call.keywords:
                made = ast.Call(_expression("functools.partial"), [call.func], call.keywords)
                kept = ast.Assign([ast.Name("make", ast.Store())], made, lineno=0)
                block.insert(block.index(node), kept)
                call.func, call.keywords, changed = ast.Name("make", ast.Load()), [], True
    return {"train.py": f"{HEAD}import functools\n{unparse(tree.body)}"} if changed else None


def spread_arguments(code: str) -> Files | None:
    """Hand what the loader is given through a tuple and a dictionary."""
    tree, changed = ast.parse(code), False
    for block in blocks(tree):
        for node in list(block):
            call = node.value if isinstance(node, ast.Assign) else None
            if not (isinstance(call, ast.Call) and names_loader(call.func) and call.args):
                continue
            words: list[ast.expr | None] = [ast.Constant(word.arg) for word in call.keywords]
            values = [word.value for word in call.keywords]
            given = ast.Tuple(call.args, ast.Load())
            made = [ast.Assign([ast.Name("given", ast.Store())], given, lineno=0)]
            made += [ast.Assign([ast.Name("its", ast.Store())], ast.Dict(words, values), lineno=0)]
            block[block.index(node) : block.index(node)] = made
            call.args = [ast.Starred(ast.Name("given", ast.Load()), ast.Load())]
            call.keywords = [ast.keyword(None, ast.Name("its", ast.Load()))]
            changed = True
    return one_file(tree) if changed else None


def pass_everything(code: str) -> Files | None:
    """Hand all that the loader is given through ``*rows`` and ``**options``."""
    tree, changed = ast.parse(code), False
    for call in _loader_calls(tree):
        call.func, changed = ast.Name("make_loader", ast.Load()), True
    wrapper = "\ndef make_loader(*rows, **options):\n    return DataLoader(*rows, **options)\n\n"
    return {"train.py": f"{HEAD}{wrapper}{unparse(tree.body)}"} if changed else None


def unpack_pair(code: str) -> Files | None:
    """Let a function return the loader beside a number, and unpack both."""
    tree, changed = ast.parse(code), False
    for block in blocks(tree):
        for node in block:
            if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
                continue
            if names_loader(node.value.func):
                both = [*node.targets, ast.Name("count", ast.Store())]
                node.targets = [ast.Tuple(both, ast.Store())]
                node.value = ast.Call(ast.Name("pair", ast.Load()), [node.value], [])
                changed = True
    pair = "\ndef pair(first):\n    return first, 1\n\n"
    return {"train.py": f"{HEAD}{pair}{unparse(tree.body)}"} if changed else None


def make_by_registry(code: str) -> Files | None:
    """Register the datasets, and make them by their names in a configuration."""
    tree, made = ast.parse(code), set[str]()
    classes = {one.name: one for one in select(tree, ast.ClassDef)}
    for call in select(tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in classes and not call.keywords:
            made.add(call.func.id)
            call.args.insert(0, ast.Constant(call.func.id))
            call.func = _expression("DATASETS.build")
    for name in made:
        classes[name].decorator_list.append(_expression("DATASETS.register"))
    if not made:
        return None
    return {
        "registry.py": "class Registry:\n    def __init__(self):\n        self.known = {}\n\n"
        "    def register(self, cls):\n        self.known[cls.__name__] = cls\n"
        "        return cls\n\n"
        "    def build(self, name, *args):\n        return self.known[name](*args)\n\n\n"
        "DATASETS = Registry()\n",
        "train.py": f"{HEAD}from registry import DATASETS\n{unparse(tree.body)}",
    }


def take_by_next(code: str) -> Files | None:
    """Take each batch by ``next``, until there is none."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for block in list(blocks(tree)):
        for loop in [one for one in block if one in loops]:
            assert isinstance(loop, ast.For)
            if any(isinstance(n, (ast.Continue, ast.Break)) for n in ast.walk(loop)):
                return None
            text = (
                "batches = iter(None)\nfor _ in range(len(batches)):\n    batch = next(batches)\n"
            )
            begin, repeat = ast.parse(text).body
            assert isinstance(begin, ast.Assign)
            assert isinstance(begin.value, ast.Call)
            assert isinstance(repeat, ast.For)
            assert isinstance(repeat.body[0], ast.Assign)
            begin.value.args = [loop.iter]
            repeat.body[0].targets = [loop.target]
            repeat.body += loop.body
            block[block.index(loop) : block.index(loop) + 1] = [begin, repeat]
    return one_file(tree) if loops else None


def iterate_expression(code: str) -> Files | None:
    """Iterate the loader through a generator expression."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for loop in loops:
        loop.iter = ast.GeneratorExp(
            ast.Name("one", ast.Load()),
            [ast.comprehension(ast.Name("one", ast.Store()), loop.iter, [], 0)],
        )
    return one_file(tree) if loops else None


def iterate_chained(code: str) -> Files | None:
    """Iterate the loader as the first part of a chain, with a count beside each batch."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for loop in loops:
        assert isinstance(loop, ast.For)
        (chained,) = ast.parse("tqdm(enumerate(itertools.chain(None)))").body
        assert isinstance(chained, ast.Expr)
        (call,) = [one for one in ast.walk(chained) if isinstance(one, ast.Call) and _is_chain(one)]
        call.args = [loop.iter]
        loop.iter = chained.value
        loop.target = ast.Tuple([ast.Name("place", ast.Store()), loop.target], ast.Store())
    head = f"{HEAD}import itertools\nfrom tqdm import tqdm\n"
    return {"train.py": head + unparse(tree.body)} if loops else None


def _is_chain(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "chain"


def open_by_manager(code: str) -> Files | None:
    """Iterate what a context manager of the code gives."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for block in list(blocks(tree)):
        for loop in [one for one in block if one in loops]:
            assert isinstance(loop, ast.For)
            (manager,) = ast.parse("with opened(None) as batches:\n    pass\n").body
            assert isinstance(manager, ast.With)
            assert isinstance(manager.items[0].context_expr, ast.Call)
            manager.items[0].context_expr.args = [loop.iter]
            loop.iter, manager.body = ast.Name("batches", ast.Load()), [loop]
            block[block.index(loop)] = manager
    head = f"{HEAD}import contextlib\n{_MANAGER}\n"
    return {"train.py": head + unparse(tree.body)} if loops else None


def decorate(code: str) -> Files | None:
    """Decorate what makes items, and the functions that train, by one that counts calls."""
    tree, changed = ast.parse(code), False
    for function in select(tree, ast.FunctionDef):
        works = function.name in _ITEM_METHODS or batch_loops(function)
        if works and not any(isinstance(one, ast.Yield) for one in ast.walk(function)):
            function.decorator_list.append(ast.Name("logged", ast.Load()))
            changed = True
    head = f"{HEAD}import functools\n{_DECORATOR}\n"
    return {"train.py": head + unparse(tree.body)} if changed else None


def move_into_mixin(code: str) -> Files | None:
    """Move what makes items into another class, of which the dataset is one as well."""
    tree, found = ast.parse(code), False
    for cls in select(tree, ast.ClassDef):
        moved = [m for m in cls.body if isinstance(m, Function) and m.name in _ITEM_METHODS]
        if moved and len(moved) < len(cls.body):
            mixin = ast.parse(f"class {cls.name}Items:\n    pass\n").body[0]
            assert isinstance(mixin, ast.ClassDef)
            mixin.body = list(moved)
            cls.body = [one for one in cls.body if one not in moved]
            cls.bases.insert(0, ast.Name(mixin.name, ast.Load()))
            tree.body.insert(tree.body.index(cls), mixin)
            found = True
    return one_file(tree) if found else None


def ask_by_name(code: str) -> Files | None:
    """Let ``getattr`` find the method that makes the item."""
    tree, found = ast.parse(code), False
    for cls in select(tree, ast.ClassDef):
        for method in [m for m in cls.body if isinstance(m, Function)]:
            if method.name == "__getitem__":
                given = ", ".join(one.arg for one in method.args.args[1:])
                text = f"def __getitem__(self, {given}):\n    return getattr(self, 'make')({given})"
                (outer,) = ast.parse(text).body
                method.name = "make"
                cls.body.append(outer)
                found = True
    return one_file(tree) if found else None


def _loader_calls(tree: ast.Module) -> list[ast.Call]:
    return [call for call in select(tree, ast.Call) if names_loader(call.func)]


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
