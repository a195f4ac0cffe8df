"""What a data set leaves behind when it is pickled for a new process."""

import ast

from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Class, Scope, key_of

_WAYS = ("__getstate__", "__reduce__", "__reduce_ex__")


def drops(recorder: Recorder, cls: Class, key: str) -> bool:
    """Does its own way of being pickled leave ``self.x`` out, as far as is seen?"""
    for name in _WAYS:
        scope = recorder.project.method(cls, name)
        if scope is not None:
            return not _whole(scope) or _named(scope, key.removeprefix("self."))
    return False


def _whole(scope: Scope) -> bool:
    """Is it all of ``__dict__``, with nothing chosen from it?"""
    chosen = (ast.DictComp, ast.For, ast.ListComp, ast.GeneratorExp)
    everything = any(node.attr == "__dict__" for node in scope.attributes) or any(
        isinstance(step.node, ast.Call)
        and last_name(step.node.func) in {"vars", "__getstate__"}
        for step in scope.calls
    )
    return everything and not any(scope.of_type.get(kind) for kind in chosen)


def _named(scope: Scope, name: str) -> bool:
    """``state["x"] = None``, ``state.pop("x")``, ``dict(state, x=None)``."""
    return any(
        (isinstance(node, ast.Constant) and node.value == name)
        or (isinstance(node, ast.keyword) and node.arg == name)
        or (
            isinstance(node, ast.Delete) and f"self.{name}" in map(key_of, node.targets)
        )
        for node in ast.walk(scope.node)
    )
