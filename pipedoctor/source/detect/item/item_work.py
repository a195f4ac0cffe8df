"""Do the items of a dataset take work, or are they only picked from memory?"""

import ast
from collections.abc import Sequence

from pipedoctor.facts.code_events.dataset import HandleAttribute
from pipedoctor.source.detect.api_table import KIND_OF_CALL
from pipedoctor.source.detect.dataset.held_objects import find_held_classes
from pipedoctor.source.detect.kinds import PICKING_FUNCTIONS, READ_KINDS
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.absent_arguments import find_absent_attributes, is_left_out
from pipedoctor.source.syntax.expressions import binding_key, last_name
from pipedoctor.source.syntax.scope import CodeScope

_WORK_WORDS = (
    "transform",
    "augment",
    "load",
    "read",
    "open",
    "tokeni",
    "tokens_to",
    "encode",
    "parse",
)


def does_work(recorder: EventRecorder, scope: CodeScope, node: ast.Call) -> bool:
    """Does a call read, decode, parse, tokenise or transform something?"""
    name = last_name(node.func).lower()
    known = KIND_OF_CALL.get(recorder.full_name_of(node.func, scope)) in READ_KINDS
    return known or any(word in name for word in _WORK_WORDS)


def _loops_only_over_range(scope: CodeScope) -> bool:
    """Are all its loops over a ``range``? What else is iterated may do anything."""
    loops = [s.node for s in scope.steps_by_type.get(ast.For, [])]
    others = any(scope.steps_by_type.get(kind) for kind in (ast.YieldFrom, ast.While))
    return (
        bool(loops)
        and not others
        and all(
            isinstance(one, ast.For)
            and isinstance(one.iter, ast.Call)
            and last_name(one.iter.func) == "range"
            for one in loops
        )
    )


def _is_super_call(func: ast.Attribute) -> bool:
    """``super().__getitem__``: what a class does that it is made from."""
    return isinstance(func.value, ast.Call) and last_name(func.value.func) == "super"


def has_light_items(
    recorder: EventRecorder, dataset: str, made_by: Sequence[ast.Call | None] = ()
) -> bool:
    """
    Do its items only pick from memory? Who knows of a class that is no Dataset.

    `made_by`: the calls that make its objects; options that none of them gives are left out.
    """
    absent = _find_absent_attributes(recorder, dataset, made_by)
    scopes = [
        scope
        for key in recorder.call_graph.scopes_of_dataset.get(dataset, set())
        if (scope := recorder.call_graph.item_scopes.get(key)) is not None
    ]
    style = recorder.call_graph.dataset_style[dataset]
    if style == "given" or (style == "iterable" and not all(map(_loops_only_over_range, scopes))):
        return False
    for scope in scopes:
        steps = [step for step in scope.calls if not is_left_out(step, absent)]
        calls = [step.node for step in steps if isinstance(step.node, ast.Call)]
        if not all(_only_picks(recorder, scope, call) for call in calls):
            return False
        if scope.steps_by_type.get(ast.While):
            return False
    return bool(scopes) and not _reads_from_handle(recorder, dataset)


def _find_absent_attributes(
    recorder: EventRecorder, dataset: str, made_by: Sequence[ast.Call | None]
) -> frozenset[str]:
    """``self.transform``, which is None in each of these objects, and given nothing later."""
    cls = recorder.call_graph.datasets[dataset]
    maker = recorder.project.find_method(cls, "__init__")
    if maker is None or None in made_by or not made_by:
        return frozenset()
    first, *more = [find_absent_attributes(maker, call) for call in made_by if call is not None]
    absent = first.intersection(*more)
    bases = recorder.project.find_bases(cls)[0] if absent else ()
    methods = (method for base in bases for method in base.methods.values())
    changed = {key for method in methods if method is not maker for key in method.bindings}
    stores = recorder.loader_flow.evaluator.attributes.attribute_stores if absent else {}
    return absent - changed - {f"self.{name}" for name in stores}


def _reads_from_handle(recorder: EventRecorder, dataset: str) -> bool:
    """``self.file["rows"][index]``, of a file that it or an object of its keeps open?"""
    cls = recorder.call_graph.datasets[dataset]
    names = {one.full_name for one in (cls, *find_held_classes(recorder, cls))}
    return any(
        event.kind == HandleAttribute.kind and event.owner in names and event.recorded.get("used")
        for event in recorder.events
    )


def _only_picks(recorder: EventRecorder, scope: CodeScope, call: ast.Call) -> bool:
    """Is it known to take a moment only, or a function of the project that is read as well?"""
    func = call.func
    if recorder.full_name_of(func, scope) in KIND_OF_CALL or does_work(recorder, scope, call):
        return False
    own = isinstance(func, ast.Attribute) and (
        binding_key(func).startswith("self.") or _is_super_call(func)
    )
    picks = not own and last_name(func) in PICKING_FUNCTIONS
    return picks or any(recorder.call_graph.resolve_call(func, scope, scope.owner))
