"""Iterators over loaders of which one batch is taken: all that their workers load is lost."""

import ast
from collections.abc import Iterator

from pipedoctor.facts.code_events.training import FreshIterator
from pipedoctor.source.detect.loader.loop_steps import is_named_like_loader
from pipedoctor.source.detect.loader.reuse import is_repeated
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.expressions import last_name, unparse_short
from pipedoctor.source.syntax.scope import CodeScope

_TAKING_NAMES = ("next", "__next__")
"""What takes a batch of an iterator: the function, and its methods of all versions."""


def record_fresh_iterators(recorder: EventRecorder, scope: CodeScope) -> None:
    """``next(iter(loader))``, in one line or two, and a loop that ends with its first batch."""
    for step in scope.find_calls("iter"):
        if isinstance(step.node, ast.Call) and len(step.node.args) == 1:
            for taken in _find_takers(scope, step):
                _record(recorder, scope, taken, step.node.args[0], unparse_short(taken.node))
    for step in scope.steps_by_type.get(ast.For, ()):
        if isinstance(step.node, ast.For) and isinstance(step.node.body[-1], ast.Break):
            if len(step.node.body) > 1:
                loop = step.node
                text = f"for {unparse_short(loop.target)} in {unparse_short(loop.iter)}"
                _record(recorder, scope, step._replace(node=loop.iter), loop.iter, text)


def _record(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, iterated: ast.expr, text: str
) -> None:
    loaders = recorder.loader_flow.find_loaders(iterated, scope)
    asked = scope.name.rpartition(".")[2] in recorder.loader_flow.requesting_names
    if loaders and not (step.context.loops or step.context.inner or asked):
        recorder.sampled_loaders |= loaders  # one batch, to look at
    if loaders or is_named_like_loader(iterated):
        fresh = FreshIterator(
            repeats=is_repeated(recorder, scope, step),
            known=bool(loaders),
            loader=min(loaders, default=-1),
        )
        recorder.add_event(fresh, scope, step, text)


def _find_takers(scope: CodeScope, made: CodeStep) -> Iterator[CodeStep]:
    """The call that takes the one batch of an iterator; that which makes it, by a variable."""
    names = scope.names_by_value.get(id(made.node), ())
    for step in _list_takes(scope):
        node = step.node
        if isinstance(node, ast.Call) and _find_taken(node) is made.node:
            yield step
    if len(names) == 1 and names[0].isidentifier() and _serves_once(scope, names[0], made):
        yield made


def _list_takes(scope: CodeScope) -> Iterator[CodeStep]:
    for name in _TAKING_NAMES:
        yield from scope.find_calls(name)


def _find_taken(node: ast.Call) -> ast.expr | None:
    """``it`` of ``next(it)``, ``it.next()`` and ``it.__next__()``."""
    if isinstance(node.func, ast.Attribute):
        return node.func.value if not node.args else None
    return node.args[0] if last_name(node.func) == "next" and node.args else None


def _serves_once(scope: CodeScope, name: str, made: CodeStep) -> bool:
    """Is one batch taken where it is made, in the same turn of the same loop, and no more?"""
    takes = [
        step
        for step in _list_takes(scope)
        if isinstance(step.node, ast.Call)
        if isinstance(taken := _find_taken(step.node), ast.Name) and taken.id == name
    ]
    reads = [one for one in scope.name_loads if one.id == name]
    return (
        len(takes) == len(reads) == len(scope.bindings.get(name, ())) == 1
        and takes[0].context.loops == made.context.loops
        and takes[0].context.inner == made.context.inner
        and not takes[0].context.tries
    )
