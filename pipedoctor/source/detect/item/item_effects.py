"""What code for items does: reads, parses, prints, draws at random, and so on."""

import ast

from msgspec import UNSET

from pipedoctor.facts.code_events.item import (
    ArrayRead,
    ContainerOpening,
    CudaUse,
    DirectoryScan,
    ItemCall,
    NetworkRequest,
    PathScan,
    Print,
    RandomDraw,
    TextParse,
    TransformConstruction,
    Unpickling,
)
from pipedoctor.facts.code_events.seeds import GeneratorSeed
from pipedoctor.source.detect.api_table import KIND_OF_CALL, MEDIA_OPENERS, reads_whole
from pipedoctor.source.detect.dataset.cache_keys import record_missed_keys
from pipedoctor.source.detect.dataset.handles import has_file_per_item
from pipedoctor.source.detect.item.chained_calls import name_call, parses_file
from pipedoctor.source.detect.item.drawn_arguments import depends_on_item
from pipedoctor.source.detect.item.failures import (
    find_item_entries,
    record_swallowed_errors,
    record_unbounded_retries,
)
from pipedoctor.source.detect.item.first_time import (
    fills_missing_value,
    find_variable,
    is_lazy,
    runs_at_intervals,
    runs_once,
)
from pipedoctor.source.detect.item.parse_ahead import parse_ahead, read_parsed
from pipedoctor.source.detect.item.rejections import explains_rejection
from pipedoctor.source.detect.item.whole_files import is_read_whole
from pipedoctor.source.detect.kinds import (
    RANDOM_FUNCTIONS,
    SAVE_FUNCTIONS,
)
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.switches import is_for_debugging
from pipedoctor.source.resolve.device_conditions import is_gpu
from pipedoctor.source.rewrite.with_statement import FILE_METHODS
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.dead_branches import runs_never
from pipedoctor.source.syntax.expressions import binding_key, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node

_BUILTIN_CALLS = {"print", "open"}


def record_item_events(recorder: EventRecorder) -> None:
    """Record what the code that makes items does; no other code runs per item."""
    entries = find_item_entries(recorder)
    for scope in list(recorder.call_graph.item_scopes.values()):
        for step in scope.calls:
            left_out = runs_never(scope, step.context) or is_for_debugging(recorder, scope, step)
            if isinstance(step.node, ast.Call) and not left_out:
                _record_call(recorder, scope, step, step.node)
        record_swallowed_errors(recorder, scope)
        record_unbounded_retries(recorder, scope, entries)
        record_missed_keys(recorder, scope)


def _record_call(recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call) -> None:
    full = name_call(recorder, scope, node)
    if not full and isinstance(node.func, ast.Name) and node.func.id in _BUILTIN_CALLS:
        full = node.func.id
    if full == "print" and not runs_once(recorder, scope, step):
        refuses = explains_rejection(recorder, scope, step, node)
        recorder.add_event(Print(refuses=refuses), scope, step, full)
    kind = TextParse if parses_file(full, scope, node) else _find_kind(full, node)
    own = kind is ContainerOpening and has_file_per_item(recorder, scope, node)
    if own and (full in MEDIA_OPENERS or is_read_whole(scope, node, find_variable(scope, node))):
        kind = ArrayRead  # to decode it is the item
    if kind is TransformConstruction and depends_on_item(recorder, scope, node):
        kind = None  # another one for each item
    if kind is not None:
        once = runs_once(recorder, scope, step)
        ahead = (parse_ahead(scope, node, full) if kind is TextParse else "") or UNSET
        details = kind(
            text=unparse_short(node),
            managed=_is_in_with(scope, node),
            lazy=once or _runs_rarely(scope, step, node) or _is_kept_for_all(scope, node),
            own=own,
            kept=find_variable(scope, node),
            used=_is_closed_or_passed_on(recorder, scope, node),
            once=once,
            saved=kind is Unpickling and _saves_what_it_reads(recorder, scope),
            by_type=kind is DirectoryScan and _is_guarded_by_type(recorder, scope),
            bounded=(kind is NetworkRequest and _has_timeout(node)) or UNSET,
            ahead=ahead,
            parsed=read_parsed(scope) if ahead else UNSET,
        )
        recorder.add_event(details, scope, step, full)
    elif isinstance(node.func, ast.Attribute):
        listed = node.func.attr in {"glob", "rglob", "iterdir"} and not full.startswith("re.")
        if listed and not (runs_once(recorder, scope, step) or _runs_rarely(scope, step, node)):
            scan = PathScan(text=unparse_short(node))
            recorder.add_event(scan, scope, step, unparse_short(node.func))
        _record_cuda_use(recorder, scope, step, node, full)
    _record_random_use(recorder, scope, step, full)


def _has_timeout(node: ast.Call) -> bool:
    return any(word.arg == "timeout" for word in node.keywords)


def _runs_rarely(scope: CodeScope, step: CodeStep, node: ast.Call) -> bool:
    """Is it done the first time only, or now and then?"""
    rare = is_lazy(scope, step, node) or fills_missing_value(scope, step)
    return rare or runs_at_intervals(scope, step)


def _is_kept_for_all(scope: CodeScope, node: ast.Call) -> bool:
    """``OPEN_FILES.append(ZipFile(path))``: does a list of the module keep it?"""
    shared = scope.module.body.bindings
    return any(
        isinstance(one.node, ast.Call)
        and isinstance(one.node.func, ast.Attribute)
        and isinstance(one.node.func.value, ast.Name)
        and one.node.func.value.id in shared
        and contains_node(one.node, node)
        for one in scope.find_calls("append")
    )


def _find_kind(full: str, node: ast.Call) -> type[ItemCall] | None:
    """What a call does to a file, by its name and what it is given."""
    if full == "numpy.load" and _is_keyword_true(node, "allow_pickle") and not _maps_file(node):
        return Unpickling
    if full == "torch.load" and _is_keyword_true(node, "mmap"):
        return ArrayRead
    if full == "joblib.load" and _maps_file(node):
        return ArrayRead
    return KIND_OF_CALL.get(full)


def _saves_what_it_reads(recorder: EventRecorder, scope: CodeScope) -> bool:
    """Does the same function or class write what it reads here: a cache of its own?"""
    mine = [*scope.owner.methods.values()] if scope.owner else [scope]
    return any(
        isinstance(step.node, ast.Call)
        and recorder.full_name_of(step.node.func, one) in SAVE_FUNCTIONS
        for one in mine
        for step in one.calls
    )


def _is_guarded_by_type(recorder: EventRecorder, scope: CodeScope) -> bool:
    """Is it only for arguments of another type than items give, or may give?"""
    sites = [
        site for site in recorder.project.find_callers(scope) if recorder.is_item_code(site.scope)
    ]
    return bool(sites) and all(
        any("isinstance(" in unparse_short(guard.test) for guard in site.step.context.guards)
        for site in sites
    )


def _is_keyword_true(node: ast.Call, name: str) -> bool:
    return any(
        w.arg == name and isinstance(w.value, ast.Constant) and w.value.value is True
        for w in node.keywords
    )


def _maps_file(node: ast.Call) -> bool:
    """``np.load(path, "r")``: maps the file into memory, where nothing can be unpickled."""
    words = [word.value for word in node.keywords if word.arg == "mmap_mode"]
    modes = words or node.args[1:2]
    return any(not (isinstance(one, ast.Constant) and one.value is None) for one in modes)


def _is_in_with(scope: CodeScope, node: ast.Call) -> bool:
    """Is it what a ``with`` closes again?"""
    return any(
        part is node
        for step in scope.steps_by_type.get(ast.With, [])
        if isinstance(step.node, ast.With)
        for item in step.node.items
        for part in ast.walk(item.context_expr)
    )


def _is_closed_or_passed_on(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """Is what is opened closed, returned or handed on in this function?"""
    key = find_variable(scope, node)
    if not key:
        return not any(n.value is node and n.attr in FILE_METHODS for n in scope.attribute_nodes)
    for step in scope.steps:
        one = step.node
        if isinstance(one, ast.Call):
            if isinstance(one.func, ast.Attribute) and binding_key(one.func.value) == key:
                if one.func.attr == "close":
                    return True
            parts = [*one.args, *(word.value for word in one.keywords)]
            if one is not node and any(binding_key(part) == key for part in parts):
                if not reads_whole(recorder.full_name_of(one.func, scope)):
                    return True
        elif isinstance(one, (ast.Return, ast.Yield)) and one.value is not None:
            if _returns_handle(one.value, key):
                return True
    return any(binding_key(m) == key for s in scope.steps for m in s.context.managers)


def _returns_handle(value: ast.AST, key: str) -> bool:
    """Does it hold the file itself, or what will read it later?"""
    if isinstance(value, (ast.Name, ast.Lambda, ast.GeneratorExp)):
        return any(isinstance(n, ast.Name) and n.id == key for n in ast.walk(value))
    read = value.func if isinstance(value, ast.Call) else None
    if isinstance(read, ast.Attribute) and read.attr in FILE_METHODS:
        if binding_key(read.value) == key:
            return False
    return any(_returns_handle(child, key) for child in ast.iter_child_nodes(value))


def _record_cuda_use(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call, full: str
) -> None:
    """Does it touch the GPU? Certain where it says cuda itself."""
    func = node.func
    if not isinstance(func, ast.Attribute):
        return
    harmless = ("is_available", "device_count", "amp", "manual_seed", "nvtx", "is_cuda")
    if full.startswith("torch.cuda.") and not any(w in full for w in harmless):
        recorder.add_event(CudaUse(sure=True), scope, step, full)
    elif func.attr == "cuda" and not full.startswith("torch"):
        use = CudaUse(sure=True, tensor=unparse_short(func.value), call=unparse_short(node))
        recorder.add_event(use, scope, step, unparse_short(func))
    elif func.attr == "to" or full.startswith("torch."):
        given = [word.value for word in node.keywords if word.arg == "device"]
        given += node.args[:1] if func.attr == "to" else []
        if any(is_gpu(recorder.values, one, scope) for one in given):
            text = unparse_short(node)
            moved = unparse_short(func.value) if func.attr == "to" else ""
            recorder.add_event(CudaUse(sure=True, tensor=moved, call=text), scope, step, text)


def _record_random_use(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, full: str
) -> None:
    head, _, last = full.rpartition(".")
    if head == "numpy.random" and id(scope) in recorder.call_graph.seeded_scopes:
        return
    if last in RANDOM_FUNCTIONS and head in {"numpy.random", "random"}:
        recorder.add_event(RandomDraw(), scope, step, full)
    elif last == "seed" and head in {"numpy.random", "random"}:
        node = step.node
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        value = recorder.values.resolve(given, scope)
        recorder.add_event(GeneratorSeed(constant=value.how == "literal"), scope, step, full)
