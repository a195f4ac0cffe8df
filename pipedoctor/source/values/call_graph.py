"""What runs in a worker: the code of items and all that it calls, across files."""

import ast
from collections.abc import Iterator

from pipedoctor.source.resolve.dataset_classes import classify_dataset, list_item_methods
from pipedoctor.source.resolve.keyword_dictionary import ArgumentExpression
from pipedoctor.source.resolve.loader_calls import LoaderCallFinder
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.expressions import last_name
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.callables import CallableFinder, Callee
from pipedoctor.source.values.lattice import Frame, InstanceValue
from pipedoctor.source.values.loader_flow import LoaderFlow
from pipedoctor.source.values.worker_entries import (
    SEEDING_CALLS,
    find_item_arguments,
    find_registered_methods,
    is_chosen_dataset,
    is_made_elsewhere,
)

_MAX_FUNCTIONS = 4000
"""Functions that are followed at most."""
_MAX_INSTANCES = 3
_WORKER_ARGUMENTS = ("collate_fn", "worker_init_fn")


class CallGraph:
    """The datasets of a project, and the functions that run in their workers."""

    def __init__(self, project: Project, flow: LoaderFlow, constructions: LoaderCallFinder) -> None:
        self.project = project
        self.evaluator = flow.evaluator
        self.callables = CallableFinder(flow.evaluator)
        self.datasets: dict[str, ClassDefinition] = {}
        self.dataset_style: dict[str, str] = {}
        for cls in project.classes:
            style = classify_dataset(self.project, cls)
            if style:
                self.datasets[cls.full_name] = cls
                self.dataset_style[cls.full_name] = style
        self.unnamed_instances: dict[str, list[InstanceValue]] = {}
        """By dataset: its objects that calls of other names make, and loaders are given."""
        self._add_loaded_classes(flow, constructions)
        self.item_scopes: dict[int, CodeScope] = {}
        """Functions that run for items, by identity."""
        self.scopes_of_dataset: dict[str, set[int]] = {}
        self.callees_of_dataset: dict[str, list[Callee]] = {}
        """The same with the objects that they belong to."""
        self.entered_from: dict[int, set[CodeScope]] = {}
        """The functions that call a function on the way of items, by its identity."""
        self.init_scopes: set[int] = set()
        """Functions that run before there are items: a dataset is made, and told what to load."""
        self.collate_functions: dict[int, CodeScope] = {}
        self.worker_init_functions: dict[int, CodeScope] = {}
        self.seeded_scopes: set[int] = set()
        """Those that only a library calls which seeds numpy in each worker."""
        self.given_classes: dict[str, ClassDefinition] = {}
        """Of objects that a loader, or a dataset of a library, is given and calls for items."""
        self.evaluator.most_evaluations = self.evaluator.most_for_items
        self._collect_functions(constructions)
        self.evaluator.most_evaluations = self.evaluator.most_in_all
        self._leave_out_parts()

    def _leave_out_parts(self) -> None:
        """A function within one that runs for items is a part of that already."""
        for key, scope in list(self.item_scopes.items()):
            if scope.parent is not None and id(scope.parent) in self.item_scopes:
                del self.item_scopes[key]

    def _add_loaded_classes(self, flow: LoaderFlow, constructions: LoaderCallFinder) -> None:
        """A class that a loader is given is a dataset, whatever it derives from."""
        chosen = False
        for made in constructions.calls:
            values = flow.evaluate_argument(made, "dataset")
            chosen = chosen or ("dataset" in made.arguments and is_made_elsewhere(values))
            for value in values:
                cls = value.cls if isinstance(value, InstanceValue) else None
                if cls and self.project.find_method(cls, "__getitem__") is not None:
                    self.datasets.setdefault(cls.full_name, cls)
                    self.dataset_style.setdefault(cls.full_name, "given")
                if isinstance(value, InstanceValue) and value.call is not None:
                    if last_name(value.call.func) != value.cls.name:  # found by no name
                        self.unnamed_instances.setdefault(value.cls.full_name, []).append(value)
        for one in self.project.classes if chosen else ():
            if one.full_name not in self.datasets and is_chosen_dataset(self.project, one):
                self.datasets[one.full_name] = one
                self.dataset_style[one.full_name] = "chosen"

    def _collect_functions(self, constructions: LoaderCallFinder) -> None:
        for name, cls in self.datasets.items():
            methods = list_item_methods(self.project, cls, self.dataset_style[name])
            roots = [m for e in methods if (m := self.project.find_method(cls, e))]
            owner = InstanceValue(cls)
            owners = (owner, *self.unnamed_instances.get(name, ())[:_MAX_INSTANCES])
            self.scopes_of_dataset[name] = self._reachable_from(
                [Callee(root, one) for root in roots for one in owners], name
            )
            if (init := self.project.find_method(cls, "__init__")) is not None:
                self.init_scopes |= self._reachable_from([Callee(init, owner)], before=True)
        for made in constructions.calls:
            for name in _WORKER_ARGUMENTS:
                self._add_worker_functions(made.arguments.get(name), name)
        arguments = [*find_item_arguments(self.project)]
        by_seeding, entries = (
            [
                callee
                for given, site in arguments
                if (last_name(site.node.func) in SEEDING_CALLS) is seeds
                for callee in self.callables.callables_in(given, self._frame(site.scope))
            ]
            for seeds in (True, False)
        )
        self._add_given_classes([*by_seeding, *entries])
        registered = list(find_registered_methods(self.project))
        self.given_classes.update((cls.full_name, cls) for _, cls in registered)
        entries += [Callee(method, InstanceValue(cls)) for method, cls in registered]
        self._reachable_from(entries)
        others = set(self.item_scopes)
        self.seeded_scopes = self._reachable_from(by_seeding) - others
        self._add_setup_methods()

    def _add_setup_methods(self) -> None:
        """``dataset.initialize(options)``: what somebody calls that fills a dataset."""
        for cls in self.datasets.values():
            for method in self.project.all_methods(cls):
                known = id(method) in self.item_scopes or id(method) in self.init_scopes
                if known or not any(key.startswith("self.") for key in method.bindings):
                    continue
                if self.project.find_callers(method):
                    entry = Callee(method, InstanceValue(cls))
                    self.init_scopes |= self._reachable_from([entry], before=True)

    def _add_worker_functions(self, argument: ArgumentExpression | None, name: str) -> None:
        if argument is None:
            return
        callees = list(self.callables.callees_of(argument.node, self._frame(argument.scope)))
        into = self.collate_functions if name == "collate_fn" else self.worker_init_functions
        into.update({id(one.scope): one.scope for one in callees if one.scope.parent is None})
        if name == "collate_fn":
            self._reachable_from(callees)
            self._add_given_classes(callees)

    def _add_given_classes(self, callees: list[Callee]) -> None:
        owners = (one.owner.cls for one in callees if one.owner and one.owner.call is not None)
        self.given_classes.update((cls.full_name, cls) for cls in owners)

    def _frame(self, scope: CodeScope, cls: ClassDefinition | None = None) -> Frame:
        owner = InstanceValue(cls) if cls is not None and scope.owner is not None else None
        return self.evaluator.frame_of(scope, owner)

    def _reachable_from(
        self, roots: list[Callee], dataset: str = "", *, before: bool = False
    ) -> set[int]:
        """All functions that are called from these, for items or before there are any."""
        seen: set[Callee] = set()
        reached: dict[int, CodeScope] = {}
        queue = list(roots)
        while queue and len(reached) < _MAX_FUNCTIONS:
            callee = queue.pop()
            if callee in seen:
                continue
            seen.add(callee)
            reached[id(callee.scope)] = callee.scope
            if dataset:
                self.callees_of_dataset.setdefault(dataset, []).append(callee)
            called = list(self.callables.called_from(callee))
            for one in called:
                self.entered_from.setdefault(id(one.scope), set()).add(callee.scope)
            queue.extend(called)
        if not before:
            self.item_scopes.update(reached)
        return set(reached)

    def resolve_call(
        self, func: ast.expr, scope: CodeScope, self_class: ClassDefinition | None
    ) -> Iterator[tuple[CodeScope, ClassDefinition | None]]:
        """The functions of the project that a call may enter."""
        for callee in self.callables.callees_of(func, self._frame(scope, self_class)):
            yield callee.scope, callee.owner.cls if callee.owner else callee.scope.owner

    def infer_classes(
        self, node: ast.expr, scope: CodeScope, self_class: ClassDefinition | None
    ) -> list[ClassDefinition]:
        """The classes of the project that a value may be of."""
        values = self.evaluator.evaluate(node, self._frame(scope, self_class))
        found = [one.cls for one in values if isinstance(one, InstanceValue)]
        return sorted(dict.fromkeys(found), key=lambda cls: cls.full_name)

    def resolve_callables(
        self, node: ast.expr, scope: CodeScope, self_class: ClassDefinition | None = None
    ) -> Iterator[CodeScope]:
        """The functions of the project that a value calls when it is called."""
        for callee in self.callables.callees_of(node, self._frame(scope, self_class)):
            yield callee.scope
