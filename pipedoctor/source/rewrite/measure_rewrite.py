"""The pieces of the code behind an event that a remedy would change."""

import ast
from collections.abc import Callable

from pipedoctor.facts.code_events.dataset import (
    GeneratorAttribute,
    HandleAttribute,
    LambdaAttribute,
)
from pipedoctor.facts.code_events.details import RewriteDetails
from pipedoctor.facts.code_events.images import BgrImage, OpenCVCall
from pipedoctor.facts.code_events.item import FileOpening, Print, TransformConstruction
from pipedoctor.facts.code_events.program import (
    AnomalyDetection,
    BottleneckImport,
    LoaderReconstruction,
    OldAmpUse,
    PrivateImport,
    SamplerConstruction,
    VariableWrapper,
    WorkerFunction,
    WorkerStart,
)
from pipedoctor.facts.code_events.seeds import GlobalSeed, WorkerSeed
from pipedoctor.facts.code_events.training import (
    CacheRelease,
    CreatedThenMoved,
    DeviceCopy,
    FreshIterator,
    KeptGraph,
    OldBatchRequest,
    OldCopyKeyword,
    PinThenCopy,
)
from pipedoctor.source.resolve.base_name import find_base_name
from pipedoctor.source.resolve.bound_names import reference_module
from pipedoctor.source.rewrite import hoist
from pipedoctor.source.rewrite.anomaly_mode import measure_anomaly_mode
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.rewrite.lazy_property import (
    make_generator_lazy,
    make_handle_lazy,
)
from pipedoctor.source.rewrite.lift_functions import lift_function
from pipedoctor.source.rewrite.local_generator import localize_generator
from pipedoctor.source.rewrite.main_guard import add_main_guard, limit_opencv_threads
from pipedoctor.source.rewrite.rename_api import (
    call_next,
    import_torch_alone,
    rename_amp,
    rename_old_keyword,
    use_public_names,
)
from pipedoctor.source.rewrite.rewrite_pieces import NO_PIECES, RewritePieces
from pipedoctor.source.rewrite.set_epoch_call import insert_set_epoch
from pipedoctor.source.rewrite.unwrap_variable import unwrap_variable
from pipedoctor.source.rewrite.with_statement import wrap_in_with
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_node
from pipedoctor.source.syntax.kept_losses import list_kept_parts
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.source_text import SourceText, TextPosition
from pipedoctor.source.syntax.walk import find_nodes


def measure_rewrite(
    source: SourceText, event_kind: str, scope: CodeScope, step: CodeStep
) -> RewritePieces:
    """Measure what stands behind an event of this kind."""
    measure = _MEASURE_BY_KIND.get(event_kind)
    node = step.node
    if measure is None or not hasattr(node, "lineno"):
        return NO_PIECES
    old = event_kind == OldCopyKeyword.kind  # which is no valid text
    if isinstance(node, ast.Call) and not old and not source.matches_text(node):
        return NO_PIECES
    try:
        return measure(source, scope, node)
    except RecursionError:  # nested as no code is that somebody wrote
        return NO_PIECES


def _measure_copy(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    if not isinstance(node, ast.Call) or any(w.arg is None for w in node.keywords):
        return NO_PIECES
    return RewritePieces(
        details=RewriteDetails(written=find_base_name(node) in _known_in_place_writes(scope)),
        call=measure_call(source, node),
    )


def _known_in_place_writes(scope: CodeScope) -> set[str]:
    """Names whose tensors are written to anywhere in this function."""
    if scope.modified_in_place is None:
        scope.modified_in_place = _find_in_place_writes(scope)
    return scope.modified_in_place


_WRITING_TYPES = (ast.Subscript, ast.AugAssign, ast.Call, ast.keyword)


def _find_in_place_writes(scope: CodeScope) -> set[str]:
    found: set[str] = set()
    for node in find_nodes(scope.node, _WRITING_TYPES):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(find_base_name(node))
        elif isinstance(node, ast.AugAssign):
            found.add(find_base_name(node.target))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr.endswith("_") and not node.func.attr.startswith("_"):
                found.add(find_base_name(node.func))
        if isinstance(node, ast.keyword) and node.arg == "out":
            found.add(find_base_name(node.value))
    return found


_FACTORIES_WITH_DEVICE = frozenset(
    (
        *("zeros", "ones", "empty", "full", "rand", "randn", "arange", "randint", "eye"),
        *("linspace", "tensor", "as_tensor"),
    )
)
"""Functions of torch that take a device; methods and old constructors do not."""


def _measure_created(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``torch.zeros(3).to(device)``: the inner call, and what moves its result."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return NO_PIECES
    inner = node.func.value
    device = _device_text(source, node)
    words = {word.arg for word in node.keywords}
    if not device or words - {"non_blocking"} or not isinstance(inner, ast.Call):
        return NO_PIECES
    if last_name(inner.func) not in _FACTORIES_WITH_DEVICE:
        return NO_PIECES
    if {word.arg for word in inner.keywords} & {"device", "requires_grad", None}:
        return NO_PIECES
    spans = {"move": source.make_span(source.node_end(inner), source.node_end(node))}
    draws = last_name(inner.func) in {"rand", "randn", "randint"}
    return RewritePieces(
        spans, details=RewriteDetails(device=device, draws=draws), call=measure_call(source, inner)
    )


def _device_text(source: SourceText, node: ast.Call) -> str:
    if last_name(node.func) == "cuda":
        return "" if node.args else f"{source.preferred_quote}cuda{source.preferred_quote}"
    if len(node.args) != 1:
        return ""
    text = unparse_node(node.args[0])
    if isinstance(node.args[0], ast.Constant):
        value = node.args[0].value
        return text if isinstance(value, str) and value.startswith("cuda") else ""
    plain = isinstance(node.args[0], (ast.Name, ast.Attribute))
    return text if plain and last_name(node.args[0]) in {"device", "dev"} else ""


def _measure_statement(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    """A call that is a line of its own, and not all that its block does."""
    found = source.call_statements.get(id(node))
    if found is None or len(found[0]) == 1:
        return NO_PIECES
    statement = found[1]
    start, end = source.node_start(statement), source.node_end(statement)
    if not (source.is_line_start(start) and source.is_line_end(end)):
        return NO_PIECES
    if end.line == len(source.lines):
        return NO_PIECES
    return RewritePieces(
        {"line": source.make_span(TextPosition(start.line, 0), TextPosition(end.line + 1, 0))}
    )


def _measure_kept_graph(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    """``total += loss``: the loss, if it is a tensor whatever happened to it."""
    spans = {
        f"{part.id}": source.make_span(source.node_end(part))
        for part in list_kept_parts(node).parts
        if isinstance(part, ast.Name) and not _is_assigned_number(scope, part.id)
    }
    return RewritePieces(spans)


def _is_assigned_number(scope: CodeScope, name: str) -> bool:
    """Is a plain number ever assigned to it?"""
    return any(
        (
            last_name(n.func) in {"item", "float", "tolist", "numpy", "mean", "sum"}
            and not isinstance(n.func, ast.Attribute)
        )
        or (isinstance(n.func, ast.Attribute) and n.func.attr in {"item", "tolist"})
        for value, _ in scope.bindings.get(name, [])
        for n in ast.walk(value)
        if isinstance(n, ast.Call)
    )


def _measure_pin(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    inner = (
        node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        return RewritePieces(
            {"pin": source.make_span(source.node_end(inner.func.value), source.node_end(inner))}
        )
    return NO_PIECES


def _measure_bgr(source: SourceText, _scope: CodeScope, node: ast.AST) -> RewritePieces:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return NO_PIECES
    local = binding_key(node.func.value)
    start, end = (
        source.make_span(source.node_start(node)),
        source.make_span(source.node_end(node)),
    )
    return (
        RewritePieces({"start": start, "end": end}, details=RewriteDetails(local=local))
        if local
        else NO_PIECES
    )


def _measure_worker_seed(source: SourceText, scope: CodeScope, node: ast.AST) -> RewritePieces:
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return NO_PIECES
    torch = reference_module(source, scope, node, "torch")
    if torch is None or isinstance(node.args[0], ast.Starred):
        return NO_PIECES
    spans = {"seed": source.node_span(node.args[0])}
    return RewritePieces(
        spans, details=RewriteDetails(torch=torch.name), imports=torch.missing_imports
    )


_MEASURE_BY_KIND: dict[str, Callable[[SourceText, CodeScope, ast.AST], RewritePieces]] = {
    AnomalyDetection.kind: measure_anomaly_mode,
    BgrImage.kind: _measure_bgr,
    BottleneckImport.kind: import_torch_alone,
    CreatedThenMoved.kind: _measure_created,
    OpenCVCall.kind: limit_opencv_threads,
    OldAmpUse.kind: rename_amp,
    DeviceCopy.kind: _measure_copy,
    SamplerConstruction.kind: insert_set_epoch,
    CacheRelease.kind: _measure_statement,
    FreshIterator.kind: hoist.hoist_iterator,
    GlobalSeed.kind: localize_generator,
    KeptGraph.kind: _measure_kept_graph,
    GeneratorAttribute.kind: make_generator_lazy,
    HandleAttribute.kind: make_handle_lazy,
    LambdaAttribute.kind: lift_function,
    OldBatchRequest.kind: call_next,
    OldCopyKeyword.kind: rename_old_keyword,
    FileOpening.kind: wrap_in_with,
    PinThenCopy.kind: _measure_pin,
    Print.kind: _measure_statement,
    PrivateImport.kind: use_public_names,
    LoaderReconstruction.kind: hoist.hoist_loader,
    WorkerFunction.kind: lift_function,
    WorkerStart.kind: add_main_guard,
    TransformConstruction.kind: hoist.hoist_transforms,
    VariableWrapper.kind: unwrap_variable,
    WorkerSeed.kind: _measure_worker_seed,
}
