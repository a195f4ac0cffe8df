"""The dictionaries that hand arguments on: written out, chosen, changed, carried."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.source.resolve.dictionary_changes import apply_changes
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression, KeywordDictionary
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.call_arguments import find_call_argument
from pipedoctor.source.syntax.context import CodeContext, CodeStep, can_coincide
from pipedoctor.source.syntax.expressions import binding_key, unparse_node
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH, _MAX_CALLERS = 4, 4
_NOTHING = ast.Constant(None)
_COPIES = frozenset(("copy.copy", "copy.deepcopy"))
_FIELD_FUNCTIONS = frozenset(("dataclasses.asdict", "attr.asdict", "attrs.asdict", "vars"))
_FIELD_METHODS = frozenset(("_asdict", "model_dump", "dict", "to_dict", "asdict"))
"""What gives the fields of an object with their names."""


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
            parts = [(_text_of(k), v) for k, v in zip(node.keys, node.values, strict=True)]
            yield self._merge(parts, node, scope, step, depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts = [(_text_of(None), one) for one in (node.left, node.right)]
            yield self._merge(parts, node, scope, step, depth)
        elif isinstance(node, ast.Call):
            yield from self._resolve_call(node, scope, step, depth)
        elif isinstance(node, ast.IfExp):
            yield self._resolve_conditional(node, scope, step, depth)
        elif binding_key(node):
            yield from self._resolve_variable(node, scope, step, depth, opaque)
        elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
            yield self._resolve_fields(node.value, scope, step) or opaque
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            yield self._resolve_carried(node, scope, step, depth) or opaque
        else:
            yield opaque

    def _merge(
        self,
        parts: Sequence[tuple[str | None, ast.expr]],
        node: ast.expr,
        scope: CodeScope,
        step: CodeStep,
        depth: int,
    ) -> KeywordDictionary:
        """One after the other: items by their keys; whole dictionaries where there is none."""
        made = KeywordDictionary({}, True, node, step.context)
        for key, value in parts:
            if key is None:
                made = made.spread(list(self.resolve(value, scope, step, depth - 1)))
            elif key:
                given = {**made.arguments, key: ArgumentExpression(value, scope)}
                made = made._replace(arguments=given)
            else:  # a key that is computed
                made = made._replace(complete=False)
        return made

    def _resolve_call(
        self, node: ast.Call, scope: CodeScope, step: CodeStep, depth: int
    ) -> Iterator[KeywordDictionary]:
        """``dict(...)``, a copy, the fields of an object, or a function of the project."""
        full = self.values.project.full_name_of(node.func, scope.module)
        method = node.func if isinstance(node.func, ast.Attribute) else None
        opaque = KeywordDictionary({}, False, node, step.context)
        if isinstance(node.func, ast.Name) and node.func.id == "dict":
            parts = [(_text_of(None), one) for one in node.args]
            parts += [(word.arg, word.value) for word in node.keywords]
            yield self._merge(parts, node, scope, step, depth)
        elif full in _COPIES and node.args:
            yield from self.resolve(node.args[0], scope, step, depth - 1)
        elif (full or unparse_node(node.func)) in _FIELD_FUNCTIONS and len(node.args) == 1:
            yield self._resolve_fields(node.args[0], scope, step) or opaque
        elif method is not None and method.attr == "copy" and not full:
            yield from self.resolve(method.value, scope, step, depth - 1)
        elif method is not None and method.attr in _FIELD_METHODS and not node.args:
            fields = self._resolve_fields(method.value, scope, step)
            yield fields or self._resolve_function(node, scope, step, depth) or opaque
        else:
            yield self._resolve_function(node, scope, step, depth) or opaque

    def _resolve_fields(
        self, node: ast.expr, scope: CodeScope, step: CodeStep
    ) -> KeywordDictionary | None:
        """The fields of an object with their names: of a dataclass, a named tuple."""
        names = self.values.find_fields(node, scope)
        given = {
            name: ArgumentExpression(
                ast.copy_location(ast.Attribute(node, name, ast.Load()), node), scope
            )
            for name in names
        }
        return KeywordDictionary(given, True, node, step.context) if given else None

    def _resolve_carried(
        self, node: ast.expr, scope: CodeScope, step: CodeStep, depth: int
    ) -> KeywordDictionary | None:
        """``config["loader"]``, ``run.options``: what is carried there, if that is one thing."""
        found = self.values.find_carried(node, scope)
        if len(found) != 1 or found[0].default:
            return None
        value, its = found[0].node, found[0].scope
        ways = list(self.resolve(value, its, _step_of_node(its, value, step), depth - 1))
        if len(ways) != 1:
            return None
        return self._change(unparse_node(node), scope, ways[0], step, depth)

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
            if key in scope.parameter_names:  # ``**kwargs``, with what is changed here
                yield self._change(key, scope, dictionary, step, depth)
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
            used = step if its is scope else None
            for way in self.resolve(value, its, where, depth - 1):
                changed = way._replace(context=where.context)
                yield self._change(key, its, changed, used, depth, value.lineno)

    def _resolve_parameter(
        self,
        key: str,
        scope: CodeScope,
        step: CodeStep,
        depth: int,
        dictionary: KeywordDictionary,
    ) -> Iterator[KeywordDictionary]:
        """What all callers hand over, with what is changed here; if they differ: unknown."""
        names = [one.arg for one in scope.parameters]
        place = names.index(key) if key in names else -1
        sites = self.values.project.find_callers(scope)
        bound = scope.owner is not None and names[:1] in (["self"], ["cls"])
        ways: list[KeywordDictionary] = []
        for site in sites if depth >= _MAX_DEPTH - 1 and len(sites) <= _MAX_CALLERS else ():
            given = find_call_argument(site.node, key, place - bound)
            if given is None:
                ways.append(dictionary)
            else:
                ways += self.resolve(given, site.scope, site.step, depth - 2)
        same = {(id(one.node), one.complete, tuple(one.arguments.items())) for one in ways}
        found = ways[0] if len(same) == 1 else dictionary
        yield self._change(key, scope, found._replace(context=CodeContext()), step, depth)

    def _change(
        self,
        name: str,
        scope: CodeScope,
        dictionary: KeywordDictionary,
        used: CodeStep | None,
        depth: int,
        since: int = 0,
    ) -> KeywordDictionary:
        """With what changes it between where it is made and where it is used."""

        def resolve(node: ast.expr, its: CodeScope, at: CodeStep) -> list[KeywordDictionary]:
            return list(self.resolve(node, its, at, depth - 1))

        return apply_changes(name, scope, dictionary, (since, used), resolve)


def _text_of(key: ast.expr | None) -> str | None:
    """A key of a dictionary; none: ``**other``; empty: it is computed."""
    if key is None:
        return None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _step_of_node(scope: CodeScope, node: ast.AST, default: CodeStep) -> CodeStep:
    return next((step for step in scope.steps if step.node is node), default)
