"""Modules that are imported by a text: ``import_module(f"data.{name}_dataset")``."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder
from pipedoctor.source.values.lattice import ContainerValue, Evaluating, Frame, ModuleValue, Values

_ANY = r"[\w.]*"
_MAX_DEPTH, _MAX_PATTERNS, _MAX_MODULES = 4, 8, 16


def find_imported_modules(model: Evaluating, node: ast.Call, frame: Frame) -> Values:
    """The files of the project that a call may import, by what is fixed of their names."""
    if not node.args:
        return frozenset()
    patterns = [*_text_patterns(model, node.args[0], frame, _MAX_DEPTH)][:_MAX_PATTERNS]
    wanted = re.compile("|".join(one for one in patterns if one.replace(_ANY, "")) or "(?!)")
    names = {
        module.name
        for module in model.project.modules
        if any(wanted.fullmatch(part) for part in _endings(module.name))
    }
    return frozenset(map(ModuleValue, names)) if len(names) <= _MAX_MODULES else frozenset()


def _endings(name: str) -> Iterator[str]:
    """``a.b.c``, ``b.c`` and ``c``: how a file may be imported."""
    while name:
        yield name
        name = name.partition(".")[2]


def _text_patterns(model: Evaluating, node: ast.expr, frame: Frame, depth: int) -> Iterator[str]:
    """Regular expressions of the texts that an expression may be."""
    if isinstance(node, ast.Constant):
        yield re.escape(str(node.value)) if isinstance(node.value, str) else _ANY
    elif isinstance(node, ast.JoinedStr):
        fixed = (one.value if isinstance(one, ast.Constant) else None for one in node.values)
        yield "".join(re.escape(str(one)) if one is not None else _ANY for one in fixed)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (node.left, node.right)
        first, second = (next(_text_patterns(model, x, frame, depth - 1), _ANY) for x in sides)
        yield first + second
    elif isinstance(node, ast.Call) and last_name(node.func) == "format":
        func = node.func
        text = func.value if isinstance(func, ast.Attribute) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield _ANY.join(map(re.escape, re.split(r"\{[^{}]*\}", text.value)))
    elif isinstance(node, ast.Name) and depth > 0:
        yield from _patterns_of_name(model, node, frame, depth - 1)
    else:
        yield _ANY


def _patterns_of_name(model: Evaluating, node: ast.Name, frame: Frame, depth: int) -> Iterator[str]:
    """By what a variable is given, or by the list that a loop takes it from."""
    found = DefinitionFinder().find(frame.scope, node.id, node.lineno)
    for value in found.assigned:
        yield from _text_patterns(model, value, frame, depth)
    for target in found.looped:
        for held in model.evaluate(target.iterated, frame):
            if isinstance(held, ContainerValue) and isinstance(held.node, (ast.List, ast.Tuple)):
                for one in held.node.elts:
                    yield from _text_patterns(model, one, held.frame, depth)
    if not (found.assigned or found.looped):
        yield _ANY
