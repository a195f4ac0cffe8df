"""Loaders as facts: their arguments, what they load and what they feed."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from pipedoctor.facts.call_text import Call
from pipedoctor.facts.code_events.program import LoaderReconstruction, WorkerStart
from pipedoctor.facts.source import Argument, LoaderCall
from pipedoctor.source.dataset_facts import find_dataset
from pipedoctor.source.detect.item.item_work import does_work
from pipedoctor.source.detect.loader.import_starts import find_unguarded_start
from pipedoctor.source.detect.loader.lifetimes import (
    find_loader_variable,
    find_rebuilding_loop,
    find_receiving_names,
    is_made_in_epochs,
)
from pipedoctor.source.detect.loader.samplers import find_sampler, find_sampler_end
from pipedoctor.source.detect.loader.worker_functions import (
    list_transform_lambdas,
    record_worker_functions,
)
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.bound_names import add_module_references
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.resolve.loader_classes import LOADER_CLASSES, LOADER_PARAMETERS
from pipedoctor.source.rewrite.call_form import measure_call
from pipedoctor.source.syntax.context import CodeContext, CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import (
    ClassDefinition,
    CodeScope,
)
from pipedoctor.source.syntax.walk import contains_node

_TRAIN_NAME = re.compile(r"(^|[^a-z])(tr|trn|train|training)([^a-z]|$)|train", re.IGNORECASE)
_EVAL_NAME = re.compile(r"val|test|eval|dev_|_dev|infer|predict", re.IGNORECASE)
LoopRole: TypeAlias = Literal["train", "eval", ""]


def _resolve_arguments(recorder: EventRecorder, loader: ResolvedLoaderCall) -> dict[str, Argument]:
    """Its arguments as facts; what it sends to its workers is recorded."""
    arguments = {
        name: recorder.loader_calls.argument_fact(given, complete=loader.complete, name=name)
        for name, given in loader.arguments.items()
    }
    for name in ("sampler", "batch_sampler"):
        made = find_sampler(recorder, loader, name)
        if made is not None and name in arguments:
            at = node_location(made.frame.scope.module, made.call)
            arguments[name] = replace(arguments[name], at=at)
    transforms = list_transform_lambdas(recorder, loader)
    if transforms:
        arguments["transform"] = recorder.values.resolve(*transforms[0])
    record_worker_functions(recorder, loader, transforms)
    return arguments


def _record_starts(
    recorder: EventRecorder, index: int, loader: ResolvedLoaderCall
) -> tuple[str, bool]:
    """What loop makes it again each time, and whether its workers start on import."""
    scope = loader.site.scope
    again = find_rebuilding_loop(recorder, loader)
    begun = find_unguarded_start(recorder, index, loader)
    if again:
        step = CodeStep(loader.site.node, CodeContext())
        recorder.add_event(LoaderReconstruction(), scope, step, node=loader.node)
    if begun is not None:
        paths = {loader.site.scope.module.path, *(one.scope.module.path for one in loader.through)}
        elsewhere = begun.module.path not in paths
        start = WorkerStart(loader=index if elsewhere else -1)
        recorder.add_event(start, begun.module.body, begun.step)
    return again, begun is not None


def build_loader_fact(
    recorder: EventRecorder, index: int, loader: ResolvedLoaderCall
) -> LoaderCall:
    """A loader as a fact: its arguments, what it loads and what it feeds."""
    scope = loader.site.scope
    arguments = _resolve_arguments(recorder, loader)
    made_at = at = node_location(scope.module, loader.node)
    if (inner := recorder.loader_calls.find_inner_call(loader)) is not None:
        made_at = node_location(inner.scope.module, inner.node)
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
        evaluates=_is_made_for_evaluation_too(loader),
        dataset=find_dataset(recorder, loader),
        testing=_is_for_tests(loader),
        framework=_find_framework(scope),
        repeats=index in recorder.repeated_loaders,
        sampled=index in recorder.sampled_loaders and not fed,
        rebuilt=rebuilt,
        renewed=is_made_in_epochs(recorder, scope, loader.site.step),
        fed=tuple(fed),
        unguarded=unguarded,
        batch_norm=_uses_batch_norm(recorder, scope, fed) and not _joins_graphs(recorder, loader),
        call=_loader_call_form(recorder, loader),
        collates=_does_work_in_collate(recorder, loader),
        lasting=_has_own_iteration(recorder, loader),
        sampler_ends=find_sampler_end(recorder, loader),
    )


def _is_for_tests(loader: ResolvedLoaderCall) -> bool:
    """Is it made in a test or a benchmark, or only for one?"""
    sites = loader.through or (loader.site,)
    return loader.site.scope.module.is_test or all(site.scope.module.is_test for site in sites)


def _uses_batch_norm(recorder: EventRecorder, scope: CodeScope, loops: Sequence[int]) -> bool:
    """Is BatchNorm used near the loader, or near a loop that it feeds?"""
    paths = {recorder.loops[number].at.path for number in loops}
    near = [scope.module, *recorder.project.modules_at(paths)]
    return any(map(recorder.batch_norm_usage.is_used_near, near))


def _joins_graphs(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool:
    """Does it collate graphs of DGL, whose nodes BatchNorm counts?"""
    module = loader.site.scope.module
    return "collate_fn" in loader.arguments and recorder.batch_norm_usage.joins_graphs(module)


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
    """By the names of variable and dataset, then by the loops that it feeds."""
    given = loader.arguments.get("dataset")
    names = [target, unparse_short(given.node) if given else ""]
    names.append(loader.site.scope.name.rpartition(".")[2])
    names += find_receiving_names(recorder, loader.site.node, loader.site.scope)
    names += _names_of_calls(loader)
    names += _names_of_branches(loader)
    for name in names:
        trains, evaluates = (
            bool(_TRAIN_NAME.search(name)),
            bool(_EVAL_NAME.search(name)),
        )
        if trains != evaluates:
            return "train" if trains else "eval"
    roles: set[LoopRole] = {recorder.loops[n].role for n in fed_loops if recorder.loops[n].role}
    return roles.pop() if len(roles) == 1 else ""


def _is_made_for_evaluation_too(loader: ResolvedLoaderCall) -> bool:
    """``{part: DataLoader(rows[part]) for part in ("train", "val")}``, and loops like it."""
    site = loader.site
    iterated = [one.iter for one in site.step.context.loops if isinstance(one, ast.For)]
    kinds = () if loader.through else _COMPREHENSIONS
    for made in (one.node for kind in kinds for one in site.scope.steps_by_type.get(kind, ())):
        if isinstance(made, _COMPREHENSIONS) and contains_node(made, site.node):
            iterated += [part.iter for part in made.generators]
    parts = [
        one for node in iterated if isinstance(node, (ast.Tuple, ast.List)) for one in node.elts
    ]
    named = [str(one.value) if isinstance(one, ast.Constant) else last_name(one) for one in parts]
    return any(_EVAL_NAME.search(one) and not _TRAIN_NAME.search(one) for one in named)


_COMPREHENSIONS = (ast.DictComp, ast.ListComp, ast.GeneratorExp)


def _names_of_branches(loader: ResolvedLoaderCall) -> Iterator[str]:
    """``val``, where it is made if ``phase == "val"``, or if it is not ``"train"``."""
    for guard in loader.site.step.context.guards:
        test = guard.test
        if isinstance(test, ast.Compare) and [*map(type, test.ops)] == [ast.Eq]:
            text = test.comparators[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                if guard.holds:
                    yield text.value
                elif text.value == "train":
                    yield "val"


def _names_of_calls(loader: ResolvedLoaderCall) -> Iterator[str]:
    """What the calls that it is made by say of it, all together: ``build("val")``."""
    found: list[str] = []
    for site in loader.through:
        given = (*site.node.args, *(word.value for word in site.node.keywords))
        texts = [one.value for one in given if isinstance(one, ast.Constant)]
        found += [text for text in texts if isinstance(text, str)]
        for key, values in site.scope.bindings.items():
            if any(value is site.node for value, _ in values):
                found.append(key)
    if found:
        yield " ".join(found)


def _find_framework(scope: CodeScope) -> str:
    """What drives the loops over the loaders of this file."""
    for name in ("pytorch_lightning", "lightning", "accelerate"):
        for full in scope.module.imported_names.values():
            if full.partition(".")[0] == name:
                return "Lightning" if "lightning" in name else name
    return ""


def _does_work_in_collate(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool:
    """Does it read, decode, parse or tokenise? To pad and to stack is no work."""
    given = loader.arguments.get("collate_fn")
    if given is None:
        return False
    return any(
        isinstance(step.node, ast.Call) and does_work(recorder, scope, step.node)
        for scope in recorder.call_graph.resolve_callables(given.node, given.scope)
        for step in scope.calls
    )
