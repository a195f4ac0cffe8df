"""What stands around a tensor that is wrapped in Variable, and the lines that do nothing else."""

import ast

from pipedoctor.facts.call_text import Span
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.blocks import find_statement_path, is_alone_on_lines
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

_ATOMIC_TYPES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def unwrap_variable(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``Variable(x)``: what stands around x, with parentheses of its own where x needs them."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or not _has_plain_flags(node):
        return NO_PIECES
    inner = node.args[0]
    if isinstance(inner, (ast.Starred, ast.GeneratorExp)) or measure_call(source, node) is None:
        return NO_PIECES
    start, end = source.node_start(node), source.node_end(node)
    first, last = source.node_start(inner), source.node_end(inner)
    before = source.text_between(source.node_end(node.func), first)
    after = source.text_between(last, end)
    plain = before.strip() == "(" and (bool(node.keywords) or after.strip(" \t\r\n,") == ")")
    if not plain or "#" in before + after:
        return NO_PIECES
    spans = (source.make_span(start, first), source.make_span(last, end))
    lines = _lines_of_rewrapping(source, node)
    pieces: dict[str, Span] = {"lines": lines} if lines else {}
    names = ("open", "close") if isinstance(inner, _ATOMIC_TYPES) else ("left", "right")
    pieces.update(zip(names, spans, strict=True))
    return RewritePieces(pieces)


def _has_plain_flags(node: ast.Call) -> bool:
    """Does it say at most whether it wants a gradient, or what it always did?"""
    return all(
        isinstance(word.value, ast.Constant)
        and (word.arg == "requires_grad" or (word.arg, word.value.value) == ("volatile", False))
        and isinstance(word.value.value, bool)
        for word in node.keywords
    )


def _lines_of_rewrapping(source: SourceText, node: ast.Call) -> Span | None:
    """The lines of ``x, y = Variable(x), Variable(y)``, if its block has other statements."""
    path = find_statement_path(source.module.file.tree, node)
    line = path[-1].statement if path else None
    if not isinstance(line, ast.Assign) or len(line.targets) != 1 or len(path[-1].block) == 1:
        return None
    target, value = line.targets[0], line.value
    whole = isinstance(target, ast.Name)
    targets = [target] if whole else getattr(target, "elts", [])
    values = [value] if whole else getattr(value, "elts", [])
    if len(targets) != len(values) or not all(map(_wraps_again, targets, values)):
        return None
    end = source.node_end(line)
    following = source.lines[end.line - 1 : end.line + 1]
    if not is_alone_on_lines(source, line) or len(following) == 1 or "#" in following[0]:
        return None
    return source.make_span(TextPosition(line.lineno, 0), TextPosition(end.line + 1, 0))


def _wraps_again(target: ast.expr, value: ast.expr) -> bool:
    """``x = Variable(x)``: the same name, without a gradient."""
    return (
        isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and last_name(value.func) == "Variable"
        and [getattr(one, "id", "") for one in value.args] == [target.id]
        and _has_plain_flags(value)
        and not any(
            isinstance(word.value, ast.Constant) and word.value.value for word in value.keywords
        )
    )
