"""The argument that switches the anomaly detection of autograd on."""

import ast

from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText


def find_anomaly_mode(call: ast.Call) -> ast.expr | None:
    """The argument that switches it; ``detect_anomaly()`` has none and switches it on."""
    if last_name(call.func) == "set_detect_anomaly":
        return find_call_argument(call, "mode", 0)
    return find_call_argument(call, "detect_anomaly", -1)


def measure_anomaly_mode(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """Where ``True`` is written, measure it."""
    mode = find_anomaly_mode(node) if isinstance(node, ast.Call) else None
    if isinstance(mode, ast.Constant) and mode.value is True:
        return RewritePieces({"mode": source.node_span(mode)})
    return NO_PIECES
