"""What a value will be, as far as the code tells, and how that is known."""

import ast
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from pipedoctor.facts.source import Argument, Spot, ValueOrigin
from pipedoctor.source.resolve.arguments import (
    CarriedExpression,
    constant_argument,
    derive_argument,
    is_fixed,
    is_injected,
)
from pipedoctor.source.resolve.command_line import ProjectOptions
from pipedoctor.source.resolve.computed_values import resolve_computed
from pipedoctor.source.resolve.cpu_counts import cpu_count_function
from pipedoctor.source.resolve.imported_variables import find_global
from pipedoctor.source.resolve.platforms import platform_answer
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.call_arguments import find_call_argument, find_default
from pipedoctor.source.syntax.expressions import binding_key, unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.reaching_definitions import DefinitionFinder
from pipedoctor.source.syntax.scope import CodeScope

_MAX_DEPTH = 6
_LOOKUPS = ("get", "pop")
_CARRIED, _MAX_ASSIGNMENTS = (ast.Attribute, ast.Subscript), 4
"""Assignments to one variable that are followed."""


class ValueResolver:
    """Resolves variables, parameters and command-line options of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.find_carried: Callable[[ast.expr, CodeScope], Sequence[CarriedExpression]] = (
            lambda _node, _scope: ()
        )
        """What attributes and items stand for, by the model of values."""
        self.find_fields: Callable[[ast.expr, CodeScope], Sequence[str]] = lambda _n, _scope: ()
        """The names of all fields of an object; none: not known."""
        self.options = ProjectOptions(project)
        self._definitions = DefinitionFinder()
        self._known_call_arguments: dict[
            tuple[CodeScope, str], list[tuple[ast.expr, CodeScope]]
        ] = {}

    def resolve(self, node: ast.expr | None, scope: CodeScope, depth: int = _MAX_DEPTH) -> Argument:
        """Resolve what value an expression will have."""
        if node is None:
            return Argument(how="absent")
        at = node_location(scope.module, node) if hasattr(node, "lineno") else None
        text = unparse_short(node)
        unknown = Argument(how="unknown", text=text, at=at, form="expression")
        if isinstance(node, ast.Constant):
            return constant_argument(node, text, at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.resolve(node.operand, scope, depth - 1)
            if isinstance(inner.value, int):
                return Argument(how=inner.how, value=-inner.value, text=text, at=at)
        if isinstance(node, ast.Lambda):
            return Argument(how="unknown", text=text, at=at, form="lambda")
        if depth <= 0:
            return unknown
        return self._resolve_compound(node, scope, depth, unknown)

    def _resolve_compound(
        self, node: ast.expr, scope: CodeScope, depth: int, unknown: Argument
    ) -> Argument:
        """A call, a name, a choice, an item: `unknown` where it stays so."""

        def full_name_of(one: ast.expr) -> str:
            return self.project.full_name_of(one, scope.module)

        count = cpu_count_function(node, full_name_of)
        if count:
            return replace(unknown, form="cpu count", name=count)
        answer = platform_answer(node, full_name_of)
        if answer:
            return replace(unknown, how="inferred", form="", value=answer, why="on Linux")
        computed = resolve_computed(
            node, lambda one: self.resolve(one, scope, depth - 1), full_name_of, unknown
        )
        if computed is not None:
            return computed
        if isinstance(node, ast.Call):
            got = self._resolve_lookup(node, scope, depth, unknown)
            if got is not None:
                return got
            name = full_name_of(node.func)
            form = "partial" if name == "functools.partial" else "call"
            return replace(unknown, form=form, name=name)
        if isinstance(node, (ast.Name, ast.Attribute)):
            named = self._resolve_name(node, scope, depth)
            return named or replace(unknown, form="name", name=full_name_of(node))
        if isinstance(node, ast.IfExp):
            return self._resolve_conditional(node, scope, depth, unknown)
        if isinstance(node, ast.Subscript):
            return self._resolve_carried(node, scope, unknown.text, unknown.at, depth) or unknown
        return unknown

    def _resolve_lookup(
        self, node: ast.Call, scope: CodeScope, depth: int, unknown: Argument
    ) -> Argument | None:
        """``options.get("workers", 4)``: what is in there, else its default."""
        func, key = node.func, next(iter(node.args), None)
        if not (isinstance(func, ast.Attribute) and func.attr in _LOOKUPS and len(node.args) > 1):
            return None
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return None
        item = ast.copy_location(ast.Subscript(func.value, key, ast.Load()), node)
        held = self._resolve_carried(item, scope, unknown.text, unknown.at, depth)
        default = self.resolve(node.args[1], scope, depth - 1)
        if held is not None or not default.is_known:
            return held
        why = f"default of {key.value}"
        derived = derive_argument(default, "default", unknown.text, unknown.at, why)
        return replace(derived, form="call")

    def _resolve_carried(
        self, node: ast.expr, scope: CodeScope, text: str, at: Spot | None, depth: int
    ) -> Argument | None:
        """What an object or a dictionary carries, which are followed to where they are made."""
        found = self.find_carried(node, scope) if isinstance(node, _CARRIED) else ()
        values = [self.resolve(one.node, one.scope, depth - 1) for one in found[:_MAX_ASSIGNMENTS]]
        same = all(one.is_known and one.value == values[0].value for one in values)
        if not values or not same or len(found) > _MAX_ASSIGNMENTS:
            return None
        default = next((one for one in found if one.default), None)
        how: ValueOrigin = "default" if default is not None else "inferred"
        why = f"default of {default.default}" if default is not None else values[0].why
        return derive_argument(values[0], how, text, at, why)

    def _resolve_conditional(
        self, node: ast.IfExp, scope: CodeScope, depth: int, unknown: Argument
    ) -> Argument:
        test = self.resolve(node.test, scope, depth - 1)
        if test.is_known:
            chosen = self.resolve(node.body if test.value else node.orelse, scope, depth - 1)
            how: ValueOrigin = "default" if test.how == "default" else "inferred"
            return derive_argument(chosen, how, unknown.text, unknown.at, test.why)
        one = self.resolve(node.body, scope, depth - 1)
        other = self.resolve(node.orelse, scope, depth - 1)
        if one.is_known and other.is_known and one.value == other.value:
            return Argument(how="inferred", value=one.value, text=unknown.text, at=unknown.at)
        return Argument(
            how="unknown",
            text=unknown.text,
            at=unknown.at,
            form="choice",
            name=unknown.text,
        )

    def _resolve_name(
        self, node: ast.Name | ast.Attribute, scope: CodeScope, depth: int
    ) -> Argument | None:
        """A variable, a parameter, an attribute of self, or an option."""
        at, text = node_location(scope.module, node), unparse_short(node)
        key = binding_key(node)
        found = list(self.find_assignments(key, scope)) if key else []
        if len(found) > 1 and found[0][1] is scope and isinstance(node, ast.Name):
            reaching = self._definitions.find(scope, key, node.lineno).assigned
            found = [one for one in found if any(one[0] is value for value in reaching)] or found
            found = self._without_excluded(key, scope, found, depth)
        if found:
            values = [
                self.resolve(value, its, depth - 1) for value, its in found[:_MAX_ASSIGNMENTS]
            ]
            values += self._list_given(node, scope, depth)
            if len(found) <= _MAX_ASSIGNMENTS and all(
                v.is_known and v.value == values[0].value for v in values
            ):
                return derive_argument(values[0], "inferred", text, at)
            if len(values) == 1 and values[0].form not in {"name", "expression"}:
                return derive_argument(values[0], "unknown", text, at)
            return Argument(how="unknown", text=text, at=at, form="name")
        if isinstance(node, ast.Name):
            return self._resolve_parameter(node, scope, text, at, depth)
        return self._resolve_option_attribute(node, scope, text, at, depth)

    def _list_given(self, node: ast.expr, scope: CodeScope, depth: int) -> list[Argument]:
        """What callers give a parameter that a branch changes; nothing of what it replaces."""
        if not isinstance(node, ast.Name) or not scope.has_parameter(node.id):
            return []
        if self._definitions.find(scope, node.id, node.lineno).certain:
            return []
        at = node_location(scope.module, node)
        given = self._resolve_parameter(node, scope, node.id, at, depth) or Argument(how="unknown")
        return [] if given.is_known and not given.value else [given]

    def _without_excluded(
        self, key: str, scope: CodeScope, found: list[tuple[ast.expr, CodeScope]], depth: int
    ) -> list[tuple[ast.expr, CodeScope]]:
        """Without assignments in branches that are never taken, as on other platforms."""
        if depth < _MAX_DEPTH - 1:
            return found
        steps = {id(value): step for value, step in scope.bindings.get(key, ())}
        kept: list[tuple[ast.expr, CodeScope]] = []
        for value, its in found:
            guards = steps[id(value)].context.guards
            tests = [(self.resolve(one.test, scope, depth - 2), one.holds) for one in guards]
            fixed = [(bool(test.value), holds) for test, holds in tests if is_fixed(test)]
            if any(value_holds is not holds for value_holds, holds in fixed):
                continue
            kept.append((value, its))
            if fixed and len(fixed) == len(tests):
                break  # what stands before it is always replaced
        return kept or found

    def find_assignments(self, key: str, scope: CodeScope) -> Iterator[tuple[ast.expr, CodeScope]]:
        """Everything assigned to a variable here, in its class, or in a module."""
        mine = scope.bindings.get(key, [])
        if key.startswith("self."):
            owner = scope.owner
            for one in self.project.find_bases(owner)[0] if owner else []:
                for method in one.methods.values():
                    for value, _ in method.bindings.get(key, []):
                        yield value, method
            return
        yield from ((value, scope) for value, _ in mine)
        if not mine and not scope.has_parameter(key):
            yield from find_global(self.project, key, scope.module)

    def find_call_arguments(self, scope: CodeScope, name: str) -> list[tuple[ast.expr, CodeScope]]:
        """The expressions that the callers in the project pass for a parameter."""
        known = self._known_call_arguments.get((scope, name))
        if known is None:
            known = self._known_call_arguments[scope, name] = list(
                self._collect_call_arguments(scope, name)
            )
        return known

    def _collect_call_arguments(
        self, scope: CodeScope, name: str
    ) -> Iterator[tuple[ast.expr, CodeScope]]:
        names = [one.arg for one in scope.parameters]
        position = names.index(name) if name in names else -1
        bound = scope.owner is not None and names[:1] in (["self"], ["cls"])
        sites = [*self.project.find_callers(scope), *self.project.find_partials(scope)]
        apart = [one for one in sites if scope.module.is_test or not one.scope.module.is_test]
        for site in apart or sites:  # what only a test gives says nothing of other runs
            given = find_call_argument(site.node, name, position - bound)
            if given is not None:
                yield given, site.scope

    def _may_come_in_kwargs(self, scope: CodeScope, name: str) -> bool:
        """May it come in ``**config["data"]``, which nobody can see here?"""
        return any(
            word.arg is None and isinstance(word.value, ast.Subscript)
            for site in self.project.find_callers(scope)
            if all(word.arg != name for word in site.node.keywords)
            for word in site.node.keywords
        )

    def _resolve_parameter(
        self, node: ast.Name, scope: CodeScope, text: str, at: Spot, depth: int
    ) -> Argument | None:
        if not scope.has_parameter(node.id):
            return None
        handed = self.find_call_arguments(scope, node.id)
        default = find_default(scope.node, node.id)
        injected = default is not None and is_injected(scope)
        if injected or (default is not None and self._may_come_in_kwargs(scope, node.id)):
            return Argument(how="unknown", text=text, at=at, form="parameter")
        if not handed and default is not None:
            value = self.resolve(default, scope, depth - 1)
            why = f"default of {node.id}"
            return derive_argument(value, "default", text, at, why)
        if not handed:
            return self._resolve_option(node.id, scope, text, at)
        left = len(handed) < len(self.project.find_callers(scope))
        if left and default is not None:
            handed = [*handed, (default, scope)]
        values = [self.resolve(value, its, depth - 1) for value, its in handed[:_MAX_ASSIGNMENTS]]
        same = all(one.is_known and one.value == values[0].value for one in values)
        if len(values) == 1 or (same and len(values) == len(handed)):
            how: ValueOrigin = "default" if values[0].how == "default" else "inferred"
            return derive_argument(values[0], how, text, at, values[0].why)
        return Argument(how="unknown", text=text, at=at, form="parameter")

    def _resolve_option_attribute(
        self, node: ast.expr, scope: CodeScope, text: str, at: Spot, depth: int
    ) -> Argument | None:
        if not isinstance(node, ast.Attribute):
            return None
        carried = self._resolve_carried(node, scope, text, at, depth)
        return carried or self._resolve_option(node.attr, scope, text, at)

    def _resolve_option(self, name: str, scope: CodeScope, text: str, at: Spot) -> Argument | None:
        """The nearest option of that name: of this file, else the only one."""
        option = self.options.find(name, scope)
        if option is None:
            return None
        if option.default is None:
            return Argument(how="unknown", text=text, at=at, form="option")
        value = self.resolve(option.default, option.scope, 2)
        return derive_argument(value, "default", text, at, f"default of {option.flag}")
