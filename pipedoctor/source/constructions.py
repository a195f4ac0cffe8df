"""The DataLoaders that a project makes, with every argument that can be followed."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipedoctor.facts.source import Argument
from pipedoctor.source.project import CallSite, Project
from pipedoctor.source.scope import Around, Class, Scope, Step, key_of
from pipedoctor.source.values import Values

LOADERS = {
    "torch.utils.data.DataLoader",
    "torch.utils.data.dataloader.DataLoader",
    "torchdata.stateful_dataloader.StatefulDataLoader",
    "torch_geometric.loader.DataLoader",
    "torch_geometric.data.DataLoader",
    "monai.data.DataLoader",
    "monai.data.dataloader.DataLoader",
}
PARAMETERS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)
"""Those of DataLoader that a position can fill, in order."""
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


class Made(NamedTuple):
    """A loader that is made: by which call, with what, and where that is written."""

    site: CallSite
    name: str
    given: Mapping[str, Given]
    complete: bool
    node: ast.AST


class Constructions:
    """Finds them in one project."""

    def __init__(self, project: Project, values: Values) -> None:
        self.project = project
        self.values = values
        self.classes = {
            one.full for one in project.classes if set(project.bases(one)[1]) & LOADERS
        }
        self._wrappers: dict[int, list[Made]] = {}
        self.made = list(self._all())

    def _all(self) -> Iterator[Made]:
        direct: list[Made] = []
        for scope in self.project.scopes:
            for step in scope.calls:
                if isinstance(step.node, ast.Call):
                    direct += self._made(CallSite(scope, step, step.node))
        wrapped = [one for made in direct for one in self._outer(made)]
        yield from direct
        yield from wrapped

    def _made(self, site: CallSite) -> Iterator[Made]:
        name, before = self._class(site.node.func, site.scope)
        if not name or _is_super(site.node):
            return
        for given, complete, node in self._arguments(site, before):
            yield Made(site, name, given, complete, node)

    def _class(
        self, func: ast.expr, scope: Scope, depth: int = _DEEP
    ) -> tuple[str, Mapping[str, Given]]:
        """The class of loaders that is called, and what a partial gave already."""
        full = self.project.dotted(func, scope.module)
        if full in LOADERS or full in self.classes:
            return full, {}
        key = key_of(func) if depth > 0 else ""
        for value, its in self.values.assigned(key, scope) if key else ():
            if isinstance(value, ast.Call) and value.args:
                if self.project.dotted(value.func, its.module) == "functools.partial":
                    inner, _ = self._class(value.args[0], its, depth - 1)
                    if inner:
                        words = {w.arg: w.value for w in value.keywords if w.arg}
                        return inner, {k: Given(v, its) for k, v in words.items()}
            elif isinstance(value, ast.Name):
                inner = self.project.dotted(value, its.module)
                if inner in LOADERS:
                    return inner, {}
        return "", {}

    def _arguments(
        self, site: CallSite, before: Mapping[str, Given]
    ) -> Iterator[tuple[dict[str, Given], bool, ast.AST]]:
        """Each way in which the arguments may be: dictionaries differ by branch."""
        call, scope = site.node, site.scope
        given = dict(before)
        whole = True
        for name, node in zip(PARAMETERS, call.args, strict=False):
            if isinstance(node, ast.Starred):
                whole = False
                break
            given[name] = Given(node, scope)
        stars: list[list[Carried]] = []
        for word in call.keywords:
            if word.arg is None:
                stars.append(list(self.dictionary(word.value, scope, site.step)))
            else:
                given[word.arg] = Given(word.value, scope)
        if not stars:
            yield given, whole, call
            return
        merged = dict(given)
        for ways in stars[1:]:
            for way in ways:
                merged.update(way.given)
                whole = whole and way.whole and len(ways) == 1
        for way in stars[0]:
            several = len(stars[0]) > 1
            where: ast.AST = way.node if several else call
            yield {**way.given, **merged}, whole and way.whole, where

    def dictionary(
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
        test = ast.unparse(node.test)
        for branch in (node.orelse, node.body):
            for way in self.dictionary(branch, scope, step, depth - 1):
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
            for way in self.dictionary(value, its, where, depth - 1):
                yield self._changed(key, its, way._replace(around=where.around), depth)

    def _handed(
        self, key: str, scope: Scope, step: Step, depth: int, opaque: Carried
    ) -> Iterator[Carried]:
        """What the only caller hands over; several callers: nobody knows."""
        handed = list(self.values.handed(scope, key))
        if len(handed) != 1 or depth < _DEEP - 1:
            yield opaque
            return
        value, its = handed[0]
        yield from self.dictionary(value, its, _last_step(its, value, step), depth - 2)

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
            test = ast.unparse(step.around.guards[-1].test) if more else ""
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
                    for other in self.dictionary(value, scope, step, depth - 1):
                        whole = whole and other.whole
                        for name, one in other.given.items():
                            _put(given, name, one._replace(condition=test))
        return way._replace(given=given, whole=whole)

    def _outer(self, made: Made) -> Iterator[Made]:
        """Calls of a function that hands its own ``**kwargs`` on to the loader."""
        scope = made.site.scope
        if isinstance(scope.node, ast.Module) or made.complete:
            return
        rest = scope.node.args.kwarg
        stars = [w.value for w in made.site.node.keywords if w.arg is None]
        if rest is None or len(stars) != 1 or key_of(stars[0]) != rest.arg:
            return
        own = {one.arg for one in [*scope.parameters, *scope.node.args.kwonlyargs]}
        for site in self.project.callers(scope):
            given = dict(made.given)
            complete = True
            for word in site.node.keywords:
                if word.arg is None:
                    complete = False
                elif word.arg not in own:
                    given[word.arg] = Given(word.value, site.scope)
            yield Made(site, made.name, given, complete, site.node)

    def value(self, given: Given | None, *, complete: bool) -> Argument:
        """An argument as a fact."""
        if given is None:
            return Argument(how="absent" if complete else "unknown")
        value = self.values.of(given.node, given.scope)
        value = self._callable(value, given)
        if given.condition and value.known:
            return Argument(
                how="inferred",
                value=value.value,
                text=value.text,
                at=value.at,
                why=f"if {given.condition}",
            )
        return value

    def _callable(self, value: Argument, given: Given) -> Argument:
        """Say of functions whether they can be found by their name elsewhere."""
        node = given.node
        if value.how != "unknown" or value.form in {"lambda", "cpu count"}:
            return value
        if isinstance(node, ast.Name) and node.id in given.scope.local:
            form = "local function"
        else:
            found = self.project.found(node, given.scope.module)
            if found is None:
                return value
            form = "class" if isinstance(found, Class) else "function"
            return Argument(
                how="unknown", text=value.text, at=value.at, form=form, name=found.full
            )
        return Argument(how="unknown", text=value.text, at=value.at, form=form)


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Call)


def possible(one: Around, other: Around) -> bool:
    """Can both stand on one way through the function? Not in opposite branches."""
    known = {id(guard.test): guard.holds for guard in one.guards}
    return all(known.get(id(g.test), g.holds) == g.holds for g in other.guards)


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
