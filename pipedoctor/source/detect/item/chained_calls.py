"""Calls whose meaning comes from what they are called on, or from what they are given."""

import ast
from collections.abc import Mapping

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope

_MAX_LINKS = 30
_CHAIN_ENDS: Mapping[str, Mapping[str, str]] = {
    "run": {"ffmpeg": "ffmpeg.run"},
    "run_async": {"ffmpeg": "ffmpeg.run_async"},
    "execute": {"ffmpeg": "ffmpeg.run"},
}
"""By the last method of a chain: the library that it begins with, and the function it is.

https://kkroening.github.io/ffmpeg-python/"""
_TEXT_PARSERS = frozenset(
    (
        *("json.loads", "ujson.loads", "orjson.loads", "simplejson.loads"),
        *("xml.etree.ElementTree.fromstring", "lxml.etree.fromstring"),
    )
)
"""What parses a text that it is given."""
_READS = frozenset(("read", "read_text", "read_bytes"))


def name_call(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> str:
    """
    The full name of what a call does, where its function alone does not tell it.

    ``ffmpeg.input(x).output("pipe:").run()`` is ``ffmpeg.run``; any other call is its function.
    """
    full = recorder.full_name_of(node.func, scope)
    ends = _CHAIN_ENDS.get(last_name(node.func), {})
    if ends and isinstance(node.func, ast.Attribute):
        root = _begin_of_chain(recorder, scope, node.func.value)
        return ends.get(root, full)
    return full


def parses_file(full: str, scope: CodeScope, node: ast.Call) -> bool:
    """``json.loads(f.read())``: a text that is read to be parsed."""
    return full in _TEXT_PARSERS and bool(node.args) and _reads_file(scope, node.args[0])


def _begin_of_chain(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> str:
    """The library that a chain of calls begins with, through variables that hold a part."""
    for _ in range(_MAX_LINKS):
        if isinstance(node, ast.Call):
            full = recorder.full_name_of(node.func, scope)
            if full:
                return full.partition(".")[0]
            node = node.func
        elif isinstance(node, ast.Name):
            bound = [value for value, _ in scope.bindings.get(node.id, ())]
            if not bound:
                return ""
            node = bound[0]
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            break
    return ""


def _reads_file(scope: CodeScope, node: ast.expr) -> bool:
    """``f.read()``, ``Path(name).read_text()``, or a variable that holds it."""
    bound = scope.bindings.get(binding_key(node), ()) if isinstance(node, ast.Name) else ()
    return any(
        isinstance(one, ast.Call) and last_name(one.func) in _READS
        for one in (node, *(value for value, _ in bound))
    )
