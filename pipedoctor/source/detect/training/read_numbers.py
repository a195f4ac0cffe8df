"""What the host reads of a tensor: one part after another, and what becomes of it."""

import ast
from collections.abc import Container

from pipedoctor.source.syntax.bindings import expression_names
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import contains_node

_STEPS = frozenset(("training_step", "validation_step", "test_step"))
"""Methods of a LightningModule that are called with each batch."""


def find_total(scope: CodeScope, node: ast.AST) -> str:
    """``total`` of ``total += loss.item()``."""
    sums = (step.node for step in scope.steps_by_type.get(ast.AugAssign, ()))
    found = (s for s in sums if isinstance(s, ast.AugAssign) and s.value is node)
    return next((unparse_short(s.target) for s in found if isinstance(s.op, ast.Add)), "")


def find_logged_tensor(scope: CodeScope, node: ast.AST) -> str:
    """``self.log('loss', loss)`` of ``self.log('loss', loss.item())``; Lightning reads it later."""
    if scope.name.rpartition(".")[2] not in _STEPS or not isinstance(node, ast.Call):
        return ""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "item":
        return ""
    for step in scope.steps_by_type.get(ast.Call, ()):
        call = step.node
        if isinstance(call, ast.Call) and unparse_short(call.func) == "self.log":
            if node in call.args or any(word.value is node for word in call.keywords):
                read, tensor = ast.unparse(node), ast.unparse(node.func.value)
                return ast.unparse(call).replace(read, tensor)
    return ""


def is_given_to_environment(scope: CodeScope, node: ast.expr) -> bool:
    """``env.step(action.cpu())``, itself or by its variable: an environment acts on the host."""
    steps = [step.node for step in scope.find_calls("step") if isinstance(step.node, ast.Call)]
    given = [
        one
        for call in steps
        if isinstance(call.func, ast.Attribute) and "env" in unparse_short(call.func.value).lower()
        for one in call.args
    ]
    names = {name for one in given for name in expression_names(one)}
    kept = (value for name in names for value, _ in scope.bindings.get(name, ()))
    return any(contains_node(one, node) for one in (*given, *kept))


def reads_parts(batch_loops: Container[int], scope: CodeScope, step: CodeStep) -> bool:
    """
    ``for box in boxes: box.cpu()``: is it computed of what a loop within a step gives?

    Not where an option of the object decides about it: it is wanted so. `batch_loops`: the
    identities of the nodes of loops over batches.
    """
    loops: list[LoopNode] = []
    for one in reversed(step.context.loops):
        if id(one) in batch_loops:
            break
        loops.append(one)
    given = [one for one in loops if isinstance(one, (ast.For, ast.AsyncFor))]
    if not given:
        return False
    begin = min(one.lineno for one in given)
    options = (ast.Name, ast.Attribute)
    if any(isinstance(g.test, options) for g in step.context.guards if g.test.lineno > begin):
        return False
    parts = {name for one in given for name in expression_names(one.target)}
    for name, values in scope.bindings.items():
        inside = (value for value, _ in values if value.lineno > begin)
        if any(not parts.isdisjoint(expression_names(value)) for value in inside):
            parts.add(name)
    return isinstance(step.node, ast.expr) and not parts.isdisjoint(expression_names(step.node))
