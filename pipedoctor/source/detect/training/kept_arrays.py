"""Arrays of NumPy that an object makes when it is made, and keeps: tables of constants."""

import ast

from pipedoctor.source.detect.positions import is_initializer
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.arguments import match_arguments
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.scope import CodeScope

_MAX_CALLERS = 8


def is_kept_array(recorder: EventRecorder, scope: CodeScope, node: ast.expr) -> bool:
    """``self.betas``, or a parameter that each call of the function gives such an array."""
    key = binding_key(node)
    if key.startswith("self."):
        return _is_made_at_first(recorder, scope, key)
    if key not in scope.parameter_names or key in scope.bindings:
        return False
    sites = recorder.project.find_callers(scope)[:_MAX_CALLERS]
    given = [
        (site.scope, value)
        for site in sites
        for name, value in match_arguments(scope, site.node)
        if name == key
    ]
    kept = (binding_key(value).startswith("self.") for _, value in given)
    return bool(given) and all(kept) and all(is_kept_array(recorder, *one) for one in given)


def _is_made_at_first(recorder: EventRecorder, scope: CodeScope, key: str) -> bool:
    """Does ``__init__`` alone make it, by NumPy?"""
    if scope.owner is None:
        return False
    bases = recorder.project.find_bases(scope.owner)[0]
    methods = [one for cls in bases for one in cls.methods.values()]
    given = [(one, value) for one in methods for value, _ in one.bindings.get(key, ())]
    return bool(given) and all(
        is_initializer(method)
        and isinstance(value, ast.Call)
        and recorder.full_name_of(value.func, method).startswith("numpy.")
        for method, value in given
    )
