"""Does the function that makes a batch of its samples do real work?"""

import ast

from pipedoctor.source.constructions import Made
from pipedoctor.source.effects import works
from pipedoctor.source.record import Recorder


def collates(recorder: Recorder, made: Made) -> bool:
    """Does it read, decode, parse or tokenise? To pad and to stack is no work."""
    given = made.given.get("collate_fn")
    if given is None:
        return False
    return any(
        isinstance(step.node, ast.Call) and works(recorder, scope, step.node)
        for scope in recorder.reach.callables(given.node, given.scope)
        for step in scope.calls
    )
