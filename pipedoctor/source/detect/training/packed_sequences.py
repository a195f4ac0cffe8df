"""Packed sequences, whose sizes lie on the host wherever their data is."""

import ast

from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope

_FIELDS = 4
"""Data, sizes of batches, and two orders."""
_MAKERS = {"pack_padded_sequence", "pack_sequence", "PackedSequence"}


def find_packed_sizes(scope: CodeScope, target: ast.expr, value: ast.expr) -> frozenset[str]:
    """``sizes`` of ``data, sizes, _, _ = packed``; empty: nothing packed is taken apart."""
    if not isinstance(target, ast.Tuple) or len(target.elts) != _FIELDS:
        return frozenset()
    key = binding_key(value)
    made = [value, *(one for one, _ in scope.bindings.get(key, ()))]
    packs = any(isinstance(one, ast.Call) and last_name(one.func) in _MAKERS for one in made)
    packs = packs or any(
        isinstance(step.node, ast.Call)
        and len(step.node.args) > 1
        and binding_key(step.node.args[0]) == key
        and last_name(step.node.args[1]) in _MAKERS
        for step in (scope.find_calls("isinstance") if key else ())
    )
    return frozenset({binding_key(target.elts[1])}) if packs else frozenset()
