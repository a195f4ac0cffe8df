"""The DataLoaders that a project makes, with every argument that can be followed."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from pipedoctor.facts.source import Argument
from pipedoctor.source.dictionaries import Carried, Dictionaries, Given
from pipedoctor.source.project import CallSite, Project
from pipedoctor.source.scope import Class, Module, Place, Scope, key_of
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


MOST = 2000
"""No project makes so many loaders: what does is no code that somebody wrote."""


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
        self.dictionaries = Dictionaries(values)
        self.classes = {
            one.full for one in project.classes if set(project.bases(one)[1]) & LOADERS
        }
        self._attributes = {
            key
            for scope in project.scopes
            for key in scope.bound
            if key.startswith("self.")
        }
        self.made = list(islice(self._all(), MOST))
        self.ways = Counter(id(one.site.node) for one in self.made)
        """In how many ways each call may be made, by its identity."""

    def _all(self) -> Iterator[Made]:
        direct: list[Made] = []
        for module in self.project.modules:
            for scope, step in module.steps(self._possible(module)):
                if isinstance(step.node, ast.Call):
                    direct += self._made(CallSite(scope, step, step.node))
        wrapped = [one for made in direct for one in self._outer(made)]
        yield from direct
        yield from wrapped

    def _possible(self, module: Module) -> Iterator[Place]:
        """Calls of a class of loaders, or of what was once given a value."""
        for name, places in module.called.items():
            full = self.project.full(name, module) if name[:1] != "." else ""
            known = full in LOADERS or full in self.classes
            if known or name in self._attributes or name in module.body.bound:
                yield from places
            elif "." not in name:
                yield from (p for p in places if name in module.scopes[p[0]].bound)

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
            elif isinstance(value, (ast.Name, ast.Attribute)):
                inner = self.project.dotted(value, its.module)
                if inner in LOADERS:
                    return inner, {}
            elif isinstance(value, ast.IfExp):
                inner = self._either(value, its)
                if inner:
                    return inner, {}
        return "", {}

    def _either(self, node: ast.IfExp, scope: Scope) -> str:
        """``DataLoader if plain else Endless``: their own, if both are loaders."""
        both = [self.project.dotted(x, scope.module) for x in (node.body, node.orelse)]
        own = [name for name in both if name in self.classes]
        known = all(name in LOADERS or name in self.classes for name in both)
        return [*own, *both][0] if known else ""

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
                stars.append(list(self.dictionaries.of(word.value, scope, site.step)))
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
