"""What a value will be, as far as the code tells, and how that is known."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.facts.source import Argument, How, Spot
from pipedoctor.source.arguments import LONGEST, constant, passed
from pipedoctor.source.cpu_counts import counted
from pipedoctor.source.project import Project, argument
from pipedoctor.source.scope import Module, Scope, key_of

_DEEP = 6
_MOST = 4
"""Assignments to one variable that are followed."""


class Option(NamedTuple):
    """An option of a command line, with its default."""

    flag: str
    default: ast.expr | None
    scope: Scope


def spot(module: Module, node: ast.AST) -> Spot:
    """Where a node stands; in a notebook by cell."""
    line = getattr(node, "lineno", 1)
    end = getattr(node, "end_lineno", None)
    offset = getattr(node, "col_offset", 0)
    column = module.characters(line, offset) + 1
    end_offset = getattr(node, "end_col_offset", None)
    end_column = None
    if end is not None and end_offset is not None:
        end_column = module.characters(end, end_offset) + 1
    number, first = 0, 1
    for cell in module.text.cells:
        if cell.first <= line:
            number, first = cell
    return Spot(
        path=module.path,
        line=line - first + 1,
        column=column,
        end_line=end - first + 1 if end is not None else None,
        end_column=end_column,
        cell=number,
    )


def in_full(node: ast.AST) -> str:
    """An expression as text, unless it is nested too deep for that."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "..."


def shape(node: ast.AST) -> str:
    """The same for expressions that say the same; too deep: like no other."""
    try:
        return ast.dump(node)
    except RecursionError:
        return f"<{id(node)}>"


def written(node: ast.AST | None) -> str:
    """An expression as text, in short."""
    text = in_full(node) if node is not None else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


class Values:
    """Follows variables, parameters and options of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._options: dict[str, list[Option]] = {}
        self._handed: dict[tuple[Scope, str], list[tuple[ast.expr, Scope]]] = {}
        for site in project.sites("add_argument"):
            self._add(site.node, site.scope)
        for scope in project.scopes:
            self._click(scope)

    def _add(self, node: ast.Call, scope: Scope) -> None:
        flags = [a.value for a in node.args if isinstance(a, ast.Constant)]
        names = [flag for flag in flags if isinstance(flag, str)]
        if not names:
            return
        flag = next((n for n in names if n.startswith("--")), names[0])
        given = {word.arg: word.value for word in node.keywords}
        dest, default = given.get("dest"), given.get("default")
        action = given.get("action")
        if default is None and isinstance(action, ast.Constant):
            if action.value in {"store_true", "store_false"}:
                default = ast.Constant(value=action.value == "store_false")
        name = flag.lstrip("-").replace("-", "_")
        if isinstance(dest, ast.Constant) and isinstance(dest.value, str):
            name = dest.value
        self._options.setdefault(name, []).append(Option(flag, default, scope))

    def _click(self, scope: Scope) -> None:
        if isinstance(scope.node, ast.Module):
            return
        for one in scope.node.decorator_list:
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
                if one.func.attr == "option":
                    self._add(one, scope)

    def of(self, node: ast.expr | None, scope: Scope, depth: int = _DEEP) -> Argument:
        """Say what an expression will be."""
        if node is None:
            return Argument(how="absent")
        at = spot(scope.module, node) if hasattr(node, "lineno") else None
        text = written(node)
        unknown = Argument(how="unknown", text=text, at=at, form="expression")
        if isinstance(node, ast.Constant):
            return constant(node, text, at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.of(node.operand, scope, depth - 1)
            if isinstance(inner.value, int):
                return Argument(how=inner.how, value=-inner.value, text=text, at=at)
        if isinstance(node, ast.Lambda):
            return Argument(how="unknown", text=text, at=at, form="lambda")
        if depth <= 0:
            return unknown
        count = counted(node, lambda one: self.project.dotted(one, scope.module))
        if count:
            form = "cpu count"
            return Argument(how="unknown", text=text, at=at, form=form, name=count)
        if isinstance(node, ast.Call):
            name = self.project.dotted(node.func, scope.module)
            form = "call"
            if name == "functools.partial":
                form = "partial"
            return Argument(how="unknown", text=text, at=at, form=form, name=name)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(node, scope, depth) or Argument(
                how="unknown",
                text=text,
                at=at,
                form="name",
                name=self.project.dotted(node, scope.module),
            )
        if isinstance(node, ast.IfExp):
            return self._either(node, scope, depth, unknown)
        return unknown

    def _either(
        self, node: ast.IfExp, scope: Scope, depth: int, unknown: Argument
    ) -> Argument:
        one = self.of(node.body, scope, depth - 1)
        other = self.of(node.orelse, scope, depth - 1)
        if one.known and other.known and one.value == other.value:
            return Argument(
                how="inferred", value=one.value, text=unknown.text, at=unknown.at
            )
        return Argument(
            how="unknown",
            text=unknown.text,
            at=unknown.at,
            form="choice",
            name=unknown.text,
        )

    def _named(
        self, node: ast.Name | ast.Attribute, scope: Scope, depth: int
    ) -> Argument | None:
        """A variable, a parameter, an attribute of self, or an option."""
        at, text = spot(scope.module, node), written(node)
        key = key_of(node)
        found = list(self.assigned(key, scope)) if key else []
        if found:
            values = [self.of(value, its, depth - 1) for value, its in found[:_MOST]]
            if len(found) <= _MOST and all(
                v.known and v.value == values[0].value for v in values
            ):
                return passed(values[0], "inferred", text, at)
            if len(found) == 1 and values[0].form not in {"name", "expression"}:
                return passed(values[0], "unknown", text, at)
            return Argument(how="unknown", text=text, at=at, form="name")
        if isinstance(node, ast.Name):
            return self._parameter(node, scope, text, at, depth)
        return self._option(node, scope, text, at)

    def assigned(self, key: str, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        """Everything assigned to a variable here, in its class, or in its module."""
        mine = scope.bound.get(key, [])
        if key.startswith("self."):
            owner = scope.owner
            for one in self.project.bases(owner)[0] if owner else []:
                for method in one.methods.values():
                    for value, _ in method.bound.get(key, []):
                        yield value, method
            return
        yield from ((value, scope) for value, _ in mine)
        if not mine and not self.has_parameter(scope, key):
            body = scope.module.body
            yield from ((v, body) for v, _ in body.bound.get(key, []))

    def has_parameter(self, scope: Scope, name: str) -> bool:
        """Is it a parameter of this function?"""
        if isinstance(scope.node, ast.Module):
            return False
        args = scope.node.args
        every = [*scope.parameters, *args.kwonlyargs]
        return any(one.arg == name for one in every)

    def default(self, scope: Scope, name: str) -> ast.expr | None:
        """The default of a parameter."""
        if isinstance(scope.node, ast.Module):
            return None
        args = scope.node.args
        late = scope.parameters[len(scope.parameters) - len(args.defaults) :]
        for one, value in zip(late, args.defaults, strict=True):
            if one.arg == name:
                return value
        for one, other in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if one.arg == name:
                return other
        return None

    def handed(self, scope: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
        """What the callers in the project give for a parameter."""
        known = self._handed.get((scope, name))
        if known is None:
            known = self._handed[scope, name] = list(self._given(scope, name))
        return known

    def _given(self, scope: Scope, name: str) -> Iterator[tuple[ast.expr, Scope]]:
        names = [one.arg for one in scope.parameters]
        position = names.index(name) if name in names else -1
        bound = scope.owner is not None and names[:1] in (["self"], ["cls"])
        for site in self.project.callers(scope):
            given = argument(site.node, name, position - bound)
            if given is not None:
                yield given, site.scope

    def _veiled(self, scope: Scope, name: str) -> bool:
        """May it come in ``**config["data"]``, which nobody can see here?"""
        return any(
            word.arg is None and isinstance(word.value, ast.Subscript)
            for site in self.project.callers(scope)
            if all(word.arg != name for word in site.node.keywords)
            for word in site.node.keywords
        )

    def _parameter(
        self, node: ast.Name, scope: Scope, text: str, at: Spot, depth: int
    ) -> Argument | None:
        if not self.has_parameter(scope, node.id):
            return None
        handed = self.handed(scope, node.id)
        default = self.default(scope, node.id)
        if default is not None and self._veiled(scope, node.id):
            return Argument(how="unknown", text=text, at=at, form="parameter")
        if not handed and default is not None:
            value = self.of(default, scope, depth - 1)
            why = f"default of {node.id}"
            return passed(value, "default", text, at, why)
        if not handed:
            return self._option_named(node.id, scope, text, at)
        left = len(handed) < len(self.project.callers(scope))
        if left and default is not None:
            handed = [*handed, (default, scope)]
        values = [self.of(value, its, depth - 1) for value, its in handed[:_MOST]]
        same = all(one.known and one.value == values[0].value for one in values)
        if len(values) == 1 or (same and len(values) == len(handed)):
            how: How = "default" if values[0].how == "default" else "inferred"
            return passed(values[0], how, text, at, values[0].why)
        return Argument(how="unknown", text=text, at=at, form="parameter")

    def _option(
        self, node: ast.expr, scope: Scope, text: str, at: Spot
    ) -> Argument | None:
        if not isinstance(node, ast.Attribute):
            return None
        return self._option_named(node.attr, scope, text, at)

    def _option_named(
        self, name: str, scope: Scope, text: str, at: Spot
    ) -> Argument | None:
        """The nearest option of that name: of this file, else the only one."""
        every = self._options.get(name, [])
        near = [o for o in every if o.scope.module is scope.module] or every
        if len(near) != 1:
            return None
        option = near[0]
        if option.default is None:
            return Argument(how="unknown", text=text, at=at, form="option")
        value = self.of(option.default, option.scope, 2)
        return passed(value, "default", text, at, f"default of {option.flag}")
