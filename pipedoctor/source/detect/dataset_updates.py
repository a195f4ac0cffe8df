"""What a dataset is told from outside, while its loader is in use."""

import ast
import re

from pipedoctor.facts.code_events.dataset import DatasetUpdate
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.reuse import is_repeated
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import Module

_LOADER_DATASET = re.compile(r"\._?dataset\.")
"""``loader.dataset.epoch``: what belongs to the dataset of a loader."""


def record_dataset_updates(recorder: EventRecorder, module: Module) -> None:
    """
    Record calls and assignments that change the dataset of a loader.

    ``loader.dataset.stage = 2``.
    """
    places = [at for name, at in module.calls_by_name.items() if _LOADER_DATASET.search(name)]
    for scope, step in module.steps_at(place for its in places for place in its):
        name = unparse_short(step.node.func) if isinstance(step.node, ast.Call) else ""
        if _is_state_setter(recorder, name.rpartition(".")[2]):
            again = is_repeated(recorder, scope, step)
            recorder.add_event(DatasetUpdate(repeats=again), scope, step, name)
    for scope in module.scopes if b"dataset." in module.file.content else ():
        for step in scope.steps_by_type.get(ast.Assign, []):
            targets = step.node.targets if isinstance(step.node, ast.Assign) else []
            if any(map(_sets_on_dataset, targets)):
                again = is_repeated(recorder, scope, step)
                recorder.add_event(DatasetUpdate(repeats=again), scope, step)


def _sets_on_dataset(target: ast.expr) -> bool:
    """Is an attribute of the dataset of a loader in it, or an item of one?"""
    if isinstance(target, ast.Name):
        return False
    return _LOADER_DATASET.search(unparse_short(target)) is not None


def _is_state_setter(recorder: EventRecorder, name: str) -> bool:
    """Is there a method of this name that sets what its object keeps?"""
    return any(
        key.startswith("self.")
        for cls in recorder.project.classes
        for key in (cls.methods[name].bindings if name in cls.methods else ())
    )
