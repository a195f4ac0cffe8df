"""What the steps of a loop are: whether it trains, and whether it hands batches on."""

import ast
from typing import TypeAlias

from pipedoctor.source.detect.device_copies import copies_to_device
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.context import CodeStep, LoopNode
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.syntax.walk import find_nodes
from pipedoctor.source.values.library import PASSED_ON

_WRAPPERS = PASSED_ON | {"enumerate", "iter", "zip"}
_LOADER_SUFFIXES = ("loader", "_dl", "dataloader")
_TRAINING_METHODS = frozenset(("backward", "zero_grad"))
_STEP_WORDS = ("step", "iter", "update")
_BATCH_WORDS = ("sample", "batch")

BatchLoop: TypeAlias = ast.For | ast.AsyncFor | ast.While


def steps_in_loop(scope: CodeScope, node: ast.AST) -> list[CodeStep]:
    """Steps whose innermost loop over batches this is."""
    return scope.steps_by_loop.get(id(node), [])


def is_named_like_loader(node: ast.expr) -> bool:
    """Is it called as loaders are called, or taken from what is called so?"""
    if isinstance(node, ast.Subscript):
        return last_name(node.value).lower().removesuffix("s").endswith(_LOADER_SUFFIXES)
    if isinstance(node, ast.Call):
        wraps = last_name(node.func) in _WRAPPERS
        return wraps and any(is_named_like_loader(one) for one in node.args[:1])
    name = last_name(node).lower()
    return name.endswith(_LOADER_SUFFIXES)


def only_hands_on(project: Project, scope: CodeScope, node: BatchLoop) -> bool:
    """``for batch in loader: yield batch``: whoever iterates that has the loop."""
    steps = steps_in_loop(scope, node)
    yields = any(isinstance(one.node, ast.Yield) for one in steps)
    return yields and not any(
        isinstance(one.node, ast.Call)
        and (last_name(one.node.func) == "backward" or copies_to_device(project, scope, one.node))
        for one in steps
    )


def is_training_loop(scope: CodeScope, node: ast.AST) -> bool:
    """Does it call ``backward`` or ``zero_grad``, or refer to them?"""
    calls = (one.node for one in steps_in_loop(scope, node) if isinstance(one.node, ast.Call))
    if any(isinstance(c.func, ast.Attribute) and c.func.attr in _TRAINING_METHODS for c in calls):
        return True
    text = scope.module.file.content
    return any(name.encode() in text for name in _TRAINING_METHODS) and any(
        one.attr in _TRAINING_METHODS for one in find_nodes(node, (ast.Attribute,))
    )


def makes_steps(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration go backward once, and take a step of an optimizer?"""
    own = _list_own_names(scope, around)
    return "backward" in own and any("step" in name for name in own)


def takes_step(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration take a step of an optimizer?"""
    return any("step" in name for name in _list_own_names(scope, around))


def takes_no_step(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration go backward, and leave the step to the loop around it?"""
    return _goes_backward(scope, around) and not takes_step(scope, around)


def adds_up_steps(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration take a step, once a loop within it has gone backward several times?"""
    inner = {
        id(one): one
        for step in steps_in_loop(scope, around)
        for one in step.context.loops[-1:]
        if around in step.context.loops[-2:-1] and one is not around
    }
    return takes_step(scope, around) and any(
        takes_no_step(scope, one) and not (isinstance(one, ast.For) and _is_pass(one))
        for one in inner.values()
    )


def _is_pass(node: ast.For) -> bool:
    """Is it a loop over all of the batches, by what is iterated?"""
    return is_named_like_loader(node.iter) or "epoch" in unparse_short(node.target).lower()


def _goes_backward(scope: CodeScope, around: LoopNode) -> bool:
    """Does each iteration go backward, and change the parameters by hand?"""
    return "backward" in _list_own_names(scope, around)


def _list_own_names(scope: CodeScope, around: LoopNode) -> list[str]:
    """The last names of what each iteration calls, outside of loops within it."""
    return [
        last_name(step.node.func)
        for step in steps_in_loop(scope, around)
        if isinstance(step.node, ast.Call)
        and step.context.loops[-1] is around
        and not step.context.inner
    ]


def trains_itself(scope: CodeScope, step: CodeStep, node: ast.For | ast.AsyncFor) -> bool:
    """
    Does each iteration make one training step, whatever it is that is iterated?

    Iterations over a range, or called epochs, are as likely to be epochs of one batch;
    not so over a range in strides: ``range(0, len(rows), batch_size)``, in a loop over
    epochs, where the iterations are called steps, or where each draws a batch.
    """
    if not (makes_steps(scope, node) or adds_up_steps(scope, node)):
        return takes_strides(node.iter) and _goes_backward(scope, node)
    header = f"{unparse_short(node.target)} {unparse_short(node.iter)}".lower()
    if takes_strides(node.iter) or not ("range(" in header or "epoch" in header):
        return True
    outer = (one.target for one in step.context.loops if isinstance(one, ast.For))
    inside = any("epoch" in unparse_short(one).lower() for one in outer)
    target = unparse_short(node.target).lower()
    named = any(word in target for word in _STEP_WORDS)
    if _is_counted(node.iter):
        named = any(word in header for word in (*_STEP_WORDS, "batch"))
    return "epoch" not in header and (inside or named or _draws_batch(scope, node))


def _draws_batch(scope: CodeScope, around: LoopNode) -> bool:
    """``rows = memory.sample(32)``: does each iteration ask an object for so many rows?"""
    return any(
        isinstance(call, ast.Call)
        and step.context.loops[-1:] == (around,)
        and isinstance(call.func, ast.Attribute)
        and any(word in call.func.attr.lower() for word in _BATCH_WORDS)
        and bool(call.args or call.keywords)
        for step in scope.steps_by_type.get(ast.Assign, ())
        if isinstance(step.node, ast.Assign)
        for call in (step.node.value,)
    )


def _is_counted(node: ast.expr) -> bool:
    """``range(steps)``, ``trange(steps)``, ``tqdm(range(steps))``: as often as its names say."""
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func) in {"range", "trange"}:
        return True
    return last_name(node.func) in _WRAPPERS and any(map(_is_counted, node.args[:1]))


def takes_strides(node: ast.expr) -> bool:
    """``range(0, len(rows), batch_size)``: batches are cut from what is in memory."""
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func) in _WRAPPERS:
        return any(map(takes_strides, node.args[:1]))
    strides = last_name(node.func) == "range" and len(node.args) == 3  # noqa: PLR2004
    return strides and not isinstance(node.args[2], (ast.Constant, ast.UnaryOp))
