"""What becomes of a number that the host reads: a sum, or a line of Lightning's log."""

import ast

from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope

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
