"""What a whole file or project does: main guards, start methods, old names, traits."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.source.around import Around, Step
from pipedoctor.source.fresh import is_leaf
from pipedoctor.source.gated import gated, twice
from pipedoctor.source.loops import repeats
from pipedoctor.source.parallel import data_parallel
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Class, Module, Place, Scope, key_of
from pipedoctor.source.told import told
from pipedoctor.source.values import written
from pipedoctor.source.walk import holds

_SET = re.compile(r"(?:dataset|_set|_data|trainset)$")
_ANY_SET = re.compile("dataset")
_SETS_EPOCH = re.compile(rb"epoch\w*[\s\\)]*=")
"""No attribute with epochs in its name is set without such bytes."""
_PRIVATE = ("torch.utils.data._utils",)
_AMP = (
    "torch.cuda.amp.autocast",
    "torch.cuda.amp.GradScaler",
    "torch.cuda.amp.custom_fwd",
    "torch.cuda.amp.custom_bwd",
    "torch.cuda.amp.autocast_mode.autocast",
    "torch.cuda.amp.grad_scaler.GradScaler",
)
_STARTS = {"set_start_method"}
_DISTRIBUTED = {
    "torch.utils.data.distributed.DistributedSampler",
    "torch.utils.data.DistributedSampler",
}
_PARALLEL = {"torch.nn.DataParallel", "torch.nn.parallel.DataParallel"}
_VARIABLES = {"torch.autograd.Variable", "torch.autograd.variable.Variable"}
_CALLED = {*_AMP, *_VARIABLES, *_PARALLEL, *_DISTRIBUTED}
_TRAITS = {"set_epoch", "record_stream", "setNumThreads", "get_worker_info"}
_ENDINGS = {*_TRAITS, *_STARTS, "to", "cuda"}
_FRAMEWORKS = {
    "pytorch_lightning": "Lightning",
    "lightning": "Lightning",
    "accelerate": "accelerate",
    "transformers": "transformers",
    "fastai": "fastai",
    "ignite": "ignite",
}


def place_events(recorder: Recorder) -> None:
    """Record them for every file."""
    for module in recorder.project.modules:
        _imports(recorder, module)
        for scope, step in module.steps(_worth_a_look(recorder, module)):
            if isinstance(step.node, ast.Call):
                _call(recorder, scope, step, step.node)
        _epochs(recorder, module)
        told(recorder, module)
        if b"cuda" in module.text.whole:
            recorder.traits.add("cuda")
    _shards(recorder)


def _imports(recorder: Recorder, module: Module) -> None:
    for scope in module.scopes:
        for kind in (ast.Import, ast.ImportFrom):
            for step in scope.of_type.get(kind, []):
                node = step.node
                names: list[str] = []
                if isinstance(node, ast.Import):
                    names = [one.name for one in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [f"{node.module}.{one.name}" for one in node.names]
                for name in names:
                    _imported(recorder, scope, step, name)


def _imported(recorder: Recorder, scope: Scope, step: Step, name: str) -> None:
    top = name.partition(".")[0]
    if top in _FRAMEWORKS:
        recorder.traits.add(f"framework:{_FRAMEWORKS[top]}")
    last = name.rpartition(".")[2]
    inside = name.startswith("torch.utils.data.") and last.startswith("_")
    if name.startswith(_PRIVATE) or (inside and last != "__init__"):
        recorder.add("private-import", scope, step, name)
    if name in _AMP and not gated(recorder, scope, step):
        recorder.add("cuda-amp", scope, step, name, given=False)
    if name.startswith("torch.utils.bottleneck"):
        recorder.add("bottleneck", scope, step, name)


def _worth_a_look(recorder: Recorder, module: Module) -> Iterator[Place]:
    for name, places in module.called.items():
        full = recorder.project.full(name, module) if name[:1] != "." else ""
        if full in _CALLED or name.rpartition(".")[2] in _ENDINGS:
            yield from places


def _call(recorder: Recorder, scope: Scope, step: Step, node: ast.Call) -> None:
    full = recorder.name(node.func, scope)
    last = last_name(node.func)
    if last in _TRAITS:
        recorder.traits.add(last)
    if full in _AMP:
        either = isinstance(node.func, ast.Name) and twice(scope.module, node.func.id)
        if not either and not gated(recorder, scope, step):
            recorder.add("cuda-amp", scope, step, full, given=bool(node.args))
    elif full in _VARIABLES:
        _variable(recorder, scope, step, node, full)
    elif full in _PARALLEL:
        data_parallel(recorder, scope, step, node, full)
    elif full in _DISTRIBUTED:
        _sampler(recorder, scope, step, node, full)
    elif last in _STARTS:
        value = recorder.values.of(node.args[0] if node.args else None, scope)
        main = any("__name__" in written(g.test) for g in step.around.guards)
        recorder.add(
            "start-method",
            scope,
            step,
            full or last,
            method=value.value if isinstance(value.value, str) else "",
            at_import=scope.at_top and not main,
            guarded=main,
        )
    elif last in {"to", "cuda"} and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        pinned = isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory"
        if pinned and not (isinstance(inner, ast.Call) and inner.args):
            waits = not any(word.arg == "non_blocking" for word in node.keywords)
            recorder.add("pin-then-copy", scope, step, written(node), waits=waits)
    if last == "set_epoch" and isinstance(node.func, ast.Attribute):
        _set_epoch(recorder, scope, step, node, node.func)


def _variable(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, full: str
) -> None:
    words = {word.arg: word.value for word in node.keywords}
    value = recorder.values.of(words.get("requires_grad"), scope)
    recorder.add(
        "variable",
        scope,
        step,
        full,
        wants_grad="requires_grad" in words and value.value is not False,
        volatile=recorder.values.of(words.get("volatile"), scope).value is True,
        leaf=is_leaf(recorder, scope, node.args[0] if node.args else None),
    )


def _sampler(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, full: str
) -> None:
    words = {word.arg: word.value for word in node.keywords}
    shuffle = recorder.values.of(words.get("shuffle"), scope)
    target = next(
        (
            key
            for key, values in scope.bound.items()
            if any(holds(value, node) for value, _ in values)
        ),
        "",
    )
    recorder.add(
        "distributed-sampler",
        scope,
        step,
        full,
        shuffle=shuffle.value if isinstance(shuffle.value, bool) else None,
        target=target,
    )


def _set_epoch(
    recorder: Recorder, scope: Scope, step: Step, node: ast.Call, func: ast.Attribute
) -> None:
    """On a data set, not on a sampler: a copy in a worker never hears of it."""
    if "sampler" in written(func.value).lower():
        return
    for cls in _owners(recorder, scope, func.value, _ANY_SET):
        method = cls.methods.get("set_epoch")
        if method is not None:
            attributes = [
                key
                for key, values in method.bound.items()
                if key.startswith("self.")
                and any(isinstance(v, ast.Name) for v, _ in values)
            ]
            _epoch_event(recorder, scope, step, node, cls.name, attributes)


def _epochs(recorder: Recorder, module: Module) -> None:
    """``dataset.epoch = epoch`` in the loop over epochs."""
    for scope in module.scopes if _SETS_EPOCH.search(module.text.whole) else ():
        for step in scope.of_type.get(ast.Assign, []):
            node = step.node
            if not isinstance(node, ast.Assign):
                continue
            for target in node.targets:
                if not isinstance(target, ast.Attribute):
                    continue
                if "epoch" in target.attr:
                    _plain_epoch(recorder, scope, step, node, target)


def _owners(
    recorder: Recorder, scope: Scope, node: ast.expr, name: re.Pattern[str]
) -> list[Class]:
    """The data sets that this may be: where nobody sees how it is made, by its name."""
    known = recorder.reach.datasets
    made = recorder.reach.types(node, scope, scope.owner)
    if made:
        return [cls for cls in made if cls.full in known]
    return list(known.values()) if name.search(written(node).lower()) else []


def _plain_epoch(
    recorder: Recorder,
    scope: Scope,
    step: Step,
    node: ast.Assign,
    target: ast.Attribute,
) -> None:
    for cls in _owners(recorder, scope, target.value, _SET):
        key = f"self.{target.attr}"
        init = recorder.project.method(cls, "__init__")
        if init is not None and key in init.bound:
            _epoch_event(recorder, scope, step, node, cls.name, [key])


def _epoch_event(
    recorder: Recorder,
    scope: Scope,
    step: Step,
    node: ast.AST,
    dataset: str,
    keys: list[str],
) -> None:
    read = [
        key
        for key in keys
        for one in recorder.reach.items.values()
        if one.owner is not None and one.owner.name == dataset
        for node in one.attributes
        if key_of(node) == key and isinstance(node.ctx, ast.Load)
    ]
    if read:
        recorder.add(
            "epoch-set",
            scope,
            step,
            read[0],
            node=node,
            dataset=dataset,
            repeats=repeats(recorder, scope, step),
        )


def _shards(recorder: Recorder) -> None:
    """Iterable datasets in whose files nothing speaks of workers or shards."""
    words = (b"worker", b"shard", b"rank", b"islice", b"split", b"world_size")
    for name, cls in recorder.reach.datasets.items():
        if recorder.reach.style[name] != "iterable":
            continue
        method = cls.methods.get("__iter__")
        if method is None:
            continue
        start = getattr(cls.node, "lineno", 1) - 1
        end = getattr(cls.node, "end_lineno", start)
        text = b"\n".join(cls.module.text.lines[start:end]).lower()
        init = cls.methods.get("__init__")
        wraps = init is not None and any(
            "dataset" in one.arg or "source" in one.arg or "iter" in one.arg
            for one in init.parameters
        )
        draws = b"random" in text or b"while true" in text
        draws = draws or b"queue" in text or b"socket" in text
        if not any(word in text for word in words) and not wraps and not draws:
            recorder.add(
                "unsharded",
                method,
                Step(method.node, Around()),
                cls.full,
            )
