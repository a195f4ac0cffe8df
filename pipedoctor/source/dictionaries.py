"""The dictionaries that hand arguments on: written out, chosen, changed, carried."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.source.around import Around, Step, possible
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import Values, in_full

_DEEP = 4


class Given(NamedTuple):
    """An argument as an expression, where it is written."""

    node: ast.expr
    scope: Scope
    condition: str = ""
    """It is given only under this condition."""


class Carried(NamedTuple):
    """Arguments that a dictionary brings; not whole: some are not seen."""

    given: Mapping[str, Given]
    whole: bool
    node: ast.AST
    around: Around


class Dictionaries:
    """Follows them through one project."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def of(
        self, node: ast.expr, scope: Scope, step: Step, depth: int = _DEEP
    ) -> Iterator[Carried]:
        """The dictionaries that an expression may be."""
        opaque = Carried({}, False, node, step.around)
        if depth <= 0:
            yield opaque
        elif isinstance(node, ast.Dict):
            yield self._literal(node, scope, step)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "dict":
                yield self._literal(node, scope, step)
            else:
                yield opaque
        elif isinstance(node, ast.IfExp):
            yield self._chosen(node, scope, step, depth)
        elif isinstance(node, (ast.Name, ast.Attribute)) and key_of(node):
            yield from self._variable(node, scope, step, depth, opaque)
        else:
            yield opaque

    def _literal(self, node: ast.Dict | ast.Call, scope: Scope, step: Step) -> Carried:
        pairs: list[tuple[str | None, ast.expr]] = []
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                text = key.value if isinstance(key, ast.Constant) else None
                pairs.append((text if isinstance(text, str) else None, value))
        else:
            pairs = [(word.arg, word.value) for word in node.keywords]
        given = {key: Given(value, scope) for key, value in pairs if key}
        plain = isinstance(node, ast.Dict) or not node.args
        return Carried(given, plain and len(given) == len(pairs), node, step.around)

    def _chosen(self, node: ast.IfExp, scope: Scope, step: Step, depth: int) -> Carried:
        """One or the other: what either gives, under its condition."""
        given: dict[str, Given] = {}
        whole = True
        test = in_full(node.test)
        for branch in (node.orelse, node.body):
            for way in self.of(branch, scope, step, depth - 1):
                whole = whole and way.whole
                for name, one in way.given.items():
                    given[name] = one._replace(condition=test)
        return Carried(given, whole, node, step.around)

    def _variable(
        self, node: ast.expr, scope: Scope, step: Step, depth: int, opaque: Carried
    ) -> Iterator[Carried]:
        key = key_of(node)
        here = scope
        bound = [(v, s, scope) for v, s in scope.bound.get(key, [])]
        if not bound and not key.startswith("self."):
            if self.values.has_parameter(scope, key):
                yield from self._handed(key, scope, step, depth, opaque)
                return
            here = scope.module.body
            bound = [(v, s, here) for v, s in here.bound.get(key, [])]
        elif not bound:
            found = list(self.values.assigned(key, scope))
            bound = [(v, step, its) for v, its in found]
        if not bound:
            yield opaque
        for value, where, its in bound:
            if not possible(where.around, step.around):
                continue
            for way in self.of(value, its, where, depth - 1):
                yield self._changed(key, its, way._replace(around=where.around), depth)

    def _handed(
        self, key: str, scope: Scope, step: Step, depth: int, opaque: Carried
    ) -> Iterator[Carried]:
        """What the only caller hands over; several callers: nobody knows."""
        handed = self.values.handed(scope, key)
        if len(handed) != 1 or depth < _DEEP - 1:
            yield opaque
            return
        value, its = handed[0]
        yield from self.of(value, its, _last_step(its, value, step), depth - 2)

    def _changed(self, key: str, scope: Scope, way: Carried, depth: int) -> Carried:
        """Apply ``d.update(...)`` and ``d[name] = ...`` that follow."""
        given, whole = dict(way.given), way.whole
        start = getattr(way.node, "lineno", 0)
        for step in scope.steps:
            node = step.node
            if getattr(node, "lineno", 0) < start or not possible(
                step.around, way.around
            ):
                continue
            more = len(step.around.guards) > len(way.around.guards)
            test = in_full(step.around.guards[-1].test) if more else ""
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    name = _item(target, key)
                    if name is not None:
                        _put(given, name, Given(node.value, scope, test))
            elif isinstance(node, ast.Call) and _updates(node, key):
                for word in node.keywords:
                    if word.arg:
                        _put(given, word.arg, Given(word.value, scope, test))
                for value in node.args:
                    for other in self.of(value, scope, step, depth - 1):
                        whole = whole and other.whole
                        for name, one in other.given.items():
                            _put(given, name, one._replace(condition=test))
        return way._replace(given=given, whole=whole)


def _item(target: ast.expr, key: str) -> str | None:
    """``name`` of ``key["name"]``."""
    if isinstance(target, ast.Subscript) and key_of(target.value) == key:
        if isinstance(target.slice, ast.Constant):
            name = target.slice.value
            return name if isinstance(name, str) else None
    return None


def _updates(node: ast.Call, key: str) -> bool:
    func = node.func
    return (
        isinstance(func, ast.Attribute)
        and func.attr in {"update", "setdefault"}
        and key_of(func.value) == key
    )


def _put(given: dict[str, Given], name: str, new: Given) -> None:
    """What is set under a condition leaves open which of both it is."""
    if new.condition and name in given:
        choice = ast.IfExp(
            test=ast.Constant(value=new.condition),
            body=new.node,
            orelse=given[name].node,
        )
        ast.copy_location(choice, new.node)
        given[name] = Given(ast.fix_missing_locations(choice), new.scope)
    else:
        given[name] = new


def _last_step(scope: Scope, node: ast.AST, default: Step) -> Step:
    return next((step for step in scope.steps if step.node is node), default)
