"""Refactorings of how classes are found and made, and of how batches are asked for."""

import ast
from typing import TypeGuard

from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import (
    Files,
    batch_loops,
    blocks,
    defines,
    imports,
    one_file,
    select,
    top_level_data,
    unparse,
    without_imports,
)


def import_by_other_names(code: str) -> Files | None:
    """Move the classes into another file, and import them by names of one's own."""
    tree = ast.parse(code)
    classes = [s for s in tree.body if isinstance(s, ast.ClassDef)]
    rest = [s for s in without_imports(tree) if not isinstance(s, ast.ClassDef)]
    if not classes or not rest:
        return None
    own, named = top_level_data(tree), {one.name: f"own_{one.name.lower()}" for one in classes}
    for statement in rest:
        for used in select(statement, ast.Name):
            used.id = named.get(used.id, used.id)
    names = ", ".join(f"{name} as {other}" for name, other in named.items())
    return {
        "classes.py": HEAD + unparse([*imports(tree), *own, *classes]),
        "train.py": f"{HEAD}from classes import {names}\n"
        + unparse([*imports(tree), *(s for s in rest if s not in own)]),
    }


def derive_class(code: str) -> Files | None:
    """Put an empty class of one's own below each class that is made."""
    tree = ast.parse(code)
    classes = {s.name for s in tree.body if isinstance(s, ast.ClassDef)}
    made = {c.func.id for c in select(tree, ast.Call) if isinstance(c.func, ast.Name)} & classes
    if not made:
        return None
    for call in select(tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in made:
            call.func.id = f"Own{call.func.id}"
    for name in sorted(made):
        place = next(n for n, s in enumerate(tree.body) if defines(s) and _is_named(s, name))
        tree.body[place + 1 : place + 1] = ast.parse(f"class Own{name}({name}):\n    pass").body
    return one_file(tree)


def make_by_class_method(code: str) -> Files | None:
    """Make each object by a method of its class."""
    tree = ast.parse(code)
    classes = {s.name: s for s in tree.body if isinstance(s, ast.ClassDef)}
    made: set[str] = set()
    for call in select(tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in classes:
            made.add(call.func.id)
            call.func = ast.Attribute(call.func, "create", ast.Load())
    for name in made:
        text = "@classmethod\ndef create(cls, *args, **kwargs):\n    return cls(*args, **kwargs)"
        classes[name].body += ast.parse(text).body
    return one_file(tree) if made else None


def ask_until_stopped(code: str) -> Files | None:
    """Ask for each batch by ``next``, until StopIteration ends it."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for block in list(blocks(tree)):
        for loop in [one for one in block if one in loops]:
            assert isinstance(loop, ast.For)
            text = (
                f"batches = iter({ast.unparse(loop.iter)})\nwhile True:\n    try:\n"
                f"        {ast.unparse(loop.target)} = next(batches)\n"
                "    except StopIteration:\n        break\n"
            )
            begin, repeat = ast.parse(text).body
            assert isinstance(repeat, ast.While)
            repeat.body += loop.body
            block[block.index(loop) : block.index(loop) + 1] = [begin, repeat]
    return one_file(tree) if loops else None


def count_epochs(code: str) -> Files | None:
    """Count epochs by hand, in a ``while``."""
    tree = ast.parse(code)
    loops = batch_loops(tree)
    for block in list(blocks(tree)):
        for loop in block:
            if isinstance(loop, ast.For) and loop not in loops and _is_range(loop.iter):
                begin, repeat = ast.parse(
                    f"{ast.unparse(loop.target)} = 0\n"
                    f"while {ast.unparse(loop.target)} < {ast.unparse(loop.iter.args[-1])}:\n"
                    f"    {ast.unparse(loop.target)} += 1\n"
                ).body
                assert isinstance(repeat, ast.While)
                repeat.body = [*loop.body, *repeat.body]
                block[block.index(loop) : block.index(loop) + 1] = [begin, repeat]
                return one_file(tree) if loops else None
    return None


def _is_range(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "range"


def _is_named(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.ClassDef) and statement.name == name
