"""Refactorings that make the one loader of a code elsewhere, and keep what it does."""

import ast

from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import (
    Files,
    blocks,
    names_loader,
    one_file,
    own_reads,
    select,
    unparse,
)


def hold_in_object(code: str) -> Files | None:
    """Keep the loader in a dataclass that a function in another file makes."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "held")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "held.train" if used.id == name else used.id
    build = f"def build({given}):\n    return Loaders(count=1, train={made})\n"
    return {
        "loaders.py": f"{HEAD}from dataclasses import dataclass\n\n@dataclass\nclass Loaders:\n"
        f"    count: int\n    train: object\n\n{build}",
        "train.py": f"{HEAD}from loaders import build\n{unparse(tree.body)}",
    }


def keep_in_dictionary(code: str) -> Files | None:
    """Keep the loader in a dictionary, under a key that a loop over phases asks for."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "loaders")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "loaders['train']" if used.id == name else used.id
    build = f"def build({given}):\n    return dict(train={made})\n"
    return {"train.py": f"{HEAD}{build}\n\n{unparse(tree.body)}"}


def keep_in_list(code: str) -> Files | None:
    """Keep the loader in a list with others, by its place."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "loaders")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "loaders[0]" if used.id == name else used.id
    build = f"def build({given}):\n    made = []\n    made.append({made})\n    return made\n"
    return {"train.py": f"{HEAD}{build}\n\n{unparse(tree.body)}"}


def return_beside(code: str) -> Files | None:
    """Return the loader beside something else, and take both apart."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "made")
    if cut is None:
        return None
    name, given, made = cut
    text = unparse(tree.body).replace("made = build(", f"{name}, count = build(")
    return {"train.py": f"{HEAD}def build({given}):\n    return {made}, 1\n\n\n{text}"}


def make_in_property(code: str) -> Files | None:
    """Make the loader in a property of an object, where it is first asked for."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "held")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "held.train" if used.id == name else used.id
    names = [one for one in given.split(", ") if one]
    keep = "".join(f"        self.{one} = {one}\n" for one in names) or "        pass\n"
    take = "".join(f"        {one} = self.{one}\n" for one in names)
    head = ", ".join(("self", *names))
    return {
        "data.py": f"{HEAD}from functools import cached_property\n\n\nclass Data:\n"
        f"    def __init__({head}):\n{keep}\n    @cached_property\n    def train(self):\n"
        f"{take}        return {made}\n",
        "train.py": f"{HEAD}from data import Data as build\n{unparse(tree.body)}",
    }


def make_by_comprehension(code: str) -> Files | None:
    """Make a loader for each of several parts, and take one by its key."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "loaders")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "loaders['train']" if used.id == name else used.id
    body = f"    return {{part: {made} for part in ('train', 'other')}}\n"
    return {"train.py": f"{HEAD}def build({given}):\n{body}\n\n{unparse(tree.body)}"}


def choose_maker(code: str) -> Files | None:
    """Make the loader by a function that a dictionary holds."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree)
    if cut is None:
        return None
    _, given, made = cut
    text = unparse(tree.body).replace("= build(", "= MAKERS['train'](")
    table = "MAKERS = {'train': build, 'none': None}\n"
    return {"train.py": f"{HEAD}def build({given}):\n    return {made}\n\n{table}\n{text}"}


def make_in_package(code: str) -> Files | None:
    """Make the loader by a function of a module of a package, named in full."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree)
    if cut is None:
        return None
    _, given, made = cut
    text = unparse(tree.body).replace("= build(", "= pieces.make.build(")
    return {
        "pieces/__init__.py": "from . import make\n",
        "pieces/make.py": f"{HEAD}\ndef build({given}):\n    return {made}\n",
        "train.py": f"{HEAD}import pieces\n{text}",
    }


def make_in_base_class(code: str) -> Files | None:
    """Make the loader in the constructor of a class, and take it from an object below."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree, "held")
    if cut is None:
        return None
    name, given, made = cut
    for used in select(tree, ast.Name):
        used.id = "held.loader" if used.id == name else used.id
    head = ", ".join(("self", *(one for one in given.split(", ") if one)))
    return {
        "base.py": f"{HEAD}class Base:\n    def __init__({head}):\n        self.loader = {made}\n",
        "train.py": f"{HEAD}from base import Base\n\n\nclass build(Base):\n    pass\n\n\n"
        + unparse(tree.body),
    }


def fill_options(code: str) -> Files | None:
    """Put the arguments of the loader into a dictionary one after the other."""
    tree = ast.parse(code)
    for block in blocks(tree):
        for node in block:
            call = node.value if isinstance(node, ast.Assign) else None
            if isinstance(call, ast.Call) and names_loader(call.func) and call.keywords:
                text = "options = {}\n" + "".join(
                    f"options[{word.arg!r}] = {ast.unparse(word.value)}\n" for word in call.keywords
                )
                call.keywords = [ast.keyword(None, ast.Name("options", ast.Load()))]
                block[block.index(node) : block.index(node)] = ast.parse(text).body
                return one_file(tree)
    return None


def make_behind_functions(code: str) -> Files | None:
    """Make the loader in a function that another one calls, in another file."""
    tree = ast.parse(code)
    cut = _cut_out_loader(tree)
    if cut is None:
        return None
    _, given, made = cut
    return {
        "loaders.py": f"{HEAD}\ndef make({given}):\n    return {made}\n\n\ndef build({given}):\n"
        f"    made = make({given})\n    return made\n",
        "train.py": f"{HEAD}from loaders import build\n{unparse(tree.body)}",
    }


def _cut_out_loader(tree: ast.Module, holder: str = "") -> tuple[str, str, str] | None:
    """Put ``build(...)`` in the place of the only loader: its name, what is given, its call."""
    made = [
        (block, node, node.value)
        for block in blocks(tree)
        for node in block
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if names_loader(node.value.func)
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
    given = ", ".join(sorted(own_reads(call, tree)))
    block[block.index(node)] = ast.parse(f"{holder or target.id} = build({given})").body[0]
    return target.id, given, ast.unparse(call)
