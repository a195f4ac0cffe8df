"""Turns steps into events: where they stand, and under which circumstances."""

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pipedoctor.facts.code_events.details import LOOP_KEY, RecordedDetails
from pipedoctor.facts.source import AnyEvent, Event, Loop
from pipedoctor.source.detect.flow_state import ExpressionNames
from pipedoctor.source.resolve.batch_norm import BatchNormUsage
from pipedoctor.source.resolve.loader_calls import LoaderCallFinder
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.resolve.values import ValueResolver
from pipedoctor.source.rewrite.measure_rewrite import measure_rewrite
from pipedoctor.source.syntax.context import CodeContext, CodeStep, GuardCondition
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope, Module
from pipedoctor.source.syntax.source_text import SourceText
from pipedoctor.source.values.call_graph import CallGraph
from pipedoctor.source.values.carried import CarriedValues
from pipedoctor.source.values.evaluator import Evaluator
from pipedoctor.source.values.library import RUNNERS
from pipedoctor.source.values.loader_flow import LoaderFlow

if TYPE_CHECKING:
    from pipedoctor.source.resolve.call_index import CallSite

_CONDITIONS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_MAX_GUARDS = 20
"""Around one step, the innermost: a chain of ``elif`` may have a thousand."""

_Entered: TypeAlias = tuple[tuple[CodeScope, ClassDefinition | None], ...]


class EventRecorder:
    """What all recognizers share: the model of the project, and the events so far."""

    def __init__(self, project: Project, source_texts: dict[int, SourceText] | None = None) -> None:
        self.project = project
        self.values = ValueResolver(project)
        evaluator = Evaluator(project)
        carried = CarriedValues(evaluator)
        self.values.find_carried, self.values.find_fields = carried.find, carried.list_fields
        self.loader_calls = LoaderCallFinder(project, self.values)
        self.loader_flow = LoaderFlow(evaluator, self.loader_calls)
        self.call_graph = CallGraph(project, self.loader_flow, self.loader_calls)
        self.events: list[AnyEvent] = []
        self.loops: list[Loop] = []
        self.loop_indices: dict[int, int] = {}
        """Loops over batches, by the identity of their nodes."""
        self.repeated_loaders: set[int] = set()
        """Loaders that are iterated again and again without being created again."""
        self.sampled_loaders: set[int] = set()
        """Loaders of which some loop takes a single batch, to look at."""
        self.followed_scopes: set[int] = set()
        """Functions that were followed from a loop over batches, by identity."""
        self.step_scopes: set[int] = set()
        """These, and others that the calls in them enter without anything of the batch."""
        self.unfolded_partials: dict[int, ast.Call] = {}
        """By the identity of a call of a partial: the call of its function."""
        self.entered_by_call: dict[tuple[int, int, ClassDefinition | None], _Entered] = {}
        """What calls enter, by their identity, that of their function, and what ``self`` is."""
        self.import_steps: dict[tuple[int, int], list[tuple[Module, CodeStep]]] = {}
        """What files do on import that comes to a function within so many calls."""
        self.model_readers: frozenset[str] | None = None
        """Names of functions that read gradients or buffers, once somebody has asked."""
        self.own_data_parallel: frozenset[str] | None = None
        """Classes of the project that derive from DataParallel, once somebody has asked."""
        self.traits: set[str] = set()
        self.expression_names = ExpressionNames()
        self.batch_norm_usage = BatchNormUsage(project)
        self._source_texts = {} if source_texts is None else source_texts
        self._dataset_by_scope: dict[int, str] = {}
        for name, scopes in self.call_graph.scopes_of_dataset.items():
            for one in scopes:
                self._dataset_by_scope.setdefault(one, name.rpartition(".")[2])

    def full_name_of(self, node: ast.expr, scope: CodeScope) -> str:
        """The full name of what an expression names."""
        return self.project.full_name_of(node, scope.module)

    @cached_property
    def runs_by_function(self) -> dict[CodeScope, list["CallSite"]]:
        """``fire.Fire(train)``: calls of what runs a function with what a command line says."""
        found: dict[CodeScope, list[CallSite]] = {}
        for last in sorted({name.rpartition(".")[2] for name in RUNNERS}):
            for site in self.project.find_call_sites(last):
                given = site.node.args[:1]
                if given and self.full_name_of(site.node.func, site.scope) in RUNNERS:
                    run = self.project.find_definition(given[0], site.scope.module)
                    if isinstance(run, CodeScope):
                        found.setdefault(run, []).append(site)
        return found

    def get_source_text(self, module: Module) -> SourceText:
        """What knows the text of a module."""
        known = self._source_texts.get(id(module))
        if known is None:
            known = self._source_texts[id(module)] = SourceText(module)
        return known

    def is_item_code(self, scope: CodeScope) -> bool:
        """Does this function run for items?"""
        return id(scope) in self.call_graph.item_scopes

    def find_dataset_of(self, scope: CodeScope) -> str:
        """A dataset whose items this function makes."""
        return self._dataset_by_scope.get(id(scope), "")

    def _format_guards(self, scope: CodeScope, guards: Sequence[GuardCondition]) -> tuple[str, ...]:
        """The innermost conditions that may fail, as they are written."""
        return tuple(
            text if g.holds else f"not ({text})"
            for g in guards[-_MAX_GUARDS:]
            if not self.always_holds(g, scope)
            for text in (self._describe_test(g.test, scope),)
        )

    def _describe_test(self, test: ast.expr, scope: CodeScope) -> str:
        """A condition as it is written; of a variable that keeps an interval, that."""
        given = scope.bindings.get(test.id, ()) if isinstance(test, ast.Name) else ()
        texts = [unparse_short(value) for value, _ in given if isinstance(value, _CONDITIONS)]
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            text = unparse_short(test)  # cut off where it is long: the interval may come last
            texts += [unparse_short(part) for part in test.values if "%" not in text]
        return next((text for text in texts if "%" in text), unparse_short(test))

    def name_interval(self, guard: GuardCondition, scope: CodeScope) -> GuardCondition:
        """``step % 9 == 0`` for a variable that keeps it, which other functions do not know."""
        kept = scope.bindings.get(guard.test.id, ()) if isinstance(guard.test, ast.Name) else ()
        tests = (one for one, _ in kept if isinstance(one, _CONDITIONS))
        test = next((one for one in tests if "%" in unparse_short(one)), guard.test)
        return GuardCondition(test, guard.holds)

    def add_event(
        self,
        details: RecordedDetails,
        scope: CodeScope,
        step: CodeStep,
        name: str = "",
        node: ast.AST | None = None,
        caller_guards: Sequence[GuardCondition] = (),
    ) -> None:
        """Record an event at a step, or at a node near it."""
        around = step.context
        within = [x for x in around.loops if id(x) in self.loop_indices]
        loops = [self.loop_indices[id(x)] for x in within]
        begin = within[-1].lineno if within else 0
        dataset = self.find_dataset_of(scope)
        record = details.to_record()
        if dataset:
            record.setdefault("dataset", dataset)
        owner = scope.owner.name if scope.owner else scope.name
        behind = measure_rewrite(self.get_source_text(scope.module), details.kind, scope, step)
        self.events.append(
            Event(
                kind=details.kind,
                at=node_location(scope.module, node or step.node),
                name=name,
                function=scope.name,
                owner=f"{scope.module.name}.{owner}",
                item=self.is_item_code(scope),
                handler=around.handler,
                guards=self._format_guards(
                    scope, (*caller_guards, *self._guards_in_loop(around, begin))
                ),
                loops=len(around.loops),
                loop=int(record.get(LOOP_KEY, loops[-1] if loops else -1) or 0),
                recorded={**behind.record, **record},
                call=behind.call,
                spans=dict(behind.spans),
                imports=behind.imports,
            )
        )

    def _guards_in_loop(self, context: CodeContext, begin: int) -> list[GuardCondition]:
        """Conditions inside the loop over batches, but the first part of one, which each has."""
        parts = {
            loop.target.id
            for loop in context.loops
            if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
            if loop.lineno > begin and id(loop) not in self.loop_indices
        }
        inside = (g for g in context.guards if g.test.lineno > begin)
        return [g for g in inside if not (parts and _asks_for_first(g, parts))]

    def always_holds(self, guard: GuardCondition, scope: CodeScope) -> bool:
        """``step % self.period == 0``, where the period is 1 if nobody sets it."""
        test = guard.test
        if not (guard.holds and isinstance(test, ast.Compare)):
            return False
        left = test.left
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod)):
            return False
        return self.values.resolve(left.right, scope).value == 1


def _asks_for_first(guard: GuardCondition, names: set[str]) -> bool:
    """``if i == 0``, of a number that a loop counts."""
    test = guard.test
    return (
        guard.holds
        and isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.left, ast.Name)
        and test.left.id in names
        and isinstance(test.comparators[0], ast.Constant)
    )
