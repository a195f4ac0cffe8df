"""Does the function that makes a batch of its samples do real work?"""

import ast

from pipedoctor.source.detect.item_work import does_work
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall


def does_work_in_collate(recorder: EventRecorder, loader: ResolvedLoaderCall) -> bool:
    """Does it read, decode, parse or tokenise? To pad and to stack is no work."""
    given = loader.arguments.get("collate_fn")
    if given is None:
        return False
    return any(
        isinstance(step.node, ast.Call) and does_work(recorder, scope, step.node)
        for scope in recorder.call_graph.resolve_callables(given.node, given.scope)
        for step in scope.calls
    )
