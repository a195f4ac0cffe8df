"""What a dataset leaves behind when it is pickled for a new process."""

import ast

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_PICKLE_METHODS = ("__getstate__", "__reduce__", "__reduce_ex__")


def is_left_out_of_pickle(recorder: EventRecorder, cls: ClassDefinition, key: str) -> bool:
    """Does its own way of being pickled leave ``self.x`` out, as far as is seen?"""
    for name in _PICKLE_METHODS:
        scope = recorder.project.find_method(cls, name)
        if scope is not None:
            return not _pickles_whole_dict(scope) or _names_attribute(
                scope, key.removeprefix("self.")
            )
    return False


def _pickles_whole_dict(scope: CodeScope) -> bool:
    """Is it all of ``__dict__``, with nothing chosen from it?"""
    chosen = (ast.DictComp, ast.For, ast.ListComp, ast.GeneratorExp)
    everything = any(node.attr == "__dict__" for node in scope.attribute_nodes) or any(
        isinstance(step.node, ast.Call) and last_name(step.node.func) in {"vars", "__getstate__"}
        for step in scope.calls
    )
    return everything and not any(scope.steps_by_type.get(kind) for kind in chosen)


def _names_attribute(scope: CodeScope, name: str) -> bool:
    """``state["x"] = None``, ``state.pop("x")``, ``dict(state, x=None)``."""
    return any(
        (isinstance(node, ast.Constant) and node.value == name)
        or (isinstance(node, ast.keyword) and node.arg == name)
        or (isinstance(node, ast.Delete) and f"self.{name}" in map(binding_key, node.targets))
        for node in ast.walk(scope.node)
    )
