"""Follows a batch and what comes of it: through a loop, and into functions."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pipedoctor.source.around import Around, Guard, Step, possible
from pipedoctor.source.copies import creates, is_copy
from pipedoctor.source.deciding import decides, shows
from pipedoctor.source.fresh import is_fresh, is_tensor, makes
from pipedoctor.source.losses import accumulated
from pipedoctor.source.project import last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.root import root_of
from pipedoctor.source.scope import Class, Scope
from pipedoctor.source.values import written
from pipedoctor.source.walk import nodes

_DEEP = 3
"""From the loop into functions, and on from these."""
_MOST = 4
"""Functions that one call may mean."""
_PASSING = {"list", "tuple", "zip", "enumerate", "sorted", "reversed", "dict", "iter"}


@dataclass(slots=True)
class Known:
    """What the steps have shown so far, by the names of variables."""

    batch: set[str]
    losses: set[str] = field(default_factory=set[str])
    results: set[str] = field(default_factory=set[str])
    """Computed on the device: losses and what comes of them."""
    fresh: set[str] = field(default_factory=set[str])
    """Made anew on the host, and so not in pinned memory."""
    moved: dict[str, tuple[int, Around]] = field(default_factory=dict[str, Any])
    """On the device: since which line, and within what."""

    def moved_before(self, line: int, around: Around) -> set[str]:
        """Those that are on the device already, on this way through the loop."""
        return {
            name
            for name, (since, within) in self.moved.items()
            if since < line and possible(within, around)
        }


def names_of(node: ast.expr) -> set[str]:
    """All names in an expression."""
    return {name.id for name in nodes(node, (ast.Name,))}


class Flow:
    """One way of a batch: the loop it comes from, and what has been entered."""

    def __init__(self, recorder: Recorder, loop: int) -> None:
        self.recorder = recorder
        self.loop = loop
        self.guards: tuple[Guard, ...] = ()
        """Around the calls that lead from the loop to here."""
        self.depth = 0
        self.mine: Class | None = None
        self._entered: set[tuple[int, frozenset[str], frozenset[str]]] = set()

    def follow(self, scope: Scope, steps: Iterable[Step], known: Known) -> None:
        """Take the steps in their order."""
        for step in steps:
            one = step.node
            if isinstance(one, ast.For):
                _bind(one.target, one.iter, known)
            elif isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
                for part in one.generators:
                    _bind(part.target, part.iter, known)
            elif isinstance(one, ast.Assign):
                self._assigned(scope, step, one, known)
            elif isinstance(one, ast.Call):
                self._call(scope, step, one, known)
                self._enter(scope, step, one, known)
            elif isinstance(one, ast.AugAssign) and not self.depth:
                accumulated(self.recorder, scope, step, one, known.losses)

    def _assigned(
        self, scope: Scope, step: Step, node: ast.Assign, known: Known
    ) -> None:
        """Names that come from the batch, those on the device, those computed there."""
        value = node.value
        copies = [n for n in nodes(value, (ast.Call,)) if is_copy(n)]
        read = names_of(value)
        made = is_tensor(self.recorder, scope, value)
        for target in node.targets:
            names = names_of(target)
            if made or read & known.fresh:
                known.fresh |= names
            else:
                known.fresh -= names
            if copies:
                since = (node.end_lineno or node.lineno, step.around)
                for name in names:
                    known.moved.setdefault(name, since)
            if isinstance(value, ast.Call) and not copies:
                if read & (known.moved.keys() | known.results):
                    known.results |= names
                elif self._passes(scope, value) and read & known.batch:
                    known.batch |= names
            plain = (ast.Name, ast.Subscript, ast.Tuple, ast.ListComp)
            if copies or isinstance(value, plain):
                if read & known.batch:
                    known.batch |= names
            elif isinstance(value, ast.BinOp) and read & known.results:
                known.results |= names
            if isinstance(value, (ast.Subscript, ast.Name)):
                if root_of(value) in known.results:
                    known.results |= names

    def _passes(self, scope: Scope, node: ast.Call) -> bool:
        """Does it hand on what it is given, piece by piece?"""
        if isinstance(node.func, ast.Name) and node.func.id in _PASSING:
            return True
        found = self.recorder.project.found(node.func, scope.module)
        return isinstance(found, Scope) and ast.Yield in found.of_type

    def _call(self, scope: Scope, step: Step, node: ast.Call, known: Known) -> None:
        """Copies, waits for the device, and ways through the host."""
        func = node.func
        moved = known.moved_before(node.lineno, step.around)
        root = root_of(func.value) if isinstance(func, ast.Attribute) else ""
        if is_copy(node):
            mine = root in known.batch - moved
            if mine or not self.depth or self._new(scope, node):
                self._copy(
                    scope, step, node, mine=mine, fresh=is_fresh(node, known.fresh)
                )
        elif isinstance(func, ast.Attribute) and func.attr in {"item", "cpu", "tolist"}:
            host = root in known.batch - moved and root not in known.results
            raised = root in known.results
            if raised or not self.depth:
                self._sync(scope, step, func.attr, host=host, raised=raised)
        elif self.depth:
            return
        elif isinstance(func, ast.Name) and func.id in {"print", "float"}:
            if shows(node, func.id, known.results):
                self._sync(scope, step, func.id, host=False, raised=True)
        elif isinstance(func, ast.Attribute) and func.attr == "numpy":
            if root in known.batch - moved:
                self._by_host(scope, step, node, root)
        elif self.recorder.name(func, scope) == "torch.cuda.empty_cache":
            freed = _frees(scope, step)
            name = "torch.cuda.empty_cache"
            self.recorder.add("empty-cache", scope, step, name, freed=freed)
        elif self.recorder.name(func, scope) == "torch.cuda.synchronize":
            self.recorder.add("synchronize", scope, step, "torch.cuda.synchronize")

    def _by_host(self, scope: Scope, step: Step, node: ast.Call, root: str) -> None:
        around = step.around.loops[-1]
        after = any(
            makes(self.recorder, scope, s.node, root)
            for s in scope.within.get(id(around), [])
            if getattr(s.node, "lineno", 0) > node.lineno
        )
        self.recorder.add("host-array", scope, step, written(node), again=after)

    def _copy(
        self, scope: Scope, step: Step, node: ast.Call, *, mine: bool, fresh: bool
    ) -> None:
        """A copy to the device: of the batch, of something made here, of another."""
        func = node.func
        given = {word.arg: word.value for word in node.keywords}.get("non_blocking")
        if given is None and isinstance(func, ast.Attribute) and func.attr == "cuda":
            if node.args and isinstance(node.args[0], ast.Constant):
                given = node.args[0] if isinstance(node.args[0].value, bool) else None
        value = self.recorder.values.of(given, scope)
        inner = func.value if isinstance(func, ast.Attribute) else None
        kind = "device-copy" if mine else "other-copy"
        if self._new(scope, node):
            kind = "created-then-moved"
        self.recorder.add(
            kind,
            scope,
            step,
            written(node),
            also=self.guards,
            in_loop=self.loop,
            non_blocking=value.value is True,
            unknown=not value.known,
            fresh=fresh,
            variable=root_of(inner) if inner is not None else "",
            pins=isinstance(inner, ast.Call) and last_name(inner.func) == "pin_memory",
        )

    def _new(self, scope: Scope, node: ast.Call) -> bool:
        made = creates(self.recorder, scope, node, deep=self.depth > 0)
        return made and not self.recorder.loops[self.loop].single

    def _sync(
        self, scope: Scope, step: Step, how: str, *, host: bool, raised: bool
    ) -> None:
        """The host waits for the device."""
        self.recorder.add(
            "sync",
            scope,
            step,
            written(step.node),
            also=self.guards,
            in_loop=self.loop,
            how=how,
            host=host,
            raised=raised,
            decides=decides(scope, step.node),
        )

    def _enter(self, scope: Scope, step: Step, node: ast.Call, known: Known) -> None:
        """Into the functions of the project that the batch or a result is handed to."""
        given = [*node.args, *(word.value for word in node.keywords)]
        roots = {root_of(one) for one in given} - {""}
        moved = known.moved_before(node.lineno, step.around)
        if self.depth >= _DEEP or not roots & (known.batch | known.results | moved):
            return
        mine = self.mine or scope.owner
        targets = self.recorder.reach.targets(node.func, scope, mine)
        guards = self._around(scope, step)
        for target, cls in islice(targets, _MOST):
            inner = Known(set())
            for name, value in _handed(target, node):
                root = root_of(value)
                if root in known.results | moved:
                    inner.results.add(name)
                elif root in known.batch:
                    inner.batch.add(name)
            self._entering(target, cls, guards, inner)

    def _around(self, scope: Scope, step: Step) -> list[Guard]:
        """The conditions of a call, inside the loop; those that always hold apart."""
        begin = self.recorder.loops[self.loop].at.line if not self.depth else 0
        around = [g for g in step.around.guards if g.test.lineno > begin]
        return [g for g in around if not self.recorder.always(g, scope)]

    def _entering(
        self, target: Scope, cls: Class | None, guards: list[Guard], known: Known
    ) -> None:
        key = (id(target), frozenset(known.batch), frozenset(known.results))
        if key in self._entered or not known.batch | known.results or _makes(target):
            return
        self._entered.add(key)
        self.recorder.entered.add(id(target))
        before = (self.guards, self.depth, self.mine)
        self.guards = (*self.guards, *guards)
        self.depth, self.mine = self.depth + 1, cls
        inside = [one for one in target.steps if not one.around.inner]
        self.follow(target, inside, known)
        self.guards, self.depth, self.mine = before


def _frees(scope: Scope, step: Step) -> bool:
    """Does a ``del`` stand before it in the same loop: is memory given back at will?"""
    return any(
        one.around.loops == step.around.loops
        and getattr(one.node, "lineno", 0) < getattr(step.node, "lineno", 0)
        for one in scope.of_type.get(ast.Delete, [])
    )


def _makes(target: Scope) -> bool:
    """The making of an object keeps things for later; what, is not followed."""
    return target.name.endswith("__init__")


def _bind(target: ast.expr, value: ast.expr, known: Known) -> None:
    zipped = isinstance(value, ast.Call) and last_name(value.func) == "zip"
    if zipped and isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
        if len(target.elts) == len(value.args):
            for one, its in zip(target.elts, value.args, strict=True):
                _bind(one, its, known)
            return
    read = names_of(value)
    if read & known.results:
        known.results |= names_of(target)
    elif read & known.batch:
        known.batch |= names_of(target)


def _handed(target: Scope, node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives for each parameter of a function."""
    names = [one.arg for one in target.parameters]
    if target.owner is not None and not _static(target):
        names = names[1:]
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield name, value
    for word in node.keywords:
        if word.arg:
            yield word.arg, word.value


def _static(target: Scope) -> bool:
    decorators: Sequence[ast.expr] = getattr(target.node, "decorator_list", ())
    return any(last_name(one) == "staticmethod" for one in decorators)
