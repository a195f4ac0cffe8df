"""Functions that workers need: a lambda or a local one becomes one of the module."""

import ast
from collections.abc import Sequence

from pipedoctor.source.bindings import BUILTINS, bound_in, names_in, own_names
from pipedoctor.source.blocks import Place, above, first_line, path_to, unit_of
from pipedoctor.source.measured import NONE, Pieces
from pipedoctor.source.pen import Pen, Point
from pipedoctor.source.project import last_name
from pipedoctor.source.quoted import lines_of, quoted, shifted
from pipedoctor.source.scope import Scope

_MOST = 9
_WAITING = (ast.Yield, ast.YieldFrom, ast.Await)


def sent(pen: Pen, scope: Scope, node: ast.AST) -> Pieces:
    """A lambda, or the name of a function within a function."""
    path = path_to(pen.module.text.tree, node)
    if not path or pen.module.text.cells:
        return NONE
    top = path[0].statement
    if isinstance(node, ast.Lambda):
        return _lambda(pen, scope, node, path)
    local = scope.local.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(local, ast.FunctionDef) and not scope.at_top:
        return _local(pen, scope, local, top)
    return NONE


def _lambda(pen: Pen, scope: Scope, node: ast.Lambda, path: Sequence[Place]) -> Pieces:
    top = path[0].statement
    around = top if scope.at_top else scope.node
    name = _fresh_name(pen, node, path[-1].statement)
    body, given = quoted(pen, node.body), ast.unparse(node.args)
    if not (body and name and _free(pen, node, around) and pen.same(node)):
        return NONE
    if any(isinstance(n, _WAITING) for n in ast.walk(node)) or not _plain(node.args):
        return NONE
    unit = "    "
    if not scope.at_top and not isinstance(scope.node, ast.Module):
        unit = unit_of(pen, scope.node.body[0], scope.node)
    text = f"({body})" if "\n" in body else body
    made = f"def {name}({given}):\n{unit}return {text}\n\n\n"
    return Pieces(
        {"above": pen.span(above(pen, top)), "given": pen.of(node)},
        {"above": f"{_gap(pen, top)}{made}", "given": name},
    )


def _local(pen: Pen, scope: Scope, node: ast.FunctionDef, top: ast.stmt) -> Pieces:
    path = path_to(pen.module.text.tree, node)
    lines = lines_of(pen, node)
    inside = sum(name == node.name for name in names_in(scope.node))
    everywhere = sum(name == node.name for name in names_in(pen.module.text.tree))
    bound = sum(
        isinstance(n, ast.Name)
        and n.id == node.name
        and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(scope.node)
    )
    simple = path[-1].statement is node and len(path[-1].block) > 1
    if not lines or not simple or inside != everywhere or bound:
        return NONE
    if node.decorator_list or not _plain(node.args):
        return NONE
    if not _free(pen, node, scope.node):
        return NONE
    begin, end = first_line(node), pen.end(node).line
    while end < len(pen.lines) and not pen.lines[end].strip():
        end += 1
    if end == len(pen.lines):
        return NONE
    return Pieces(
        {
            "above": pen.span(above(pen, top)),
            "moved": pen.span(Point(begin, 0), Point(end + 1, 0)),
        },
        {"above": f"{_gap(pen, top)}{shifted(lines, '')}\n\n", "moved": ""},
    )


def _plain(args: ast.arguments) -> bool:
    """Nothing is computed when it is made: no defaults but numbers, no annotations."""
    defaults = [*args.defaults, *(one for one in args.kw_defaults if one)]
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    told = any(one.annotation for one in every if one)
    return not told and all(
        isinstance(one, ast.Constant) and not isinstance(one.value, (str, bytes))
        for one in defaults
    )


def _free(pen: Pen, node: ast.Lambda | ast.FunctionDef, around: ast.AST) -> bool:
    """Does it mean the same in the module, where no local name is seen?"""
    own = bound_in(node)
    used = set(names_in(node)) - own
    held = {id(one) for one in ast.walk(node)}
    outer = {
        name
        for one in ast.walk(around)
        if id(one) not in held and one is not around
        for name in _stored(one)
    }
    if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        outer |= bound_in(around.args)
    if used & outer or "super" in used or "__class__" in used:
        return False
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in ast.walk(node)):
        return False
    known = bound_in(pen.module.text.tree) | BUILTINS
    private = [n for n in _attributes(node) if n.startswith("__") and n[-2:] != "__"]
    return used <= known and not private


def _stored(node: ast.AST) -> set[str]:
    """What this node itself binds."""
    loads = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return set() if loads else set(own_names(node))


def _attributes(node: ast.AST) -> set[str]:
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return attributes | set(names_in(node))


def _fresh_name(pen: Pen, node: ast.Lambda, line: ast.AST) -> str:
    """A name that nothing in the file has; empty: all that come to mind are taken."""
    base = f"_{_purpose(node, line).strip('_') or 'it'}"
    names = [base, *(f"{base}_{n}" for n in range(2, _MOST + 1))]
    return next((name for name in names if not pen.takes(name)), "")


def _purpose(node: ast.Lambda, line: ast.AST) -> str:
    """What it is for: ``collate_fn=``, ``self.scale =``; or what it does, or takes."""
    for one in ast.walk(line):
        if isinstance(one, ast.keyword) and one.value is node and one.arg:
            return one.arg.removesuffix("_fn").removesuffix("_func")
        if isinstance(one, ast.Assign) and one.value is node:
            return last_name(one.targets[0])
    if isinstance(node.body, ast.Call) and last_name(node.body.func):
        return last_name(node.body.func)
    given = [*node.args.posonlyargs, *node.args.args]
    return f"of_{given[0].arg.lstrip('_')}" if given else ""


def _gap(pen: Pen, top: ast.stmt) -> str:
    """Blank lines that are missing before a new function."""
    line = above(pen, top).line
    before = pen.lines[max(0, line - 3) : line - 1]
    blank = len(before) - max(
        (n for n, text in enumerate(before, 1) if text.strip()), default=0
    )
    return "\n" * (2 - min(blank, 2)) if line > 1 else ""
