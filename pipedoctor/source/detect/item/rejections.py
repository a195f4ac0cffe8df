"""Messages of samples that are rejected, and of arguments that are wrong."""

import ast
import re
from collections.abc import Iterator

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.source.detect.dataset.caches import is_failure_path
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep, tests_for_none
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes

_ERROR_WORDS = compile_lazily(
    r"\b(errors?|warning|invalid|corrupt|corrupted|failed|missing|cannot|not found|skipping)\b",
    re.IGNORECASE,
)
"""What a message says of an item that something is wrong with."""
_FILE_QUESTIONS = {"exists", "isfile", "is_file", "isdir", "is_dir", "getsize"}


def explains_rejection(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, node: ast.Call
) -> bool:
    """Does this ``print`` report a rejected sample or a wrong argument?"""
    block = recorder.get_source_text(scope.module).call_statements.get(id(node))
    last = block[0][-1] if block and step.context.guards else None
    if isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Assert)):
        return True
    guards = step.context.guards
    if is_failure_path(step) or (guards and tests_for_none(guards[-1], present=False)):
        return True
    if any(_asks_for_file(guard.test) for guard in step.context.guards):
        return True
    if step.context.guards and any(_ERROR_WORDS.search(one) for one in _texts(node)):
        return True
    otherwise = bool(step.context.guards) and not step.context.guards[-1].holds
    plain = all(isinstance(one, ast.Constant) for one in node.args)
    return (otherwise and plain) or scope.name.endswith("__init__")


def _asks_for_file(test: ast.expr) -> bool:
    """``if not os.path.exists(path)``: whether a file is there, or how large it is."""
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in _FILE_QUESTIONS
        for one in ast.walk(test)
    )


def _texts(node: ast.Call) -> Iterator[str]:
    """The texts in what is printed, also those between the values of an f-string."""
    for one in find_nodes(node, (ast.Constant,)):
        if isinstance(one.value, str):
            yield one.value
