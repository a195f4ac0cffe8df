"""Datasets that are given the number of the epoch."""

import ast
import re

from msgspec import UNSET, UnsetType

from pipedoctor.facts.code_events.dataset import EpochUpdate
from pipedoctor.source.detect.dataset.held_objects import reads_from_outside
from pipedoctor.source.detect.loader.reuse import is_repeated
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import contains_node
from pipedoctor.source.values.lattice import InstanceValue

_DATASET_NAME = re.compile(r"(?:dataset|_set|_data|trainset)$")


_DATASET_WORD = re.compile("dataset")


def record_set_epoch(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    node: ast.Call,
    func: ast.Attribute,
) -> None:
    """
    Record ``set_epoch`` on a dataset rather than on a sampler.

    Copies in workers do not see it.
    """
    if "sampler" in unparse_short(func.value).lower():
        return
    for cls in _candidate_datasets(recorder, scope, func.value, _DATASET_WORD):
        method = cls.methods.get(_EPOCH_METHOD)
        if method is not None:
            keys = [
                key
                for key, values in method.bindings.items()
                if any(expression_names(value) & method.parameter_names for value, _ in values)
            ]
            own = [key for key in keys if key.startswith("self.")]
            _record_epoch_event(recorder, scope, step, node, cls, own, func.value)


def record_state_setter(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call
) -> None:
    """``dataset.close_mosaic()``: a method that sets what items read, whatever it is called."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr == _EPOCH_METHOD:
        return
    for cls in recorder.call_graph.infer_classes(func.value, scope, scope.owner):
        method = recorder.project.find_method(cls, func.attr)
        if method is not None and cls.full_name in recorder.call_graph.datasets:
            own = [key for key in method.bindings if key.startswith("self.")]
            _record_epoch_event(recorder, scope, step, node, cls, own, func.value, counts=False)


_EPOCH_METHOD = "set_epoch"


def record_epoch_assignments(recorder: EventRecorder) -> None:
    """``dataset.epoch = epoch`` in the loop over epochs."""
    stores = recorder.loader_flow.evaluator.attributes.attribute_stores
    for name, places in stores.items():
        for base, value, scope in places:
            if isinstance(value, ast.Constant):
                continue
            if "epoch" in name or _counts_epochs(scope, value):
                step = next(
                    one
                    for one in scope.steps_by_type[ast.Assign]
                    if isinstance(one.node, ast.Assign) and contains_node(one.node.value, value)
                )
                _record_epoch_assignment(recorder, scope, step, base, name)


def _counts_epochs(scope: CodeScope, value: ast.expr) -> bool:
    """Is it the number of a loop over a range that has a loop within it?"""
    return isinstance(value, ast.Name) and any(
        isinstance(loop.target, ast.Name)
        and loop.target.id == value.id
        and any(isinstance(one, ast.For) for inner in loop.body for one in ast.walk(inner))
        for step in scope.steps_by_type.get(ast.For, ())
        if isinstance(loop := step.node, ast.For)
    )


def _candidate_datasets(
    recorder: EventRecorder, scope: CodeScope, node: ast.expr, name: re.Pattern[str]
) -> list[ClassDefinition]:
    """The datasets that this may be: where nobody sees how it is made, by its name."""
    known = recorder.call_graph.datasets
    made = recorder.call_graph.infer_classes(node, scope, scope.owner)
    if made:
        return [cls for cls in made if cls.full_name in known]
    return list(known.values()) if name.search(unparse_short(node).lower()) else []


def _record_epoch_assignment(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, base: ast.expr, name: str
) -> None:
    for cls in _candidate_datasets(recorder, scope, base, _DATASET_NAME):
        key = f"self.{name}"
        init = recorder.project.find_method(cls, "__init__")
        if init is not None and key in init.bindings:
            _record_epoch_event(recorder, scope, step, step.node, cls, [key], base)


def _record_epoch_event(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    node: ast.AST,
    cls: ClassDefinition,
    keys: list[str],
    base: ast.expr,
    *,
    counts: bool = True,
) -> None:
    methods = [m for m in recorder.project.all_methods(cls) if recorder.is_item_code(m)]
    outside = reads_from_outside(recorder, cls, {key[5:] for key in keys})
    read = [
        key
        for key in keys
        if key[5:] in outside
        or any(
            binding_key(node) == key and isinstance(node.ctx, ast.Load)
            for one in methods
            for node in one.attribute_nodes
        )
    ]
    if read:
        feeds = _find_own_loaders(recorder, scope, base)
        again = is_repeated(recorder, scope, step)
        update = EpochUpdate(
            dataset=cls.name,
            repeats=again,
            feeds=feeds,
            target=unparse_short(node.targets[0]) if isinstance(node, ast.Assign) else "",
            value=unparse_short(node.value) if isinstance(node, ast.Assign) else "",
            counts=counts,
        )
        recorder.add_event(update, scope, step, read[0], node=node)


def _find_own_loaders(recorder: EventRecorder, scope: CodeScope, base: ast.expr) -> str | UnsetType:
    """The loaders of the very object that is changed, where its making is seen."""
    flow = recorder.loader_flow
    changed = {
        one
        for one in flow.evaluator.evaluate(base, flow.evaluator.frame_of(scope))
        if isinstance(one, InstanceValue) and one.call is not None
    }
    held = [flow.evaluate_argument(one, "dataset") for one in recorder.loader_calls.calls]
    if not changed or not any(changed & its for its in held):
        return UNSET
    return ",".join(str(number) for number, its in enumerate(held) if changed & its)
