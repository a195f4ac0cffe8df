"""Which functions a loader sends to its workers, and where each is written."""

import ast

from pipedoctor.source.around import Around, Step
from pipedoctor.source.constructions import Made
from pipedoctor.source.dictionaries import Given
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of

_SENT = ("collate_fn", "worker_init_fn")


def sent_events(
    recorder: Recorder, made: Made, transform: tuple[ast.Lambda, Scope] | None
) -> None:
    """Record lambdas and local functions among the arguments of a loader."""
    if transform is not None:
        _record(recorder, transform[1], transform[0], transform[0])
    for name in _SENT:
        given = made.given.get(name)
        found = _written(recorder, given) if given is not None else None
        if given is not None and found is not None:
            _record(recorder, given.scope, found, given.node)


def _written(recorder: Recorder, given: Given) -> ast.expr | None:
    """The lambda itself, or the name of a function within this one."""
    node = given.node
    if isinstance(node, ast.Lambda):
        return node
    if isinstance(node, ast.Name) and node.id in given.scope.local:
        return node
    values = list(recorder.values.assigned(key_of(node), given.scope))
    one = values[0] if len(values) == 1 else None
    mine = one is not None and one[1].module is given.scope.module
    return one[0] if one and mine and isinstance(one[0], ast.Lambda) else None


def _record(recorder: Recorder, scope: Scope, node: ast.expr, shown: ast.expr) -> None:
    recorder.add("sent", scope, Step(node, Around()), node=shown)
