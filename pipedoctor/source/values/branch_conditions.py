"""Which branches of a function one call of it takes, by the constants that it gives."""

import ast
from collections.abc import Iterable
from copy import deepcopy

from pipedoctor.source.resolve.folding import fold_constants
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.context import GuardCondition
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.lattice import Frame


class BranchConditions:
    """Decides conditions on the parameters of functions, call by call."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Frame], bool | None] = {}
        self._names: dict[int, frozenset[str]] = {}
        """The parameters that conditions read, by the identities of these."""
        self._folded: dict[tuple[object, ...], bool | None] = {}
        """What conditions come to, by their identities and what is known of their names."""

    def excludes(self, guards: Iterable[GuardCondition], frame: Frame) -> bool:
        """Does this call never come where these conditions hold?"""
        if frame.call is None:
            return False
        return any(self._decide(one.test, frame) is (not one.holds) for one in guards)

    def _decide(self, test: ast.expr, frame: Frame) -> bool | None:
        """Does a condition hold in this call? None: its arguments do not tell."""
        names = self._names.get(id(test))
        if names is None:
            read = frozenset(one.id for one in find_nodes(test, (ast.Name,)))
            names = self._names[id(test)] = read & frame.scope.parameter_names
        if not names:
            return None
        key = (id(test), frame)
        if key not in self._known:
            self._known[key] = self._decide_by_arguments(test, names, frame)
        return self._known[key]

    def _decide_by_arguments(
        self, test: ast.expr, names: frozenset[str], frame: Frame
    ) -> bool | None:
        given = {name: find_constant(name, frame) for name in sorted(names)}
        known = {name: value for name, value in given.items() if value is not None}
        if not known:
            return None
        values = ((name, type(one.value), one.value) for name, one in known.items())
        key = (id(test), *values)
        if key not in self._folded:
            self._folded[key] = _fold_condition(test, known)
        return self._folded[key]


def _fold_condition(test: ast.expr, known: dict[str, ast.Constant]) -> bool | None:
    folded = fold_constants(ConstantSubstitution(known).visit(deepcopy(test)))
    return bool(folded.value) if isinstance(folded, ast.Constant) else None


def find_constant(name: str, frame: Frame) -> ast.Constant | None:
    """What a call gives for a parameter, if that is a constant there or further up."""
    scope, call = frame.scope, frame.call
    if call is None or name in scope.bindings or name not in scope.parameter_names:
        return None
    order = scope.given_names
    given = find_call_argument(call, name, order.index(name) if name in order else -1)
    if given is None:
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        starred = starred or any(word.arg is None for word in call.keywords)
        given = None if starred else find_default(scope.node, name)
        return given if isinstance(given, ast.Constant) else None
    if isinstance(given, ast.Name) and frame.caller is not None:
        return find_constant(given.id, frame.caller)
    return given if isinstance(given, ast.Constant) else None


class ConstantSubstitution(ast.NodeTransformer):
    """Puts what is known in the place of names."""

    def __init__(self, values: dict[str, ast.Constant]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is known becomes its value, at the same place."""
        value = self.values.get(node.id)
        return ast.copy_location(deepcopy(value), node) if value is not None else node
