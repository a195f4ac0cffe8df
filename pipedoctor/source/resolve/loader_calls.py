"""The DataLoaders that a project makes, with every argument that can be followed."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from pipedoctor.facts.source import MAIN_GUARD, Argument
from pipedoctor.source.resolve.call_chains import hand_over
from pipedoctor.source.resolve.call_index import CallSite
from pipedoctor.source.resolve.call_variants import find_variants
from pipedoctor.source.resolve.called_loader_class import CalledClass, CalledClassResolver
from pipedoctor.source.resolve.device_conditions import holds_with_gpu
from pipedoctor.source.resolve.dictionaries import DictionaryResolver
from pipedoctor.source.resolve.inherited_loaders import (
    find_base_call,
    find_inherited_constructions,
    find_own_collate,
    hand_to_base,
    loader_parameters_of,
    positional_arguments,
)
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression, KeywordDictionary
from pipedoctor.source.resolve.loader_classes import LOADER_CLASSES, LOADER_PARAMETERS
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.resolve.returned_values import returned_values
from pipedoctor.source.resolve.starred_arguments import expand_starred, pass_positions
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.syntax.call_arguments import find_default
from pipedoctor.source.syntax.expressions import binding_key
from pipedoctor.source.syntax.main_guards import is_under_main_guard
from pipedoctor.source.syntax.scope import CallPosition, ClassDefinition, CodeScope, Module

MAX_LOADERS = 2000
"""No project makes so many loaders: what does is no code that somebody wrote."""


class ResolvedLoaderCall(NamedTuple):
    """A call that makes a loader, with its arguments and where they are written."""

    site: CallSite
    name: str
    arguments: Mapping[str, ArgumentExpression]
    complete: bool
    node: ast.AST
    through: tuple[CallSite, ...] = ()
    """The calls of the function that makes it, where its arguments differ by these."""
    within: tuple[CallSite, ...] = ()
    """The calls from the first of these down to that function."""
    wrapped: CallSite | None = None
    """The call of the class in a function that hands ``**kwargs`` on, if this is a call of it."""


class LoaderCallFinder:
    """Finds the loader calls of one project."""

    def __init__(self, project: Project, values: ValueResolver) -> None:
        self.project = project
        self.values = values
        self.dictionaries = DictionaryResolver(values)
        self.loader_subclasses = {
            one.full_name: one
            for one in project.classes
            if set(project.find_bases(one)[1]) & LOADER_CLASSES
        }
        self.classes = CalledClassResolver(values, self.dictionaries, self.loader_subclasses)
        self.inherited: dict[int, ClassDefinition] = {}
        """Of calls in which classes construct what they inherit: the class, by identity."""
        self._self_attributes = {
            key for scope in project.scopes for key in scope.bindings if key.startswith("self.")
        }
        self.calls = list(islice(self._find_calls(), MAX_LOADERS))
        self.variants_of_call = Counter(id(one.site.node) for one in self.calls)
        """In how many ways each call may be made, by its identity."""

    def _find_calls(self) -> Iterator[ResolvedLoaderCall]:
        direct: list[ResolvedLoaderCall] = []
        for module in self.project.modules:
            for scope, step in module.steps_at(self._candidate_calls(module)):
                if isinstance(step.node, ast.Call):
                    direct += self._resolve_call(CallSite(scope, step, step.node))
        own = self.loader_subclasses.values()
        for site, cls in find_inherited_constructions(self.project, own):
            self.inherited[id(site.node)] = cls
            direct += self._resolve_arguments(site, CalledClass(cls.full_name))
        wrapped = [one for made in direct for one in self._calls_of_wrapper(made)]
        yield from direct
        yield from wrapped

    def _candidate_calls(self, module: Module) -> Iterator[CallPosition]:
        """Calls of a class of loaders, or of what was once given a value."""
        local = {key for scope in module.scopes for key in scope.bindings}
        local.update(*(one.names_with_default for one in module.scopes))
        for name, places in module.calls_by_name.items():
            if name[:1] == ".":  # of what is no name
                continue
            full = self.project.resolve_name(name, module)
            known = full in LOADER_CLASSES or full in self.loader_subclasses
            if known or name in self._self_attributes or name in module.body.bindings:
                yield from places
            elif "." not in name and name in local:
                yield from (p for p in places if self._may_be_class(name, module.scopes[p[0]]))

    def _may_be_class(self, name: str, scope: CodeScope) -> bool:
        """Is it a variable, or a parameter with a default: ``def build(rows, kind=DataLoader)``?"""
        return name in scope.bindings or find_default(scope.node, name) is not None

    def _resolve_call(self, call_site: CallSite) -> Iterator[ResolvedLoaderCall]:
        called = self.classes.resolve(call_site.node.func, call_site.scope)
        if called is not None and not _calls_call_result(call_site.node):
            yield from self._resolve_arguments(call_site, called)

    def _resolve_arguments(
        self, call_site: CallSite, called: CalledClass
    ) -> Iterator[ResolvedLoaderCall]:
        name = called.name
        for given, complete, node in self._argument_variants(call_site, called):
            ways = find_variants(self.values, call_site.scope, given)
            for way in ways:
                yield ResolvedLoaderCall(
                    call_site, name, way.arguments, complete, node, way.sites, way.within
                )
            if not ways:
                yield ResolvedLoaderCall(call_site, name, given, complete, node)

    def _argument_variants(
        self, site: CallSite, called: CalledClass
    ) -> Iterator[tuple[dict[str, ArgumentExpression], bool, ast.AST]]:
        """The same, of a class of the project what its constructor hands on."""
        inherits = id(site.node) in self.inherited
        cls = self.loader_subclasses.get(called.name)
        for given, whole, node in self._written_variants(site, called):
            if inherits:
                yield {**given, **find_own_collate(site.scope)}, whole, node
            elif cls is not None:
                handed, complete = hand_to_base(self.project, cls, given, whole=whole)
                yield handed, complete, node
            else:
                yield given, whole, node

    def _written_variants(
        self, site: CallSite, called: CalledClass
    ) -> Iterator[tuple[dict[str, ArgumentExpression], bool, ast.AST]]:
        """Each way in which the arguments may be: dictionaries differ by branch."""
        call, scope = site.node, site.scope
        given, whole = dict(called.given), called.complete
        cls = None if id(call) in self.inherited else self.loader_subclasses.get(called.name)
        names = loader_parameters_of(self.project, cls)
        names = names[1:] if names[0] in given else names  # a partial gave the rows
        positions, all_known = expand_starred(positional_arguments(call), scope, site.step)
        whole = whole and all_known
        for parameter, node in zip(names, positions, strict=False):
            given[parameter] = ArgumentExpression(node, scope)
        stars: list[list[KeywordDictionary]] = []
        for word in call.keywords:
            if word.arg is None:
                stars.append(list(self.dictionaries.resolve(word.value, scope, site.step)))
            else:
                given[word.arg] = ArgumentExpression(word.value, scope)
        if not stars:
            yield given, whole, call
            return
        merged = dict(given)
        for ways in stars[1:]:
            for way in ways:
                merged.update(way.arguments)
                whole = whole and way.complete and len(ways) == 1
        for way in stars[0]:
            several = len(stars[0]) > 1
            where: ast.AST = way.node if several else call
            yield {**way.arguments, **merged}, whole and way.complete, where

    def _calls_of_wrapper(self, loader: ResolvedLoaderCall) -> Iterator[ResolvedLoaderCall]:
        """Calls of a function that hands its own ``**kwargs`` on to the loader."""
        scope = loader.site.scope
        if isinstance(scope.node, ast.Module) or loader.complete:
            return
        rest = scope.node.args.kwarg
        stars = [w.value for w in loader.site.node.keywords if w.arg is None]
        if rest is None or len(stars) != 1 or binding_key(stars[0]) != rest.arg:
            return
        own = {one.arg for one in [*scope.parameters, *scope.node.args.kwonlyargs]}
        passed = {
            name: one.node.id
            for name, one in loader.arguments.items()
            if one.scope is scope and isinstance(one.node, ast.Name)
        }
        fixed = {name for name, one in loader.arguments.items() if not one.is_fallback}
        for site in loader.within[-1:] or loader.through or self.project.find_callers(scope):
            handed = dict(hand_over(scope, site, set(passed.values()) - scope.bindings.keys()))
            given = dict(loader.arguments)
            given.update({k: handed[name] for k, name in passed.items() if name in handed})
            passed_on = pass_positions(scope, loader.site.node, site.node)
            for name, value in zip(LOADER_PARAMETERS, passed_on, strict=False):
                if value is not None:
                    given[name] = ArgumentExpression(value, site.scope)
            complete = True
            for word in site.node.keywords:
                if word.arg is None:
                    ways = list(self.dictionaries.resolve(word.value, site.scope, site.step))
                    complete = complete and len(ways) == 1 and ways[0].complete
                    if len(ways) == 1:
                        its = ways[0].arguments.items()
                        given.update({k: v for k, v in its if k not in own | fixed})
                elif word.arg not in own and word.arg not in fixed:
                    given[word.arg] = ArgumentExpression(word.value, site.scope)
            yield ResolvedLoaderCall(
                site, loader.name, given, complete, site.node, wrapped=loader.site
            )

    def find_inner_call(self, loader: ResolvedLoaderCall) -> CallSite | None:
        """The call below one of a function or a class of the project, which makes the loader."""
        own = None if id(loader.site.node) in self.inherited else loader.name
        cls = self.loader_subclasses.get(own or "")
        return loader.wrapped or (find_base_call(self.project, cls) if cls is not None else None)

    def argument_fact(
        self, argument: ArgumentExpression | None, *, complete: bool, name: str = ""
    ) -> Argument:
        """An argument as a fact."""
        if argument is None or (argument.is_fallback and not complete):
            return Argument(how="absent" if complete else "unknown")
        value = self.values.resolve(argument.node, argument.scope)
        if name == "pin_memory" and not value.is_known:
            if holds_with_gpu(self.values, argument.node, argument.scope):
                return replace(value, how="inferred", value=True, why="where there is a GPU")
        value = self._classify_callable(value, argument)
        if argument.condition and value.is_known:
            return Argument(
                how="inferred",
                value=value.value,
                text=value.text,
                at=value.at,
                why=f"if {argument.condition}",
            )
        return value

    def _classify_callable(self, value: Argument, argument: ArgumentExpression) -> Argument:
        """Say of functions whether they can be found by their name elsewhere."""
        node = argument.node
        if value.how != "unknown" or value.form in {"lambda", "cpu count"}:
            return value
        if isinstance(node, ast.Name) and node.id in argument.scope.local_functions:
            form = "local function"
        elif isinstance(node, ast.Call):
            return self._classify_returned(node, argument.scope, value)
        else:
            found = self.project.find_definition(node, argument.scope.module)
            if found is None:
                return value
            form = "class" if isinstance(found, ClassDefinition) else "function"
            guarded = isinstance(found, CodeScope) and is_under_main_guard(found)
            return Argument(
                how="unknown",
                text=value.text,
                at=value.at,
                form=form,
                name=found.full_name,
                why=MAIN_GUARD if guarded else "",
            )
        return Argument(how="unknown", text=value.text, at=value.at, form=form)

    def _classify_returned(self, node: ast.Call, scope: CodeScope, value: Argument) -> Argument:
        """``collate_fn=make_collate(pad)``, which returns a function within it."""
        name = binding_key(node.func)
        if name.startswith("self.") and scope.owner is not None:
            made = self.project.find_method(scope.owner, name.removeprefix("self."))
        else:
            found = self.project.find_definition(node.func, scope.module)
            made = found if isinstance(found, CodeScope) else None
        if made is None:
            return value
        forms = {_form_of_function(one, made) for one in returned_values(made)}
        if len(forms) != 1 or not (form := forms.pop()):
            return value
        return replace(value, form=form, name=made.full_name)


def _form_of_function(node: ast.expr, scope: CodeScope) -> str:
    if isinstance(node, ast.Lambda):
        return "lambda"
    local = isinstance(node, ast.Name) and node.id in scope.local_functions
    return "local function" if local else ""


def _calls_call_result(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Call)
