"""Loops over batches: which loader feeds them, and whether they come again."""

import ast
from collections.abc import Iterator
from typing import TypeAlias

from pipedoctor.facts.source import Loop
from pipedoctor.source.around import Step
from pipedoctor.source.origin import THROUGH
from pipedoctor.source.project import CallSite, argument, last_name
from pipedoctor.source.record import Recorder
from pipedoctor.source.scope import Scope, key_of
from pipedoctor.source.values import spot, written
from pipedoctor.source.walk import nodes

_LOADERLIKE = ("loader", "_dl", "dataloader")


_EVAL = ("eval", "valid", "val_", "_val", "test", "infer", "predict")


_DEEP = 3


BatchLoop: TypeAlias = ast.For | ast.AsyncFor | ast.While


def find_loops(recorder: Recorder) -> None:
    """Number the loops over batches, before anything refers to them."""
    for scope in recorder.project.scopes:
        _taken(recorder, scope)
        for kind in (ast.For, ast.AsyncFor):
            for step in scope.of_type.get(kind, []):
                if isinstance(step.node, (ast.For, ast.AsyncFor)):
                    _loop(recorder, scope, step, step.node)


def _loop(
    recorder: Recorder, scope: Scope, step: Step, node: ast.For | ast.AsyncFor
) -> None:
    if isinstance(node.body[-1], (ast.Break, ast.Return)):
        return  # one batch, to look at
    loaders = recorder.origins.of(node.iter, scope)
    if not loaders and not like_a_loader(node.iter):
        return
    recorder.loop_of[id(node)] = len(recorder.loops)
    recorder.loops.append(
        Loop(
            at=spot(scope.module, node),
            function=scope.name,
            loaders=tuple(sorted(loaders)),
            role="train"
            if _trains(node)
            else "eval"
            if _evaluates(node, scope) or _frozen(scope, step)
            else "",
            repeats=repeats(recorder, scope, step),
        )
    )
    recorder.kept |= {
        index
        for index in loaders
        if keeps_coming(recorder, index, scope, step, node.iter)
    }


def _taken(recorder: Recorder, scope: Scope) -> None:
    """``while True: batch = next(it)`` is a loop over batches too."""
    for step in scope.calling("next"):
        node = step.node
        if not (isinstance(node, ast.Call) and step.around.loops and node.args):
            continue
        if not (isinstance(node.func, ast.Name) and node.func.id == "next"):
            continue
        around = step.around.loops[-1]
        loaders: set[int] = set()
        for one in iters(recorder, node.args[0], scope):
            loaders |= recorder.origins.of(one.args[0], scope)
        if loaders and id(around) not in recorder.loop_of and not step.around.handler:
            recorder.loop_of[id(around)] = len(recorder.loops)
            recorder.loops.append(
                Loop(
                    at=spot(scope.module, around),
                    function=scope.name,
                    loaders=tuple(sorted(loaders)),
                    role="train" if _trains(around) else "",
                    repeats=False,
                )
            )


def like_a_loader(node: ast.expr) -> bool:
    """Is it called as loaders are called?"""
    if isinstance(node, ast.Call):
        wraps = last_name(node.func) in THROUGH
        return wraps and any(like_a_loader(one) for one in node.args[:1])
    name = last_name(node).lower()
    return name.endswith(_LOADERLIKE)


def _trains(node: ast.AST) -> bool:
    return any(
        n.attr in {"backward", "zero_grad"} for n in nodes(node, (ast.Attribute,))
    )


def _evaluates(node: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    name = f"{scope.name} {written(node.iter)}".lower()
    return any(word in name for word in _EVAL)


def _frozen(scope: Scope, step: Step) -> bool:
    """Does it stand where no gradient is kept: ``with torch.no_grad():``?"""
    said = [*step.around.managers, *getattr(scope.node, "decorator_list", ())]
    return any(
        word in written(one) for one in said for word in ("no_grad", "inference_mode")
    )


def repeats(recorder: Recorder, scope: Scope, step: Step, depth: int = _DEEP) -> bool:
    """Does this happen again and again: in a loop, here or around a call of it?"""
    outer = [x for x in step.around.loops if x is not step.node]
    if any(_counts(one) for one in outer):
        return True
    if depth <= 0 or scope.at_top:
        return False
    return any(
        site.scope is not scope and repeats(recorder, site.scope, site.step, depth - 1)
        for site in recorder.project.callers(scope)[:6]
    )


def keeps_coming(
    recorder: Recorder, index: int, scope: Scope, step: Step, node: ast.expr
) -> bool:
    """
    Does the loop come again over this loader as it is, not over one made anew?

    Climbs only through calls that hand this loader on, and not past where it is made.
    """
    made = recorder.constructions.made[index].site
    return _again(recorder, (index, made.scope), scope, step, node, _DEEP)


def _again(
    recorder: Recorder,
    loader: tuple[int, Scope],
    scope: Scope,
    step: Step,
    node: ast.expr | None,
    depth: int,
) -> bool:
    index, maker = loader
    inside = scope is maker
    around = recorder.constructions.made[index].site.step.around
    sometimes = [guard.test.lineno for guard in around.guards]
    start = [x for x in around.loops if not any(x.lineno < n for n in sometimes)]
    outer = [x for x in step.around.loops if x is not step.node]
    if any(_counts(one) and not (inside and one in start) for one in outer):
        return True
    if depth <= 0 or scope.at_top or inside:
        return False
    for site in recorder.project.callers(scope)[:6]:
        given = _given_at(site, scope, node)
        if given is not None and index not in recorder.origins.of(given, site.scope):
            continue
        if site.scope is not scope:
            if _again(recorder, loader, site.scope, site.step, given, depth - 1):
                return True
    return False


def _given_at(site: CallSite, scope: Scope, node: ast.expr | None) -> ast.expr | None:
    """What a call hands over for the parameter that is iterated; none: no such one."""
    names = [one.arg for one in scope.parameters]
    mine = names_in(node) & set(names) if node is not None else set[str]()
    for name in sorted(mine):
        bound = scope.owner is not None and names[:1] in (["self"], ["cls"])
        return argument(site.node, name, names.index(name) - bound)
    return None


def names_in(node: ast.expr) -> set[str]:
    """The names in an expression."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _counts(node: ast.AST) -> bool:
    """A loop over epochs: a range, or a variable that is called so."""
    if isinstance(node, ast.While):
        return True
    if isinstance(node, (ast.For, ast.AsyncFor)):
        target = written(node.target).lower()
        return "range(" in written(node.iter) or "epoch" in target
    return False


def iters(recorder: Recorder, node: ast.expr, scope: Scope) -> Iterator[ast.Call]:
    """The ``iter(loader)`` behind an expression, made outside of this loop."""
    values: list[ast.expr] = [node]
    key = key_of(node)
    if key:
        values = [value for value, _ in recorder.values.assigned(key, scope)]
    for value in values:
        if isinstance(value, ast.Call) and last_name(value.func) == "iter":
            if value.args and recorder.origins.of(value.args[0], scope):
                yield value


def within(scope: Scope, node: ast.AST) -> list[Step]:
    """Steps whose innermost loop over batches this is."""
    return scope.within.get(id(node), [])
