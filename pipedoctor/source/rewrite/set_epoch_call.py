"""Where ``sampler.set_epoch(epoch)`` can be inserted."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.code_events.details import RewriteDetails
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText


def _find_epoch_loops(scope: CodeScope, first_line: int) -> Iterator[ast.For]:
    for step in scope.steps_by_type.get(ast.For, []):
        node = step.node
        outer = len(step.context.loops)
        if isinstance(node, ast.For) and node.lineno > first_line and not outer:
            if isinstance(node.target, ast.Name) and not step.context.inner:
                if isinstance(node.iter, ast.Call) and "epoch" in node.target.id:
                    yield node


def insert_set_epoch(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """Where the loop over epochs begins, if there is but one, and what it counts."""
    loops = list(_find_epoch_loops(scope, getattr(node, "lineno", 0)))
    names = [key for key, values in scope.bindings.items() if any(v is node for v, _ in values)]
    if len(loops) != 1 or len(names) != 1 or "." in names[0]:
        return NO_PIECES
    loop, name = loops[0], names[0]
    first = loop.body[0]
    others = [(v, s) for v, s in scope.bindings[name] if v is not node]
    none = [isinstance(v, ast.Constant) and v.value is None for v, _ in others]
    guarded = any(s.context.guards for v, s in scope.bindings[name] if v is node)
    simple = isinstance(first, (ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.If))
    begin = source.node_start(first)
    if not all(none) or (guarded and not none) or not simple:
        return NO_PIECES
    if not source.is_line_start(begin) or not isinstance(loop.target, ast.Name):
        return NO_PIECES
    inner, outer = source.indentation(begin.line), source.indentation(loop.lineno)
    text = f"{name}.set_epoch({loop.target.id})\n{inner}"
    if none:
        text = f"if {name} is not None:\n{inner}{inner.removeprefix(outer)}{text}"
    return RewritePieces({"body": source.make_span(begin)}, details=RewriteDetails(text=text))
