"""What the Trainer of Lightning does: it iterates the loaders that hooks return."""

import ast
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from pipedoctor.facts.code_events.training import DeviceCopy
from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope
from pipedoctor.source.values.lattice import ContainerValue, LoaderValue, TupleValue, Values

_Role: TypeAlias = Literal["train", "eval"]
_HOOK_CLASSES = frozenset(("LightningModule", "LightningDataModule"))
_LIBRARIES = frozenset(("pytorch_lightning", "lightning"))
_LOADER_HOOKS: tuple[tuple[str, _Role, bool], ...] = (
    ("train_dataloader", "train", True),
    ("val_dataloader", "eval", True),
    ("test_dataloader", "eval", False),
    ("predict_dataloader", "eval", False),
)
"""Methods that return loaders, what these are for, and whether there is an epoch after another."""
_FITTING_CALLS: tuple[tuple[str, bool], ...] = (("fit", True), ("validate", False), ("test", False))
_MAX_NESTING = 2


def record_trainer_hooks(recorder: EventRecorder) -> None:
    """Loops over the loaders that a Trainer is given."""
    modules = {id(one) for one in recorder.project.modules if one.imports_any(_LIBRARIES)}
    if not modules:
        return
    for cls in recorder.project.classes:
        if _is_hooked(recorder, cls):
            _record_hook_loaders(recorder, cls)
    for name, repeats in _FITTING_CALLS:
        for site in recorder.project.find_call_sites(name):
            if id(site.scope.module) not in modules or not isinstance(
                site.node.func, ast.Attribute
            ):
                continue
            for word in (*site.node.args[1:], *(one.value for one in site.node.keywords)):
                loaders = frozenset(_list_loaders(recorder, _evaluate(recorder, word, site.scope)))
                role: _Role = "eval" if not repeats else "train"
                _add_loop(recorder, site.scope, site.step, (role, repeats), loaders)


def _is_hooked(recorder: EventRecorder, cls: ClassDefinition) -> bool:
    foreign = recorder.project.find_bases(cls)[1]
    return any(name.rpartition(".")[2] in _HOOK_CLASSES for name in foreign)


def _record_hook_loaders(recorder: EventRecorder, cls: ClassDefinition) -> None:
    for name, role, repeats in _LOADER_HOOKS:
        hook = cls.methods.get(name)
        if hook is None:
            continue
        for step in hook.steps_by_type.get(ast.Return, ()):
            if isinstance(step.node, ast.Return) and step.node.value is not None:
                values = _evaluate(recorder, step.node.value, hook)
                loaders = frozenset(_list_loaders(recorder, values))
                _add_loop(recorder, hook, step, (role, repeats), loaders)


def _evaluate(recorder: EventRecorder, node: ast.expr, scope: CodeScope) -> Values:
    evaluator = recorder.loader_flow.evaluator
    return evaluator.evaluate(node, evaluator.frame_of(scope))


def _list_loaders(
    recorder: EventRecorder, values: Values, depth: int = _MAX_NESTING
) -> Iterator[int]:
    """The loaders among values, themselves or in lists and dictionaries."""
    for value in values:
        if isinstance(value, LoaderValue):
            yield value.index
        elif isinstance(value, (ContainerValue, TupleValue)) and depth:
            held = recorder.loader_flow.evaluator.item(value, None)
            yield from _list_loaders(recorder, held, depth - 1)


def _add_loop(
    recorder: EventRecorder,
    scope: CodeScope,
    step: CodeStep,
    kind: tuple[_Role, bool],
    loaders: Iterable[int],
) -> None:
    """The Trainer's own loop: it copies each batch, and leaves the loader's arguments."""
    fed = {n for loop in recorder.loops if loop.single or loop.role for n in loop.loaders}
    fresh = tuple(sorted(set(loaders) - fed))
    if not fresh:
        return
    role, repeats = kind
    at = node_location(scope.module, step.node)
    number = len(recorder.loops)
    recorder.loops.append(
        Loop(at=at, function=scope.name, loaders=fresh, role=role, repeats=repeats, single=True)
    )
    if repeats:
        recorder.repeated_loaders |= set(fresh)
    copy = DeviceCopy(
        in_loop=number, non_blocking=False, unknown=True, fresh=False, variable="", pins=False
    )
    recorder.add_event(copy, scope, step, "Trainer")
