"""Code of items that only runs the first time, where nothing is there yet."""

import ast

from pipedoctor.source.detect.dataset.handles import early_return_conditions
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.dataset_classes import ITEM_METHODS
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import binding_key, last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def runs_once(recorder: EventRecorder, scope: CodeScope, step: CodeStep) -> bool:
    """Once for many items: where nothing is there yet, or before a generator's inner loop."""
    return _yields_many(scope, step) or _is_called_once(recorder, scope)


def _is_called_once(recorder: EventRecorder, scope: CodeScope, depth: int = 3) -> bool:
    """Only where nothing is there yet: at every call of it, or by a cache."""
    if scope.keeps_its_result and scope.name.rpartition(".")[2] not in ITEM_METHODS:
        return True
    made = scope.name.endswith("__init__")
    sites = [
        site
        for site in recorder.project.find_callers(scope)
        if scope.owner is None or made or binding_key(site.node.func).startswith("self.")
        if made or recorder.is_item_code(site.scope)
    ]
    if sites or not depth or not made:
        return bool(sites) and all(
            is_lazy(s.scope, s.step, s.node)
            or fills_missing_value(s.scope, s.step, scope)
            or _yields_many(s.scope, s.step)
            for s in sites
        )
    makers = recorder.call_graph.entered_from.get(id(scope), ())
    return bool(makers) and all(
        one.name.endswith("__init__") and _is_called_once(recorder, one, depth - 1)
        for one in makers
    )


def is_lazy(scope: CodeScope, step: CodeStep, node: ast.Call) -> bool:
    """Only where nothing is there yet: ``if self.file is None: self.file = ...``."""
    kept = find_variable(scope, node).startswith("self.") or any(
        isinstance(one, ast.Assign)
        and one.value is node
        and any("self." in unparse_short(target) for target in one.targets)
        for one in (s.node for s in scope.steps_by_type.get(ast.Assign, []))
    )
    return (kept and bool(step.context.guards)) or _fills_container(scope, step, node)


def _fills_container(scope: CodeScope, step: CodeStep, node: ast.Call) -> bool:
    """``if path not in bank: bank[path] = File(path)``, wherever the bank is kept."""
    missing = {
        unparse_short(g.test.comparators[0])
        for g in step.context.guards
        if isinstance(g.test, ast.Compare)
        and isinstance(g.test.ops[0], ast.NotIn if g.holds else ast.In)
    }
    return bool(missing) and any(
        isinstance(target, ast.Subscript) and unparse_short(target.value) in missing
        for other in scope.steps_by_type.get(ast.Assign, ())
        if isinstance(one := other.node, ast.Assign)
        if one.value is node or binding_key(one.value) == (find_variable(scope, node) or "?")
        for target in one.targets
    )


def fills_missing_value(scope: CodeScope, step: CodeStep, callee: CodeScope | None = None) -> bool:
    """``if self.rows is None:``, and then gives it a value, itself or what it calls."""
    given = {*scope.bindings, *(callee.bindings if callee is not None else ())}
    return any(
        guard.holds and _missing_attribute(guard.test) in given for guard in step.context.guards
    )


def runs_at_intervals(scope: CodeScope, step: CodeStep) -> bool:
    """``if self.count < self.every: return``, and then ``self.count = 0``: not for each item."""
    tests = [guard.test for guard in step.context.guards]
    tests += [one.test for one in early_return_conditions(scope, step)]
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], _ORDERINGS)
        and any(_is_reset(scope, side) for side in (test.left, *test.comparators))
        for test in tests
    )


def _yields_many(scope: CodeScope, step: CodeStep) -> bool:
    """``for file in files: for row in read(file): yield row``: many items of what is done here."""
    mine = step.context.loops
    return any(
        other.context.loops[: len(mine)] == mine
        and (len(other.context.loops) > len(mine) or isinstance(other.node, ast.YieldFrom))
        for kind in (ast.Yield, ast.YieldFrom)
        for other in scope.steps_by_type.get(kind, ())
    )


def _is_reset(scope: CodeScope, node: ast.expr) -> bool:
    """Is it an attribute that the same function sets to a number?"""
    key = binding_key(node)
    return key.startswith("self.") and any(
        isinstance(value, ast.Constant) for value, _ in scope.bindings.get(key, ())
    )


def _missing_attribute(test: ast.expr) -> str:
    """``self.rows`` of ``self.rows is None``, ``not self.rows``, ``not hasattr(self, "rows")``."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is):
        key = binding_key(test.left)
        return key if key.startswith("self.") else ""
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return ""
    asked = test.operand
    if isinstance(asked, ast.Call) and last_name(asked.func) == "hasattr":
        name = asked.args[1] if len(asked.args) > 1 else None
        given = name.value if isinstance(name, ast.Constant) else None
        return f"self.{given}" if isinstance(given, str) else ""
    key = binding_key(asked)
    return key if key.startswith("self.") else ""


def find_variable(scope: CodeScope, node: ast.Call) -> str:
    """The variable that keeps it: ``x`` or ``self.x``."""
    for key, values in scope.bindings.items():
        if any(value is node for value, _ in values):
            return key
    return ""
