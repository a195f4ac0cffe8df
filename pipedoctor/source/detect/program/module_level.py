"""What a whole file or project does: main guards, start methods, old names, traits."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.facts.code_events.dataset import UnshardedIteration
from pipedoctor.facts.code_events.program import (
    BottleneckImport,
    OldAmpUse,
    PrivateImport,
    SamplerConstruction,
    StartMethodCall,
    VariableWrapper,
)
from pipedoctor.facts.code_events.training import OldCopyKeyword, PinThenCopy
from pipedoctor.source.detect.program.dataset_updates import record_dataset_updates
from pipedoctor.source.detect.program.epoch_updates import (
    record_epoch_assignments,
    record_set_epoch,
)
from pipedoctor.source.detect.program.parallel import record_data_parallel
from pipedoctor.source.detect.program.version_branches import (
    also_imports_new_name,
    has_version_branch,
)
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.host_tensors import is_leaf_tensor, is_loader_batch
from pipedoctor.source.detect.trials import is_trial
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.main_guards import is_main_guarded
from pipedoctor.source.syntax.scope import (
    CallPosition,
    CodeScope,
    Module,
)
from pipedoctor.source.syntax.walk import contains_node

_PRIVATE_MODULES = ("torch.utils.data._utils",)
_OLD_AMP_NAMES = (
    "torch.cuda.amp.autocast",
    "torch.cuda.amp.GradScaler",
    "torch.cuda.amp.custom_fwd",
    "torch.cuda.amp.custom_bwd",
    "torch.cuda.amp.autocast_mode.autocast",
    "torch.cuda.amp.grad_scaler.GradScaler",
)
_START_METHOD_SETTERS = {"set_start_method"}
_DISTRIBUTED_SAMPLERS = {
    "torch.utils.data.distributed.DistributedSampler",
    "torch.utils.data.DistributedSampler",
}
_DATA_PARALLEL_CLASSES = {
    *("torch.nn.DataParallel", "torch.nn.parallel.DataParallel"),
    *("torch.nn.parallel.data_parallel.DataParallel", "torch.nn.parallel.data_parallel"),
    *("torch_geometric.nn.DataParallel", "torch_geometric.nn.data_parallel.DataParallel"),
}
_VENDORED_DATA_PARALLEL = frozenset(("DataParallelWithCallback", "BalancedDataParallel"))
"""Classes that derive from it, in files which projects take from elsewhere."""
_VARIABLE_CLASSES = {"torch.autograd.Variable", "torch.autograd.variable.Variable"}
_RECORDED_NAMES = {
    *_OLD_AMP_NAMES,
    *_VARIABLE_CLASSES,
    *_DATA_PARALLEL_CLASSES,
    *_DISTRIBUTED_SAMPLERS,
}
_TRAIT_NAMES = {"set_epoch", "record_stream", "setNumThreads", "get_worker_info"}
_RECORDED_LAST_NAMES = {*_TRAIT_NAMES, *_START_METHOD_SETTERS, "to", "cuda"}
_FRAMEWORK_NAMES = {
    "pytorch_lightning": "Lightning",
    "lightning": "Lightning",
    "accelerate": "accelerate",
    "transformers": "transformers",
    "fastai": "fastai",
    "ignite": "ignite",
}


def record_module_events(recorder: EventRecorder) -> None:
    """Record module-level events for every file."""
    for module in recorder.project.modules:
        _record_imports(recorder, module)
        for scope, step in module.steps_at(_candidate_calls(recorder, module)):
            if isinstance(step.node, ast.Call):
                _record_call(recorder, scope, step, step.node)
        if b"cuda.amp" in module.file.content:
            _record_old_names(recorder, module)
        record_dataset_updates(recorder, module)
        if b"cuda" in module.file.content:
            recorder.traits.add("cuda")
    record_epoch_assignments(recorder)
    _record_unsharded(recorder)


def _record_imports(recorder: EventRecorder, module: Module) -> None:
    for scope in module.scopes:
        for kind in (ast.Import, ast.ImportFrom):
            for step in scope.steps_by_type.get(kind, []):
                node = step.node
                names: list[str] = []
                if isinstance(node, ast.Import):
                    names = [one.name for one in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [f"{node.module}.{one.name}" for one in node.names]
                for name in names:
                    _record_import(recorder, scope, step, name)


def _record_import(recorder: EventRecorder, scope: CodeScope, step: CodeStep, name: str) -> None:
    top = name.partition(".")[0]
    if top in _FRAMEWORK_NAMES and _brings_loop(scope.module, name):
        recorder.traits.add(f"framework:{_FRAMEWORK_NAMES[top]}")
    last = name.rpartition(".")[2]
    inside = name.startswith("torch.utils.data.") and last.startswith("_")
    if name.startswith(_PRIVATE_MODULES) or (inside and last != "__init__"):
        recorder.add_event(PrivateImport(), scope, step, name)
    if name in _OLD_AMP_NAMES and not has_version_branch(recorder, scope, step):
        recorder.add_event(OldAmpUse(given=False), scope, step, name)
    if name.startswith("torch.utils.bottleneck"):
        recorder.add_event(BottleneckImport(), scope, step, name)


def _brings_loop(module: Module, name: str) -> bool:
    """Of transformers only a Trainer trains; from it come models for loops of one's own."""
    return name.partition(".")[0] != "transformers" or b"Trainer" in module.file.content


def _candidate_calls(recorder: EventRecorder, module: Module) -> Iterator[CallPosition]:
    wrapped = _own_data_parallel(recorder)
    for name, places in module.calls_by_name.items():
        full = recorder.project.resolve_name(name, module) if name[:1] != "." else ""
        last = full.rpartition(".")[2]
        if (
            full in _RECORDED_NAMES
            or full in wrapped
            or last in _VENDORED_DATA_PARALLEL
            or name.rpartition(".")[2] in _RECORDED_LAST_NAMES
        ):
            yield from places


def _is_data_parallel(recorder: EventRecorder, full: str) -> bool:
    """Is it DataParallel, or a class that derives from it?"""
    vendored = full.rpartition(".")[2] in _VENDORED_DATA_PARALLEL
    return full in _DATA_PARALLEL_CLASSES or vendored or full in _own_data_parallel(recorder)


def _own_data_parallel(recorder: EventRecorder) -> frozenset[str]:
    """Classes of the project that derive from DataParallel, by their full names."""
    if recorder.own_data_parallel is None:
        recorder.own_data_parallel = frozenset(
            cls.full_name
            for cls in recorder.project.classes
            if b"DataParallel" in cls.module.file.content
            and not _DATA_PARALLEL_CLASSES.isdisjoint(recorder.project.find_bases(cls)[1])
        )
    return recorder.own_data_parallel


def _record_call(recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call) -> None:
    full = recorder.full_name_of(node.func, scope)
    last = last_name(node.func)
    if last in _TRAIT_NAMES:
        recorder.traits.add(last)
    if full in _OLD_AMP_NAMES:
        either = isinstance(node.func, ast.Name) and also_imports_new_name(
            scope.module, node.func.id
        )
        if not either and not has_version_branch(recorder, scope, step):
            recorder.add_event(OldAmpUse(given=bool(node.args)), scope, step, full)
    elif full in _VARIABLE_CLASSES:
        _record_variable(recorder, scope, step, node, full)
    elif _is_data_parallel(recorder, full):
        record_data_parallel(recorder, scope, step, node, full)
    elif full in _DISTRIBUTED_SAMPLERS:
        _record_sampler(recorder, scope, step, node, full)
    elif last in _START_METHOD_SETTERS:
        value = recorder.values.resolve(node.args[0] if node.args else None, scope)
        main = is_main_guarded(step.context)
        recorder.add_event(
            StartMethodCall(
                method=value.value if isinstance(value.value, str) else "",
                at_import=scope.is_module_body and not main,
                guarded=main,
            ),
            scope,
            step,
            full or last,
        )
    elif last in {"to", "cuda"} and isinstance(node.func, ast.Attribute):
        if any(word.arg == "async" for word in node.keywords):
            recorder.add_event(OldCopyKeyword(), scope, step, unparse_short(node))
        inner = node.func.value
        pinned = isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory"
        if pinned and not (isinstance(inner, ast.Call) and inner.args):
            waits = not any(word.arg == "non_blocking" for word in node.keywords)
            recorder.add_event(PinThenCopy(waits=waits), scope, step, unparse_short(node))
    if last == "set_epoch" and isinstance(node.func, ast.Attribute):
        record_set_epoch(recorder, scope, step, node, node.func)


def _record_old_names(recorder: EventRecorder, module: Module) -> None:
    """``autocast = torch.cuda.amp.autocast``: an old name that is not called where it stands."""
    called = {id(step.node) for step in module.body.calls}
    top = {id(node) for node in module.file.tree.body}
    for scope in module.scopes:
        for step in scope.steps_by_type.get(ast.Assign, ()):
            value = step.node.value if isinstance(step.node, ast.Assign) else None
            if isinstance(value, ast.Attribute):
                _record_old_name(recorder, scope, step, value)
        defined = scope.owner.node if scope.owner else scope.node
        for one in getattr(scope.node, "decorator_list", ()) if id(defined) in top else ():
            if id(one) not in called:
                _record_old_name(recorder, scope, CodeStep(one, CodeContext()), one)


def _record_old_name(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.expr
) -> None:
    func = node.func if isinstance(node, ast.Call) else node
    full = recorder.full_name_of(func, scope)
    either = isinstance(func, ast.Name) and also_imports_new_name(scope.module, func.id)
    if full in _OLD_AMP_NAMES and not (either or has_version_branch(recorder, scope, step)):
        given = isinstance(node, ast.Call) and bool(node.args)
        recorder.add_event(OldAmpUse(given=given), scope, step, full, node=node)


def _record_variable(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call, full: str
) -> None:
    if scope.module.is_test or is_trial(recorder, scope, step.context):
        return
    words = {word.arg: word.value for word in node.keywords}
    value = recorder.values.resolve(words.get("requires_grad"), scope)
    wrapped = node.args[0] if node.args else None
    wants_grad = "requires_grad" in words and value.value is not False
    recorder.add_event(
        VariableWrapper(
            wants_grad=wants_grad,
            volatile=recorder.values.resolve(words.get("volatile"), scope).value is True,
            leaf=is_leaf_tensor(recorder, scope, wrapped)
            or (not wants_grad and is_loader_batch(recorder, scope, wrapped)),
        ),
        scope,
        step,
        full,
    )


def _record_sampler(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call, full: str
) -> None:
    words = {word.arg: word.value for word in node.keywords}
    shuffle = recorder.values.resolve(words.get("shuffle"), scope)
    target = next(
        (
            key
            for key, values in scope.bindings.items()
            if any(contains_node(value, node) for value, _ in values)
        ),
        "",
    )
    recorder.add_event(
        SamplerConstruction(
            shuffle=shuffle.value if isinstance(shuffle.value, bool) else None, target=target
        ),
        scope,
        step,
        full,
    )


def _record_unsharded(recorder: EventRecorder) -> None:
    """Iterable datasets in whose files nothing speaks of workers or shards."""
    words = (b"worker", b"shard", b"rank", b"islice", b"split_by", b"partition", b"world_size")
    for name, cls in recorder.call_graph.datasets.items():
        if recorder.call_graph.dataset_style[name] != "iterable":
            continue
        method = cls.methods.get("__iter__")
        if method is None:
            continue
        start = getattr(cls.node, "lineno", 1) - 1
        end = getattr(cls.node, "end_lineno", start)
        text = b"\n".join(cls.module.file.lines[start:end]).lower()
        init = cls.methods.get("__init__")
        wraps = init is not None and any(
            "dataset" in one.arg or "source" in one.arg or "iter" in one.arg
            for one in init.parameters
        )
        drawn = re.sub(rb"import random|random\.(seed|shuffle|permutation)", b"", text)
        draws = b"random" in drawn or b"while true" in text
        draws = draws or b"queue" in text or b"socket" in text
        if not any(word in text for word in words) and not wraps and not draws:
            recorder.add_event(
                UnshardedIteration(), method, CodeStep(method.node, CodeContext()), cls.full_name
            )
