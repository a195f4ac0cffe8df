"""Methods of datasets: lengths that take long, items that ignore their index."""

import ast
from collections.abc import Iterator, Sequence

from pipedoctor.facts.code_events.dataset import (
    HeavyLength,
)
from pipedoctor.facts.code_events.item import IgnoredIndex
from pipedoctor.source.detect.api_table import KIND_OF_CALL
from pipedoctor.source.detect.dataset.handles import is_opt_in
from pipedoctor.source.detect.delegation import follow_delegation
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.syntax.walk import contains_node, find_nodes


def record_heavy_len(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``__len__`` that does work: torch asks for it several times an epoch."""
    method = cls.methods.get("__len__")
    if method is None:
        return
    scope = follow_delegation(recorder, cls, method).scope
    heavy = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp)
    for step in scope.steps:
        node = step.node
        name = recorder.full_name_of(node.func, scope) if isinstance(node, ast.Call) else ""
        if not name and isinstance(node, ast.Call) and last_name(node.func) == "open":
            name = "open"
        if _asks_parts(node):
            continue
        if isinstance(node, heavy) or name in KIND_OF_CALL:
            if not step.context.guards:
                recorder.add_event(
                    HeavyLength(
                        text=unparse_short(node) if isinstance(node, ast.expr) else "",
                        result=_read_only_result(scope),
                    ),
                    scope,
                    step,
                    name or "loop",
                )
                return


def _asks_parts(node: ast.AST) -> bool:
    """``len(one) for one in self.loaders``: of the few parts that it is made of?"""
    if not isinstance(node, (ast.GeneratorExp, ast.ListComp)) or len(node.generators) != 1:
        return False
    parts = last_name(node.generators[0].iter).lower()
    asked = isinstance(node.elt, ast.Call) and last_name(node.elt.func) == "len"
    return asked and parts.endswith(("loaders", "datasets", "samplers"))


def _read_only_result(scope: CodeScope) -> str:
    """What a method returns that has no other statement, and reads nothing but `self`."""
    body = getattr(scope.node, "body", [])
    only = body[0] if len(body) == 1 and isinstance(body[0], ast.Return) else None
    return "" if only is None or scope.bindings else unparse_short(only.value)


_SYNTHETIC_DRAWS = {
    "randn",
    "rand",
    "normal",
    "standard_normal",
    "randn_like",
    "rand_like",
}
"""What is drawn so is the item itself, for a test, and not which one it is."""


def record_ignored_index(recorder: EventRecorder, cls: ClassDefinition) -> None:
    """``__getitem__`` that draws its item at random, whatever was asked for."""
    method = cls.methods.get("__getitem__")
    if method is None or len(method.parameters) < 2:  # noqa: PLR2004  (self, index)
        return
    scope, name = follow_delegation(recorder, cls, method, method.parameters[1].arg)
    uses = [node for node in scope.name_loads if node.id == name]
    parity = [
        step.node.left
        for step in scope.steps_by_type.get(ast.BinOp, [])
        if isinstance(step.node, ast.BinOp)
        and isinstance(step.node.op, ast.Mod)
        and isinstance(step.node.right, ast.Constant)
    ]
    real = [node for node in uses if not any(node is p for p in parity)]
    draws = [
        step
        for step in scope.calls
        if isinstance(step.node, ast.Call)
        and recorder.full_name_of(step.node.func, scope).startswith(
            ("random.", "numpy.random.", "torch.rand")
        )
        and last_name(step.node.func) not in _SYNTHETIC_DRAWS
    ]
    replaced = [
        step
        for step in (draws if real else ())
        if _replaces_index(recorder, scope, step, real)
        or _overwrites_index(scope, step, name, real)
        if not _is_asked_for(recorder, scope, step)
    ]
    if draws and not real:
        recorder.add_event(IgnoredIndex(parity=bool(uses)), scope, draws[0], name)
    elif replaced:
        recorder.add_event(IgnoredIndex(parity=False), scope, replaced[0], name)


def _is_asked_for(recorder: EventRecorder, scope: CodeScope, step: CodeStep) -> bool:
    """Only where an option of the dataset says so, which is off by default?"""
    return scope.owner is not None and is_opt_in(recorder, scope.owner, step)


def _replaces_index(
    recorder: EventRecorder, scope: CodeScope, draw: CodeStep, uses: Sequence[ast.Name]
) -> bool:
    """Does the branch of a draw replace all that comes of the index, or alone not use it?"""
    for guard in draw.context.guards:
        branch = scope.branches.get(id(guard.test))
        if branch is None or find_nodes(guard.test, (ast.Call,)):  # drawn itself, or computed
            continue
        mine, others = (branch.body, branch.orelse) if guard.holds else (branch.orelse, branch.body)
        beside = [one for one in uses if not _stands_in(one, others)]
        if any(_stands_in(one, mine) for one in uses):
            continue
        if not beside and _stands_in(draw.node, mine):
            return True
        made = {key for one in beside for key in _names_made_of(scope, one)}
        known = all(any(_names_made_of(scope, one)) for one in beside)
        given = {
            key
            for key, its in scope.bindings.items()
            for value, step in its
            if _stands_in(value, mine) and not _is_asked_for(recorder, scope, step)
        }
        if known and made and made <= given:
            return True
    return False


def _overwrites_index(
    scope: CodeScope, draw: CodeStep, name: str, uses: Sequence[ast.Name]
) -> bool:
    """``index = random.randint(0, n)``, before anything has read the index."""
    return any(
        contains_node(value, draw.node)
        and not step.context.guards
        and all(use.lineno > value.lineno for use in uses)
        for value, step in scope.bindings.get(name, ())
    )


def _names_made_of(scope: CodeScope, use: ast.Name) -> Iterator[str]:
    """The variables that are assigned a value with this name in it."""
    for key, values in scope.bindings.items():
        if any(contains_node(value, use) for value, _ in values):
            yield key


def _stands_in(node: ast.AST, block: Sequence[ast.stmt]) -> bool:
    line: int = getattr(node, "lineno", 0)
    return bool(block) and block[0].lineno <= line <= (block[-1].end_lineno or 0)
