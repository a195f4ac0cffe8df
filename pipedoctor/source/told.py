"""What a data set is told from outside, while its loader is in use."""

import ast
import re

from pipedoctor.source.loops import repeats
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Module
from pipedoctor.source.values import written

_INNER = re.compile(r"\._?dataset\.")
"""``loader.dataset.epoch``: what belongs to the data set of a loader."""


def told(recorder: Recorder, module: Module) -> None:
    """``loader.dataset.disable_flips()``, ``loader.dataset.stage = 2``: record it."""
    places = [at for name, at in module.called.items() if _INNER.search(name)]
    for scope, step in module.steps(place for its in places for place in its):
        name = written(step.node.func) if isinstance(step.node, ast.Call) else ""
        if _changes(recorder, name.rpartition(".")[2]):
            again = repeats(recorder, scope, step)
            recorder.add("dataset-told", scope, step, name, repeats=again)
    for scope in module.scopes if b"dataset." in module.text.whole else ():
        for step in scope.of_type.get(ast.Assign, []):
            targets = step.node.targets if isinstance(step.node, ast.Assign) else []
            if any(_INNER.search(written(one)) for one in targets):
                again = repeats(recorder, scope, step)
                recorder.add("dataset-told", scope, step, repeats=again)


def _changes(recorder: Recorder, name: str) -> bool:
    """Is there a method of this name that sets what its object keeps?"""
    return any(
        key.startswith("self.")
        for cls in recorder.project.classes
        for key in (cls.methods[name].bound if name in cls.methods else ())
    )
