"""Old and private names of torch: the call, the import, and what both are called."""

import ast

from pipedoctor.facts.call_text import Span
from pipedoctor.facts.code_events.details import RewriteDetails
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText

_PUBLIC_NAMES = {"default_collate", "default_convert", "get_worker_info"}
_AMP_NAMES = {"autocast", "GradScaler"}


def rename_amp(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """Rename the old AMP classes in a call or an import; other uses are left alone."""
    if isinstance(node, ast.ImportFrom):
        return _rename_amp_import(source, node)
    if not isinstance(node, ast.Call):
        return NO_PIECES
    func, name = node.func, last_name(node.func)
    form = measure_call(source, node)
    shifted = name == "autocast" and bool(node.args)
    if form is None or name not in _AMP_NAMES or (shifted and len(node.args) > 1):
        return NO_PIECES
    if any(isinstance(one, ast.Starred) for one in node.args):
        return NO_PIECES
    spans = {"first": _first_argument_span(source, node)}
    if isinstance(func, ast.Attribute):
        middle = func.value.value if isinstance(func.value, ast.Attribute) else None
        if not (isinstance(middle, ast.Attribute) and middle.attr == "cuda"):
            return NO_PIECES
        spans["cuda"] = source.make_span(source.node_end(middle.value), source.node_end(middle))
    more = ", " if node.args or node.keywords else ""
    text = (
        f"{source.preferred_quote}cuda{source.preferred_quote}{more}{'enabled=' if shifted else ''}"
    )
    return RewritePieces(spans, details=RewriteDetails(first=text))


def _first_argument_span(source: SourceText, node: ast.Call) -> Span:
    at = source.next_code(source.node_end(node.func))
    return source.make_span(at.shift(1))


def _rename_amp_import(source: SourceText, node: ast.ImportFrom) -> RewritePieces:
    names = {item.name for item in node.names}
    local = {item.asname or item.name for item in node.names}
    top = node in source.module.file.tree.body
    if not top or not names <= _AMP_NAMES or local != names or node.module != "torch.cuda.amp":
        return NO_PIECES
    calls = {id(one.func) for one in ast.walk(source.module.file.tree) if isinstance(one, ast.Call)}
    for one in ast.walk(source.module.file.tree):
        if isinstance(one, ast.Name) and one.id in local and id(one) not in calls:
            return NO_PIECES
    return _module_name_pieces(source, node)


def use_public_names(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """An import of private names that all have public ones."""
    if not isinstance(node, ast.ImportFrom):
        return NO_PIECES
    known = {item.name for item in node.names} <= _PUBLIC_NAMES
    return _module_name_pieces(source, node) if known else NO_PIECES


def import_torch_alone(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``.utils.bottleneck`` of ``import torch.utils.bottleneck``, which binds ``torch``."""
    if not (isinstance(node, ast.Import) and len(node.names) == 1 and not node.names[0].asname):
        return NO_PIECES
    start = source.node_start(node)
    begin = start.shift(len("import torch"))
    if not source.has_text_at(start, "import torch.utils.bottleneck"):
        return NO_PIECES
    return RewritePieces({"module": source.make_span(begin, source.node_end(node))})


def _module_name_pieces(source: SourceText, node: ast.ImportFrom) -> RewritePieces:
    """The name of the module in ``from torch.cuda.amp import autocast``."""
    start = source.node_start(node)
    if not source.has_text_at(start, f"from {node.module} import"):
        return NO_PIECES
    begin = start.shift(len("from "))
    end = begin.shift(len(node.module or ""))
    return RewritePieces({"module": source.make_span(begin, end)})


def call_next(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``it.next()``: where ``next(`` begins, and what follows the iterator."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return NO_PIECES
    tail = source.make_span(source.node_end(node.func.value), source.node_end(node))
    return RewritePieces({"start": source.make_span(source.node_start(node)), "tail": tail})


def rename_old_keyword(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """The word ``async`` of ``x.cuda(async=True)``."""
    words = node.keywords if isinstance(node, ast.Call) else []
    old = next((word for word in words if word.arg == "async"), None)
    if old is None:
        return NO_PIECES
    start = source.node_start(old)
    end = start.shift(len("async"))
    if source.text_between(start, end) != "async":
        return NO_PIECES
    return RewritePieces({"word": source.make_span(start, end)})
