"""From the model of a project to facts: loaders, what they load and what they feed."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from pipedoctor.facts.code_events.program import LoaderReconstruction, WorkerStart
from pipedoctor.facts.source import (
    Argument,
    Call,
    Dataset,
    LoaderCall,
    Skipped,
    Source,
)
from pipedoctor.source.detect.batches import record_loop_events
from pipedoctor.source.detect.collating import does_work_in_collate
from pipedoctor.source.detect.dataset_state import record_dataset_state
from pipedoctor.source.detect.images import record_images
from pipedoctor.source.detect.item_effects import record_item_events
from pipedoctor.source.detect.item_work import has_light_items
from pipedoctor.source.detect.lifetimes import (
    find_loader_variable,
    find_rebuilding_loop,
    find_unguarded_start,
)
from pipedoctor.source.detect.loops import find_loops
from pipedoctor.source.detect.module_level import record_module_events
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.worker_functions import find_transform_lambda, record_worker_functions
from pipedoctor.source.discover.merge import event_sort_key
from pipedoctor.source.discover.module_names import derive_module_name
from pipedoctor.source.resolve.bound_names import add_module_references
from pipedoctor.source.resolve.dataset_classes import FRAMEWORK_DATASETS
from pipedoctor.source.resolve.ignore_comments import find_ignore_comments
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.resolve.loader_classes import LOADER_CLASSES, LOADER_PARAMETERS
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.resolve.values import node_location, unparse_short
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.index import index_module
from pipedoctor.source.syntax.parse import ParsedFile
from pipedoctor.source.syntax.scope import (
    ClassDefinition,
    CodeScope,
    Module,
)
from pipedoctor.source.syntax.source_text import SourceText
from pipedoctor.source.values.lattice import ExternalValue, InstanceValue

_TRAIN_NAME = re.compile(r"(^|[^a-z])(tr|trn|train|training)([^a-z]|$)|train", re.IGNORECASE)
_EVAL_NAME = re.compile(r"val|test|eval|dev_|_dev|infer|predict", re.IGNORECASE)
LoopRole: TypeAlias = Literal["train", "eval", ""]
_IN_MEMORY_DATASETS = (
    "torch.utils.data.TensorDataset",
    "torch.utils.data.dataset.TensorDataset",
)


def build_facts(
    parsed_files: Sequence[ParsedFile], skipped: Iterable[Skipped] = (), files: int = 0
) -> Source:
    """Make the facts of all files of a project."""
    return build_facts_of_modules([index_file(text) for text in parsed_files], skipped, files)


def build_facts_of_modules(
    modules: Sequence[Module],
    skipped: Iterable[Skipped] = (),
    files: int = 0,
    *,
    discard_trees: bool = True,
    source_texts: dict[int, SourceText] | None = None,
) -> Source:
    """
    Make the facts of all files of a project that are taken apart; they forget.

    Unless they are to stay: then each lets go only of what others have told it. With
    them may stay `pens`, which know their texts, by the identities of modules.
    """
    recorder = EventRecorder(Project(modules), source_texts)
    find_loops(recorder)
    record_item_events(recorder)
    record_dataset_state(recorder)
    record_loop_events(recorder)
    record_images(recorder)
    record_module_events(recorder)
    calls = enumerate(_resolved_loaders(recorder))
    loaders = [_build_loader_fact(recorder, n, call) for n, call in calls]
    facts = Source(
        files=files or len(modules),
        parsed=len(modules),
        skipped=tuple(skipped),
        loaders=tuple(loaders),
        loops=tuple(recorder.loops),
        datasets=len(recorder.call_graph.datasets),
        events=tuple(sorted(recorder.events, key=event_sort_key)),
        traits=tuple(sorted(recorder.traits)),
        ignores=tuple(one for module in modules for one in find_ignore_comments(module)),
    )
    for module in modules:
        module.discard_tree() if discard_trees else module.resolved_names.clear()
    return facts


def index_file(text: ParsedFile) -> Module:
    """
    Index a parsed file under its module name.

    Classes, functions and the steps in them.
    """
    name, package = derive_module_name(text.path)
    return index_module(text, name, package=package)


def _resolved_loaders(recorder: EventRecorder) -> list[ResolvedLoaderCall]:
    return recorder.loader_calls.calls


def _resolve_arguments(recorder: EventRecorder, loader: ResolvedLoaderCall) -> dict[str, Argument]:
    """Its arguments as facts; what it sends to its workers is recorded."""
    arguments = {
        name: recorder.loader_calls.argument_fact(given, complete=True)
        for name, given in loader.arguments.items()
    }
    transform = find_transform_lambda(recorder, loader)
    if transform is not None:
        arguments["transform"] = recorder.values.resolve(*transform)
    record_worker_functions(recorder, loader, transform)
    return arguments


def _record_starts(
    recorder: EventRecorder, index: int, loader: ResolvedLoaderCall
) -> tuple[str, bool]:
    """What loop makes it anew each time, and whether its workers start on import."""
    scope = loader.site.scope
    again = find_rebuilding_loop(recorder, loader)
    begun = find_unguarded_start(recorder, index)
    if again:
        step = CodeStep(loader.site.node, CodeContext())
        recorder.add_event(LoaderReconstruction(), scope, step, node=loader.node)
    if begun is not None:
        recorder.add_event(WorkerStart(), begun.module.body, begun.step)
    return again, begun is not None


def _build_loader_fact(
    recorder: EventRecorder, index: int, loader: ResolvedLoaderCall
) -> LoaderCall:
    scope = loader.site.scope
    arguments = _resolve_arguments(recorder, loader)
    made_at = at = node_location(scope.module, loader.node)
    if loader.through:
        first = loader.through[0]
        at = node_location(first.scope.module, first.node)
    target = find_loader_variable(loader, scope)
    fed = [n for n, loop in enumerate(recorder.loops) if index in loop.loaders]
    rebuilt, unguarded = _record_starts(recorder, index, loader)
    return LoaderCall(
        at=at,
        made_at=made_at if made_at != at else None,
        name=loader.name,
        target=target,
        function=scope.name,
        arguments=arguments,
        complete=loader.complete,
        role=_infer_role(recorder, loader, target, fed),
        dataset=_find_dataset(recorder, loader),
        testing=_is_for_tests(recorder, loader),
        framework=_find_framework(scope),
        repeats=index in recorder.repeated_loaders,
        rebuilt=rebuilt,
        fed=tuple(fed),
        unguarded=unguarded,
        batch_norm=_uses_batch_norm(recorder, scope, fed),
        call=_loader_call_form(recorder, loader),
        collates=does_work_in_collate(recorder, loader),
        lasting=_has_own_iteration(recorder, loader),
    )


def _is_for_tests(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool:
    """Is it made in a test or a benchmark, or only for one?"""
    sites = loader.through or (loader.site,)
    return recorder.is_test_code(loader.site.scope) or all(
        recorder.is_test_code(site.scope) for site in sites
    )


def _uses_batch_norm(recorder: EventRecorder, scope: CodeScope, fed: Sequence[int]) -> bool:
    """Is BatchNorm used near the loader, or near a loop that it feeds?"""
    paths = {recorder.loops[number].at.path for number in fed}
    near = [scope.module, *(one for one in recorder.project.modules if one.path in paths)]
    return any(map(recorder.batch_norm_usage.is_used_near, near))


def _has_own_iteration(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool:
    """Is it of a class of the project that iterates in a way of its own?"""
    cls = recorder.project.find_by_name(loader.name, loader.site.scope.module)
    return (
        isinstance(cls, ClassDefinition)
        and recorder.project.find_method(cls, "__iter__") is not None
    )


def _loader_call_form(recorder: EventRecorder, loader: ResolvedLoaderCall) -> Call | None:
    """How the call is written, where the class itself is called, and in one way."""
    scope, node = loader.site.scope, loader.site.node
    ways = recorder.loader_calls.variants_of_call[id(node)]
    if recorder.full_name_of(node.func, scope) not in LOADER_CLASSES or ways > 1:
        return None
    pen = recorder.get_source_text(scope.module)
    form = measure_call(pen, node, LOADER_PARAMETERS, direct=True)
    return form and add_module_references(pen, scope, node, form)


def _infer_role(
    recorder: EventRecorder,
    loader: ResolvedLoaderCall,
    target: str,
    fed_loops: list[int],
) -> LoopRole:
    """By the names of variable and data set, then by the loops that it feeds."""
    given = loader.arguments.get("dataset")
    names = [target, unparse_short(given.node) if given else ""]
    names.append(loader.site.scope.name.rpartition(".")[2])
    for name in names:
        trains, evaluates = (
            bool(_TRAIN_NAME.search(name)),
            bool(_EVAL_NAME.search(name)),
        )
        if trains != evaluates:
            return "train" if trains else "eval"
    roles: set[LoopRole] = {recorder.loops[n].role for n in fed_loops if recorder.loops[n].role}
    return roles.pop() if len(roles) == 1 else ""


def _find_dataset(recorder: EventRecorder, loader: ResolvedLoaderCall) -> Dataset | None:
    given = loader.arguments.get("dataset")
    if given is None:
        return None
    values = recorder.loader_flow.evaluate_argument(loader, "dataset")
    classes = {one.cls.full_name: one.cls for one in values if isinstance(one, InstanceValue)}
    for _, cls in sorted(classes.items()):
        if cls.full_name in recorder.call_graph.datasets:
            return _project_dataset(recorder, cls)
    names = {one.name for one in values if isinstance(one, ExternalValue)}
    return _framework_dataset(names.pop()) if len(names) == 1 else None


def _project_dataset(recorder: EventRecorder, cls: ClassDefinition) -> Dataset:
    style = recorder.call_graph.dataset_style[cls.full_name]
    return Dataset(
        name=cls.full_name,
        at=node_location(cls.module, cls.node),
        style="iterable" if style == "iterable" else "map",
        light=has_light_items(recorder, cls.full_name),
    )


def _framework_dataset(name: str) -> Dataset | None:
    """A dataset of a framework, by its full name."""
    if name in _IN_MEMORY_DATASETS:
        return Dataset(name=name, style="map", light=True)
    if name.startswith(FRAMEWORK_DATASETS):
        streams = name.startswith("torchtext.")
        return Dataset(name=name, style="iterable" if streams else "map")
    return None


def _find_framework(scope: CodeScope) -> str:
    """What drives the loops over the loaders of this file."""
    for name in ("pytorch_lightning", "lightning", "accelerate"):
        for full in scope.module.imported_names.values():
            if full.partition(".")[0] == name:
                return "Lightning" if "lightning" in name else name
    return ""
