"""What a dataset is told from outside, while its loader is in use."""

import ast
import re

from pipedoctor.facts.code_events.dataset import DatasetUpdate
from pipedoctor.source.detect.loader.reuse import is_repeated
from pipedoctor.source.detect.program.epoch_updates import record_state_setter
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope, Module
from pipedoctor.source.syntax.walk import find_nodes

_LOADER_DATASET = re.compile(r"\._?dataset\.")
"""``loader.dataset.epoch``: what belongs to the dataset of a loader."""
_CHANGING_METHODS = frozenset(
    {
        *("append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"),
        *("update", "setdefault", "popitem", "add", "discard", "fill_", "copy_", "zero_"),
    }
)
"""Methods that change a list, a dictionary, a set or a tensor in place."""


def record_dataset_updates(recorder: EventRecorder, module: Module) -> None:
    """
    Record calls and assignments that change the dataset of a loader.

    ``loader.dataset.stage = 2``; ``rows.shuffle()`` beside ``DataLoader(rows)``.
    """
    given = _list_given_names(recorder, module)
    places = [
        at
        for name, at in module.calls_by_name.items()
        if name.rpartition(".")[0] in given or _LOADER_DATASET.search(name)
    ]
    for scope, step in module.steps_at(place for its in places for place in its):
        name = unparse_short(step.node.func) if isinstance(step.node, ast.Call) else ""
        if _is_state_setter(recorder, name.rpartition(".")[2]):
            again = is_repeated(recorder, scope, step)
            recorder.add_event(DatasetUpdate(repeats=again), scope, step, name)
            if isinstance(step.node, ast.Call):
                record_state_setter(recorder, scope, step, step.node)
    for scope in module.scopes if b"dataset." in module.file.content else ():
        for step in scope.steps_by_type.get(ast.Assign, []):
            targets = step.node.targets if isinstance(step.node, ast.Assign) else []
            if any(map(_sets_on_dataset, targets)):
                again = is_repeated(recorder, scope, step)
                recorder.add_event(DatasetUpdate(repeats=again), scope, step)


def _list_given_names(recorder: EventRecorder, module: Module) -> set[str]:
    """``rows``, ``self.rows``: what the loaders of a file are given as their datasets."""
    arguments = [
        call.arguments["dataset"]
        for call in recorder.loader_calls.calls
        if "dataset" in call.arguments
    ]
    keys = {binding_key(one.node) for one in arguments if one.scope.module is module}
    return keys - {""}


def _sets_on_dataset(target: ast.expr) -> bool:
    """Is an attribute of the dataset of a loader in it, or an item of one?"""
    if isinstance(target, ast.Name):
        return False
    return _LOADER_DATASET.search(unparse_short(target)) is not None


def _is_state_setter(recorder: EventRecorder, name: str) -> bool:
    """Is there a method of this name that sets, or changes in place, what its object keeps?"""
    classes = recorder.project.classes_by_method.get(name, ())
    methods = [cls.methods[name] for cls in classes]
    return any(
        any(key.startswith("self.") for key in method.bindings) or _changes_in_place(method)
        for method in methods
    )


def _changes_in_place(method: CodeScope) -> bool:
    """``random.shuffle(self.rows)``, ``self.rows.reverse()``, ``self.rows[0] = row``."""
    stores = (node.value for node in find_nodes(method.node, (ast.Subscript,)) if _is_stored(node))
    calls = [one.node for one in method.calls if isinstance(one.node, ast.Call)]
    shuffled = (call.args[0] for call in calls if call.args and last_name(call.func) == "shuffle")
    changed = (
        call.func.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CHANGING_METHODS
    )
    return any(binding_key(node).startswith("self.") for node in (*stores, *shuffled, *changed))


def _is_stored(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, (ast.Store, ast.Del))
