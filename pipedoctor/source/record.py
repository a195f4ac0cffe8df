"""Turns steps into events: where they stand, and under which circumstances."""

import ast
import re
from collections.abc import Sequence

from pipedoctor.facts.source import Event, Loop, Scalar
from pipedoctor.source.around import Around, Guard, Step
from pipedoctor.source.constructions import Constructions
from pipedoctor.source.norms import Norms
from pipedoctor.source.origin import Origins
from pipedoctor.source.pen import Pen
from pipedoctor.source.pieces import pieces
from pipedoctor.source.project import Project
from pipedoctor.source.reach import Reach
from pipedoctor.source.scope import Module, Scope
from pipedoctor.source.values import Values, spot, written

_MOST_GUARDS = 20
"""Around one step, the innermost: a chain of ``elif`` may have a thousand."""

_RUNNERS = {"pytest", "unittest"}
_TESTS = re.compile(
    r"(^|/)(tests|unit_?tests?|test_utils|testing|benchmarks?)/|(^|/)bench[^/]*\.py$"
    r"|(^|/)test/(.*/)?test_[^/]*\.py$"
)


class Recorder:
    """What all recognisers share: the model of the project, and the events so far."""

    def __init__(self, project: Project, pens: dict[int, Pen] | None = None) -> None:
        self.project = project
        self.values = Values(project)
        self.constructions = Constructions(project, self.values)
        self.origins = Origins(project, self.values, self.constructions)
        self.reach = Reach(project, self.values, self.constructions)
        self.events: list[Event] = []
        self.loops: list[Loop] = []
        self.loop_of: dict[int, int] = {}
        """Loops over batches, by the identity of their nodes."""
        self.kept: set[int] = set()
        """Loaders that are iterated again and again without being made anew."""
        self.entered: set[int] = set()
        """Functions that were followed from a loop over batches, by identity."""
        self.traits: set[str] = set()
        self.norms = Norms(project)
        self._tests: dict[int, bool] = {}
        self._pens = {} if pens is None else pens
        self._dataset_of: dict[int, str] = {}
        for name, scopes in self.reach.of_dataset.items():
            for one in scopes:
                self._dataset_of.setdefault(one, name.rpartition(".")[2])

    def name(self, node: ast.expr, scope: Scope) -> str:
        """The full name of what an expression names."""
        return self.project.dotted(node, scope.module)

    def pen(self, module: Module) -> Pen:
        """What knows the text of a module."""
        known = self._pens.get(id(module))
        if known is None:
            known = self._pens[id(module)] = Pen(module)
        return known

    def tests(self, scope: Scope) -> bool:
        """Is it a test or a benchmark, where speed is nobody's concern?"""
        module = scope.module
        known = self._tests.get(id(module))
        if known is None:
            tops = {name.partition(".")[0] for name in module.names.values()}
            known = bool(tops & _RUNNERS or _TESTS.search(module.path))
            self._tests[id(module)] = known
        return known

    def is_item(self, scope: Scope) -> bool:
        """Does this function run for items?"""
        return id(scope) in self.reach.items

    def dataset_of(self, scope: Scope) -> str:
        """A dataset whose items this function makes."""
        return self._dataset_of.get(id(scope), "")

    def _guards(self, scope: Scope, found: Sequence[Guard]) -> tuple[str, ...]:
        """The innermost conditions that may fail, as they are written."""
        return tuple(
            written(g.test) if g.holds else f"not ({written(g.test)})"
            for g in found[-_MOST_GUARDS:]
            if not self.always(g, scope)
        )

    def add(
        self,
        kind: str,
        scope: Scope,
        step: Step,
        name: str = "",
        node: ast.AST | None = None,
        also: Sequence[Guard] = (),
        **details: Scalar,
    ) -> None:
        """Record an event at a step or near it; `also`: the guards of its callers."""
        around = step.around
        within = [x for x in around.loops if id(x) in self.loop_of]
        loops = [self.loop_of[id(x)] for x in within]
        begin = within[-1].lineno if within else 0
        dataset = self.dataset_of(scope)
        if dataset:
            details.setdefault("dataset", dataset)
        owner = scope.owner.name if scope.owner else scope.name
        behind = pieces(self.pen(scope.module), kind, scope, step)
        self.events.append(
            Event(
                kind=kind,
                at=spot(scope.module, node or step.node),
                name=name,
                function=scope.name,
                owner=f"{scope.module.name}.{owner}",
                item=self.is_item(scope),
                handler=around.handler,
                guards=self._guards(scope, (*also, *self._within(around, begin))),
                loops=len(around.loops),
                loop=int(details.get("in_loop", loops[-1] if loops else -1) or 0),
                details={**behind.details, **details},
                call=behind.call,
                spans=dict(behind.spans),
                imports=behind.imports,
            )
        )

    def _within(self, around: Around, begin: int) -> list[Guard]:
        """Conditions inside the loop over batches."""
        return [g for g in around.guards if g.test.lineno > begin]

    def always(self, guard: Guard, scope: Scope) -> bool:
        """``step % self.period == 0``, where the period is 1 if nobody sets it."""
        test = guard.test
        if not (guard.holds and isinstance(test, ast.Compare)):
            return False
        left = test.left
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod)):
            return False
        return self.values.of(left.right, scope).value == 1
