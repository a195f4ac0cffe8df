"""Refactorings of what makes an item: into an object, and into one of a list of them."""

import ast
from copy import deepcopy

from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import (
    Files,
    Function,
    add_to_init,
    imports,
    select,
    top_level_data,
    unparse,
    without_imports,
    writes_self,
)

_CHAIN = """
class Chain:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, owner, item):
        for step in self.steps:
            item = step(owner, item)
        return item
"""

_LOAD = """
def load(name, root):
    return DataLoader(eval(name)(root), 64, shuffle=True, num_workers=2, pin_memory=True)
"""


def extract_item_object(code: str) -> Files | None:
    """Let an object in another file make the items, which the dataset only holds."""
    return _make_by_object(code, "Maker()", "")


def put_into_list(code: str) -> Files | None:
    """Let the items be made by the steps of a list, which an object of its own goes through."""
    return _make_by_object(code, "Chain([Maker()])", _CHAIN)


def choose_by_text(code: str) -> Files | None:
    """Let a text choose the class of the dataset, which derives from nothing."""
    tree, changed = ast.parse(code), False
    for cls in select(tree, ast.ClassDef):
        names = {m.name for m in cls.body if isinstance(m, Function)}
        made = any(isinstance(n.func, ast.Name) and n.func.id == cls.name for n in _calls(tree))
        if names >= {"__getitem__", "__len__"} and not made:
            cls.bases, changed = [], True
    if not changed or select(tree, ast.For):
        return None
    return {"train.py": f"{HEAD}{unparse(tree.body)}\n\n{_LOAD}"}


def _calls(tree: ast.Module) -> list[ast.Call]:
    return select(tree, ast.Call)


def _make_by_object(code: str, held: str, more: str) -> Files | None:
    tree, made = ast.parse(code), ast.parse(more).body
    found = False
    for cls in select(tree, ast.ClassDef):
        for method in [m for m in cls.body if isinstance(m, Function)]:
            if method.name == "__getitem__" and not writes_self(cls):
                maker = ast.parse("class Maker:\n    pass\n").body[0]
                assert isinstance(maker, ast.ClassDef)
                call = deepcopy(method)
                call.name = "__call__"
                owner = ast.arg("owner")
                for node in select(call, ast.Name):
                    node.id = "owner" if node.id == "self" else node.id
                call.args.args = [ast.arg("self"), owner, *call.args.args[1:]]
                maker.body = [call]
                made.append(maker)
                given = ", ".join(one.arg for one in method.args.args)
                method.body = ast.parse(f"return self.maker({given})").body
                add_to_init(cls, f"self.maker = {held}")
                found = True
    if not found:
        return None
    top = without_imports(tree)
    own = top_level_data(tree)
    names = "Chain, Maker" if more else "Maker"
    return {
        "data/makers.py": HEAD + unparse([*imports(tree), *own, *made]),
        "train.py": f"{HEAD}from data.makers import {names}\n"
        + unparse([*imports(tree), *[s for s in top if s not in own]]),
    }
