"""What datasets keep: handles, generators, lambdas; and how they answer."""

import ast
from collections.abc import Collection
from typing import Any

from msgspec.structs import asdict, replace

from pipedoctor.facts.code_events.dataset import (
    AttributeUse,
    GeneratorAttribute,
    HandleAttribute,
    HandleReopening,
    LambdaAttribute,
)
from pipedoctor.source.detect.dataset.caches import (
    is_failure_path,
    record_global_caches,
    record_state_changes,
    record_unbounded_caches,
)
from pipedoctor.source.detect.dataset.dataset_methods import record_heavy_len, record_ignored_index
from pipedoctor.source.detect.dataset.held_objects import find_held_classes, reads_from_outside
from pipedoctor.source.detect.dataset.kept_handles import find_kept_handles, opening_name
from pipedoctor.source.detect.dataset.kept_lambdas import find_kept_lambda
from pipedoctor.source.detect.dataset.object_lists import record_object_lists
from pipedoctor.source.detect.dataset.pickling import is_left_out_of_pickle
from pipedoctor.source.detect.dataset.sample_lists import record_sample_lists
from pipedoctor.source.detect.kinds import (
    GENERATOR_CLASSES,
    HANDLE_FACTORIES,
)
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.seeding import (
    record_global_seeds,
    record_inner_init_seeds,
    record_item_seeds,
    record_worker_init_seeds,
)
from pipedoctor.source.syntax.expressions import binding_key, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.views import find_views


def record_dataset_state(recorder: EventRecorder) -> None:
    """Record what every dataset of the project keeps and changes."""
    for cls in recorder.call_graph.datasets.values():
        methods = list(recorder.project.all_methods(cls))
        worker = [m for m in methods if recorder.is_item_code(m)]
        init = recorder.project.find_method(cls, "__init__")
        listed: set[int] = set()
        if init is not None:
            names = {key[5:] for key in init.bindings if key.startswith("self.")}
            outside = reads_from_outside(recorder, cls, names)
            _record_kept_attributes(recorder, cls, init, worker, outside)
            _record_early_opening(recorder, init, worker)
            listed = record_object_lists(recorder, methods)
        for scope in methods:
            if not recorder.is_item_code(scope) or scope is init:
                record_global_seeds(recorder, scope)
        for scope in worker:
            if scope is not init:
                record_state_changes(recorder, cls, scope)
        record_heavy_len(recorder, cls)
        record_ignored_index(recorder, cls)
        record_sample_lists(recorder, cls, listed)
    _record_held_objects(recorder)
    for scope in recorder.call_graph.item_scopes.values():
        record_unbounded_caches(recorder, scope)
        record_global_caches(recorder, scope)
        record_item_seeds(recorder, scope)
    for scope in recorder.call_graph.worker_init_functions.values():
        record_worker_init_seeds(recorder, scope)
    record_inner_init_seeds(recorder)


def _record_held_objects(recorder: EventRecorder) -> None:
    """Record what the objects keep that datasets hold: workers get copies of these too."""
    held = {
        one.full_name: one
        for cls in recorder.call_graph.datasets.values()
        for one in find_held_classes(recorder, cls)
    }
    given = recorder.call_graph.given_classes
    held |= {name: cls for name, cls in given.items() if name not in recorder.call_graph.datasets}
    for cls in held.values():
        methods = list(recorder.project.all_methods(cls))
        worker = [m for m in methods if recorder.is_item_code(m)]
        init = recorder.project.find_method(cls, "__init__")
        if init is not None:
            _record_kept_attributes(recorder, cls, init, worker)
        for scope in worker:
            if scope is not init:
                record_state_changes(recorder, cls, scope, held=True)


def _reads_attribute(scopes: list[CodeScope], key: str) -> bool:
    """Does one of these read ``self.x``?"""
    return any(key in scope.self_loads for scope in scopes)


def _is_read_on_failure(scopes: list[CodeScope], key: str) -> bool:
    """Is ``self.x`` read for samples that fail, and for nothing else?"""
    reads = {id(node) for scope in scopes for node in scope.self_loads.get(key, ())}
    if not reads:
        return False
    late = {
        id(node)
        for scope in scopes
        for step in scope.calls
        if is_failure_path(step)
        for node in ast.walk(step.node)
    }
    return reads <= late


def _assigns_attribute(scopes: list[CodeScope], key: str) -> bool:
    return any(key in scope.bindings for scope in scopes)


def _reopens_in_worker(scopes: list[CodeScope], key: str) -> bool:
    """Is it made again in a worker, and not only where there is none yet?"""
    return any(
        "pid" in conditions or key not in conditions
        for scope in scopes
        for _, step in scope.bindings.get(key, [])
        for conditions in [" ".join(unparse_short(guard.test) for guard in step.context.guards)]
    )


def _record_kept_attributes(
    recorder: EventRecorder,
    cls: ClassDefinition,
    init: CodeScope,
    worker: list[CodeScope],
    outside: Collection[str] = (),
) -> None:
    """
    Attributes of an object that a worker cannot share or gets a copy of.

    `outside`: those that functions read which are not its own.
    """
    for key, values in init.bindings.items():
        for value, step in values if key.startswith("self.") else ():
            name = recorder.full_name_of(value.func, init) if isinstance(value, ast.Call) else ""
            if name in GENERATOR_CLASSES and not opening_name(recorder, init, value):
                kept: dict[str, Any] = asdict(
                    _describe_use(recorder, cls, init, worker, key, outside)
                )
                recorder.add_event(GeneratorAttribute(**kept), init, step, name, node=value)
            lambdas = find_kept_lambda(recorder, init, value)
            if lambdas is not None:
                kept = asdict(_describe_use(recorder, cls, init, worker, key, outside))
                moved = step._replace(node=lambdas)
                recorder.add_event(LambdaAttribute(**kept), init, moved, key)
    for handle in find_kept_handles(recorder, init, list(recorder.project.all_methods(cls))):
        key = handle.attribute
        use = _describe_use(recorder, cls, init, worker, key, outside)
        if handle.scope is not init:
            use = replace(use, closed=_is_closed_after(init, handle.scope, key))
        dropped = is_left_out_of_pickle(recorder, cls, key)
        details = _describe_handle(use, init, worker, handle.call, dropped=dropped)
        if not handle.is_direct:  # whoever opens it late has more to change than one line
            details = replace(details, part=details.part or key, opening="", variables="")
        recorder.add_event(details, handle.scope, handle.step, handle.name, node=handle.place)


def _describe_use(
    recorder: EventRecorder,
    cls: ClassDefinition,
    init: CodeScope,
    worker: list[CodeScope],
    key: str,
    outside: Collection[str],
) -> AttributeUse:
    """What happens to an attribute of an object where items are made."""
    dropped = is_left_out_of_pickle(recorder, cls, key)
    return AttributeUse(
        attribute=key,
        used=_reads_attribute(worker, key) or key[5:] in outside,
        renewed=_assigns_attribute(worker, key) or dropped or _seeds_attribute(worker, key),
        closed=_is_closed(init, key),
        spare=_is_read_on_failure(worker, key),
    )


def _describe_handle(
    use: AttributeUse,
    init: CodeScope,
    worker: list[CodeScope],
    value: ast.expr,
    *,
    dropped: bool,
) -> HandleAttribute:
    """With what was taken from it, which lives as long as itself."""
    key = use.attribute
    parts = [one for one in find_views(init, key) if _reads_attribute(worker, one)]
    return HandleAttribute(
        attribute=key,
        used=use.used or bool(parts),
        renewed=any(_reopens_in_worker(worker, one) for one in (key, *parts)),
        closed=use.closed,
        spare=use.spare,
        dropped=dropped,
        part=parts[0] if parts else "",
        unlocked=_is_lmdb_unlocked(value),
        opening=unparse_short(value),
        variables=",".join(_list_variables(init, value)),
    )


def _list_variables(init: CodeScope, value: ast.expr) -> list[str]:
    """The parameters and variables of ``__init__`` in an expression."""
    local = {one.arg for one in init.parameters} | init.bindings.keys()
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return sorted(names & local - {"self"})


def _seeds_attribute(scopes: list[CodeScope], key: str) -> bool:
    """``self.rng.seed(...)``: does the worker give a generator a seed of its own?"""
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr in {"seed", "manual_seed"}
        and binding_key(step.node.func.value) == key
        for scope in scopes
        for step in scope.calls
    )


def _is_lmdb_unlocked(node: ast.expr) -> bool:
    """``lmdb.open(path, lock=False)``."""
    return isinstance(node, ast.Call) and any(
        word.arg == "lock" and getattr(word.value, "value", None) is False for word in node.keywords
    )


def _record_early_opening(
    recorder: EventRecorder, init: CodeScope, worker: list[CodeScope]
) -> None:
    """``if self.file is None: self.file = open(...)``, which __init__ already does."""
    for scope in worker:
        if id(scope) not in recorder.call_graph.init_scopes or scope is init:
            continue
        for key, values in scope.bindings.items():
            for value, step in values:
                made = isinstance(value, ast.Call) and recorder.full_name_of(value.func, scope)
                if made in HANDLE_FACTORIES and key.startswith("self.") and step.context.guards:
                    recorder.add_event(
                        HandleReopening(
                            attribute=key,
                            used=True,
                            renewed="getpid" in unparse_short(step.context.guards[-1].test),
                            closed=_calls_close(init, key),
                        ),
                        scope,
                        step,
                        str(made),
                        node=value,
                    )


def _calls_close(scope: CodeScope, key: str) -> bool:
    """``self.x.close()``, or ``self.close()``."""
    return any(
        isinstance(step.node, ast.Call)
        and isinstance(step.node.func, ast.Attribute)
        and step.node.func.attr == "close"
        and (binding_key(step.node.func.value) == key or _is_self(step.node.func.value))
        for step in scope.calls
    )


def _is_self(node: ast.expr) -> bool:
    """Is it ``self`` itself?"""
    return isinstance(node, ast.Name) and node.id == "self"


def _is_closed_after(init: CodeScope, method: CodeScope, key: str) -> bool:
    """Is it closed by the method that opens it, or by ``__init__`` after calling that?"""
    calls = [step.node for step in init.find_calls(method.name.rpartition(".")[2])]
    begun = max((one.lineno for one in calls if isinstance(one, ast.Call)), default=None)
    dropped = [value.lineno for value, _ in init.bindings.get(key, ())[-1:]]
    late = begun is not None and any(line > begun for line in dropped)
    return _is_closed(method, key) or _calls_close(init, key) or (late and _is_closed(init, key))


def _is_closed(scope: CodeScope, key: str) -> bool:
    """``self.x.close()``, ``del self.x``, ``self.x = None`` after it."""
    if _calls_close(scope, key):
        return True
    for step in scope.steps_by_type.get(ast.Delete, []):
        node = step.node
        if isinstance(node, ast.Delete) and key in map(binding_key, node.targets):
            return True
    values = [value for value, _ in scope.bindings.get(key, [])]
    last = values[-1] if values else None
    return isinstance(last, ast.Constant) and last.value is None
