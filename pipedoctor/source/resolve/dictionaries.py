"""The dictionaries that hand arguments on: written out, chosen, changed, carried."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.context import CodeContext, CodeStep, can_coincide
from pipedoctor.source.syntax.expressions import binding_key, unparse_node
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 4
_NOTHING = ast.Constant(None)


class ArgumentExpression(NamedTuple):
    """An argument as an expression, where it is written."""

    node: ast.expr
    scope: CodeScope
    condition: str = ""
    """It is given only under this condition."""


class KeywordDictionary(NamedTuple):
    """
    The arguments that a dictionary passes on.

    Not complete where some cannot be seen.
    """

    arguments: Mapping[str, ArgumentExpression]
    complete: bool
    node: ast.AST
    context: CodeContext


class DictionaryResolver:
    """Resolves the dictionaries of one project that pass on arguments."""

    def __init__(self, values: ValueResolver) -> None:
        self.values = values

    def resolve(
        self, node: ast.expr, scope: CodeScope, step: CodeStep, depth: int = _MAX_DEPTH
    ) -> Iterator[KeywordDictionary]:
        """The dictionaries that an expression may be."""
        opaque = KeywordDictionary({}, False, node, step.context)
        if depth <= 0:
            yield opaque
        elif isinstance(node, ast.Dict):
            yield self._resolve_literal(node, scope, step)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "dict":
                yield self._resolve_literal(node, scope, step)
            else:
                yield self._resolve_function(node, scope, step, depth) or opaque
        elif isinstance(node, ast.IfExp):
            yield self._resolve_conditional(node, scope, step, depth)
        elif isinstance(node, (ast.Name, ast.Attribute)) and binding_key(node):
            yield from self._resolve_variable(node, scope, step, depth, opaque)
        else:
            yield opaque

    def _resolve_literal(
        self, node: ast.Dict | ast.Call, scope: CodeScope, step: CodeStep
    ) -> KeywordDictionary:
        pairs: list[tuple[str | None, ast.expr]] = []
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                text = key.value if isinstance(key, ast.Constant) else None
                pairs.append((text if isinstance(text, str) else None, value))
        else:
            pairs = [(word.arg, word.value) for word in node.keywords]
        given = {key: ArgumentExpression(value, scope) for key, value in pairs if key}
        plain = isinstance(node, ast.Dict) or not node.args
        return KeywordDictionary(given, plain and len(given) == len(pairs), node, step.context)

    def _resolve_function(
        self, node: ast.Call, scope: CodeScope, step: CodeStep, depth: int
    ) -> KeywordDictionary | None:
        """What a function of the project returns; what only some of its ways give is open."""
        made = self.values.project.find_definition(node.func, scope.module)
        returned = made.steps_by_type.get(ast.Return, ()) if isinstance(made, CodeScope) else ()
        ways = [
            (way, one.context)
            for one in returned
            if isinstance(made, CodeScope) and isinstance(one.node, ast.Return)
            for way in self.resolve(one.node.value or _NOTHING, made, one, depth - 1)
        ]
        if not (ways and isinstance(made, CodeScope)):
            return None
        kept = [way for way, _ in ways if not self._is_excluded(way.context, made)] or [ways[0][0]]
        given: dict[str, ArgumentExpression] = {}
        for way in kept:
            test = unparse_node(way.context.guards[-1].test) if way.context.guards else ""
            for name, one in way.arguments.items():
                everywhere = all(name in other.arguments for other in kept)
                given[name] = one if everywhere else one._replace(condition=test or one.condition)
        whole = all(way.complete for way in kept)
        return KeywordDictionary(given, whole, node, step.context)

    def _is_excluded(self, context: CodeContext, scope: CodeScope) -> bool:
        """Does it stand in a branch that is never taken on this platform?"""
        tests = [(self.values.resolve(one.test, scope), one.holds) for one in context.guards]
        return any(
            test.is_known and test.how == "inferred" and bool(test.value) is not holds
            for test, holds in tests
        )

    def _resolve_conditional(
        self, node: ast.IfExp, scope: CodeScope, step: CodeStep, depth: int
    ) -> KeywordDictionary:
        """One or the other: what either gives, under its condition."""
        given: dict[str, ArgumentExpression] = {}
        whole = True
        test = unparse_node(node.test)
        for branch in (node.orelse, node.body):
            for way in self.resolve(branch, scope, step, depth - 1):
                whole = whole and way.complete
                for name, one in way.arguments.items():
                    given[name] = one._replace(condition=test)
        return KeywordDictionary(given, whole, node, step.context)

    def _resolve_variable(
        self,
        node: ast.expr,
        scope: CodeScope,
        step: CodeStep,
        depth: int,
        dictionary: KeywordDictionary,
    ) -> Iterator[KeywordDictionary]:
        key = binding_key(node)
        here = scope
        bound = [(v, s, scope) for v, s in scope.bindings.get(key, [])]
        if not bound and not key.startswith("self."):
            if scope.has_parameter(key):
                yield from self._resolve_parameter(key, scope, step, depth, dictionary)
                return
            here = scope.module.body
            bound = [(v, s, here) for v, s in here.bindings.get(key, [])]
        elif not bound:
            found = list(self.values.find_assignments(key, scope))
            bound = [(v, step, its) for v, its in found]
        if not bound:
            yield dictionary
        for value, where, its in bound:
            if not can_coincide(where.context, step.context):
                continue
            for way in self.resolve(value, its, where, depth - 1):
                yield self._apply_updates(key, its, way._replace(context=where.context), depth)

    def _resolve_parameter(
        self,
        key: str,
        scope: CodeScope,
        step: CodeStep,
        depth: int,
        dictionary: KeywordDictionary,
    ) -> Iterator[KeywordDictionary]:
        """What the only caller hands over; several callers: nobody knows."""
        handed = self.values.find_call_arguments(scope, key)
        if len(handed) != 1 or depth < _MAX_DEPTH - 1:
            yield dictionary
            return
        value, its = handed[0]
        yield from self.resolve(value, its, _step_of_node(its, value, step), depth - 2)

    def _apply_updates(
        self, key: str, scope: CodeScope, dictionary: KeywordDictionary, depth: int
    ) -> KeywordDictionary:
        """Apply ``d.update(...)`` and ``d[name] = ...`` that follow."""
        given, whole = dict(dictionary.arguments), dictionary.complete
        start = getattr(dictionary.node, "lineno", 0)
        for step in scope.steps:
            node = step.node
            if getattr(node, "lineno", 0) < start or not can_coincide(
                step.context, dictionary.context
            ):
                continue
            more = len(step.context.guards) > len(dictionary.context.guards)
            test = unparse_node(step.context.guards[-1].test) if more else ""
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    name = _assigned_item(target, key)
                    if name is not None:
                        _set_argument(given, name, ArgumentExpression(node.value, scope, test))
            elif isinstance(node, ast.Call) and _is_update_call(node, key):
                for word in node.keywords:
                    if word.arg:
                        _set_argument(given, word.arg, ArgumentExpression(word.value, scope, test))
                for value in node.args:
                    for other in self.resolve(value, scope, step, depth - 1):
                        whole = whole and other.complete
                        for name, one in other.arguments.items():
                            _set_argument(given, name, one._replace(condition=test))
        return dictionary._replace(arguments=given, complete=whole)


def _assigned_item(target: ast.expr, key: str) -> str | None:
    """``name`` of ``key["name"]``."""
    if isinstance(target, ast.Subscript) and binding_key(target.value) == key:
        if isinstance(target.slice, ast.Constant):
            name = target.slice.value
            return name if isinstance(name, str) else None
    return None


def _is_update_call(node: ast.Call, key: str) -> bool:
    func = node.func
    return (
        isinstance(func, ast.Attribute)
        and func.attr in {"update", "setdefault"}
        and binding_key(func.value) == key
    )


def _set_argument(
    arguments: dict[str, ArgumentExpression], name: str, argument: ArgumentExpression
) -> None:
    """What is set under a condition leaves open which of both it is."""
    if argument.condition and name in arguments:
        choice = ast.IfExp(
            test=ast.Name(argument.condition, ast.Load()),
            body=argument.node,
            orelse=arguments[name].node,
        )
        ast.copy_location(choice, argument.node)
        arguments[name] = ArgumentExpression(ast.fix_missing_locations(choice), argument.scope)
    else:
        arguments[name] = argument


def _step_of_node(scope: CodeScope, node: ast.AST, default: CodeStep) -> CodeStep:
    return next((step for step in scope.steps if step.node is node), default)
