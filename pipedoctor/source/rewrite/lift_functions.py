"""Functions that workers need: a lambda or a local one becomes one of the module."""

import ast
from collections.abc import Sequence

from pipedoctor.source.rewrite.quote_code import (
    indent_lines,
    quote_expression,
    quote_statement,
)
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.bindings import (
    BUILTIN_NAMES,
    bound_names,
    collect_names,
    names_of_node,
)
from pipedoctor.source.syntax.blocks import (
    StatementPosition,
    find_indent_unit,
    find_statement_path,
    first_line,
    start_with_comments,
)
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

_MAX_NAMES = 9
_SUSPENDING_TYPES = (ast.Yield, ast.YieldFrom, ast.Await)


def lift_function(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """Move a lambda or a local function that workers need to the module level."""
    path = find_statement_path(source.module.file.tree, node)
    if not path or source.module.file.cells:
        return NO_PIECES
    top = path[0].statement
    if isinstance(node, ast.Lambda):
        return _lift_lambda(source, scope, node, path)
    local = scope.local_functions.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(local, ast.FunctionDef) and not scope.is_module_body:
        return _lift_local_function(source, scope, local, top)
    return NO_PIECES


def _lift_lambda(
    source: SourceText,
    scope: CodeScope,
    node: ast.Lambda,
    path: Sequence[StatementPosition],
) -> RewritePieces:
    top = path[0].statement
    around = top if scope.is_module_body else scope.node
    name = _find_free_name(source, node, path[-1].statement)
    body, given = quote_expression(source, node.body), ast.unparse(node.args)
    if not (
        body and name and _is_free_of_locals(source, node, around) and source.matches_text(node)
    ):
        return NO_PIECES
    if any(isinstance(n, _SUSPENDING_TYPES) for n in ast.walk(node)) or not _has_plain_parameters(
        node.args
    ):
        return NO_PIECES
    unit = "    "
    if not scope.is_module_body and not isinstance(scope.node, ast.Module):
        unit = find_indent_unit(source, scope.node.body[0], scope.node)
    text = f"({body})" if "\n" in body else body
    made = f"def {name}({given}):\n{unit}return {text}\n\n\n"
    return RewritePieces(
        {
            "above": source.make_span(start_with_comments(source, top)),
            "given": source.node_span(node),
        },
        {"above": f"{_missing_blank_lines(source, top)}{made}", "given": name},
    )


def _lift_local_function(
    source: SourceText, scope: CodeScope, node: ast.FunctionDef, top: ast.stmt
) -> RewritePieces:
    path = find_statement_path(source.module.file.tree, node)
    lines = quote_statement(source, node)
    inside = sum(name == node.name for name in collect_names(scope.node))
    everywhere = sum(name == node.name for name in collect_names(source.module.file.tree))
    bound = sum(
        isinstance(n, ast.Name) and n.id == node.name and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(scope.node)
    )
    simple = path[-1].statement is node and len(path[-1].block) > 1
    if not lines or not simple or inside != everywhere or bound:
        return NO_PIECES
    if node.decorator_list or not _has_plain_parameters(node.args):
        return NO_PIECES
    if not _is_free_of_locals(source, node, scope.node):
        return NO_PIECES
    begin, end = first_line(node), source.node_end(node).line
    while end < len(source.lines) and not source.lines[end].strip():
        end += 1
    if end == len(source.lines):
        return NO_PIECES
    return RewritePieces(
        {
            "above": source.make_span(start_with_comments(source, top)),
            "moved": source.make_span(TextPosition(begin, 0), TextPosition(end + 1, 0)),
        },
        {
            "above": f"{_missing_blank_lines(source, top)}{indent_lines(lines, '')}\n\n",
            "moved": "",
        },
    )


def _has_plain_parameters(args: ast.arguments) -> bool:
    """Nothing is computed when it is made: no defaults but numbers, no annotations."""
    defaults = [*args.defaults, *(one for one in args.kw_defaults if one)]
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    told = any(one.annotation for one in every if one)
    return not told and all(
        isinstance(one, ast.Constant) and not isinstance(one.value, (str, bytes))
        for one in defaults
    )


def _is_free_of_locals(
    source: SourceText, node: ast.Lambda | ast.FunctionDef, context: ast.AST
) -> bool:
    """Does it mean the same in the module, where no local name is seen?"""
    own = bound_names(node)
    used = set(collect_names(node)) - own
    held = {id(one) for one in ast.walk(node)}
    outer = {
        name
        for one in ast.walk(context)
        if id(one) not in held and one is not context
        for name in _names_bound_by(one)
    }
    if isinstance(context, (ast.FunctionDef, ast.AsyncFunctionDef)):
        outer |= bound_names(context.args)
    if used & outer or "super" in used or "__class__" in used:
        return False
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in ast.walk(node)):
        return False
    known = bound_names(source.module.file.tree) | BUILTIN_NAMES
    private = [n for n in _all_names(node) if n.startswith("__") and n[-2:] != "__"]
    return used <= known and not private


def _names_bound_by(node: ast.AST) -> set[str]:
    """What this node itself binds."""
    loads = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return set() if loads else set(names_of_node(node))


def _all_names(node: ast.AST) -> set[str]:
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return attributes | set(collect_names(node))


def _find_free_name(source: SourceText, node: ast.Lambda, line: ast.AST) -> str:
    """A name that the file does not use yet; empty if all candidates are taken."""
    base = f"_{_suggest_name(node, line).strip('_') or 'it'}"
    names = [base, *(f"{base}_{n}" for n in range(2, _MAX_NAMES + 1))]
    return next((name for name in names if not source.is_name_used(name)), "")


def _suggest_name(node: ast.Lambda, line: ast.AST) -> str:
    """What it is for: ``collate_fn=``, ``self.scale =``; or what it does, or takes."""
    for one in ast.walk(line):
        if isinstance(one, ast.keyword) and one.value is node and one.arg:
            return one.arg.removesuffix("_fn").removesuffix("_func")
        if isinstance(one, ast.Assign) and one.value is node:
            return last_name(one.targets[0])
    if isinstance(node.body, ast.Call) and last_name(node.body.func):
        return last_name(node.body.func)
    given = [*node.args.posonlyargs, *node.args.args]
    if isinstance(node.body, ast.Name) and [one.arg for one in given] == [node.body.id]:
        return "identity"
    return f"of_{given[0].arg.lstrip('_')}" if given else ""


def _missing_blank_lines(source: SourceText, top: ast.stmt) -> str:
    """Blank lines that are missing before a new function."""
    line = start_with_comments(source, top).line
    before = source.lines[max(0, line - 3) : line - 1]
    blank = len(before) - max((n for n, text in enumerate(before, 1) if text.strip()), default=0)
    return "\n" * (2 - min(blank, 2)) if line > 1 else ""
