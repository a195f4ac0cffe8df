"""Where a file starts workers as it is run or imported, outside of a main guard."""

import ast
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from pipedoctor.source.detect.loader.reuse import list_entering_calls
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.syntax.context import CodeStep
from pipedoctor.source.syntax.main_guards import is_main_guarded
from pipedoctor.source.syntax.scope import CodeScope, Module

_FITTING_METHODS = ("fit", "validate", "test", "predict")


class ImportStep(NamedTuple):
    """What a file does when it is imported, and which file."""

    module: Module
    step: CodeStep


def find_unguarded_start(
    recorder: EventRecorder, index: int, loader: ResolvedLoaderCall
) -> ImportStep | None:
    """
    Where a file as it is run or imported, outside a main guard, iterates it.

    That is one that has part in it, or else a script that calls what does all of it.
    """
    fed = {one.at.path for one in recorder.loops if index in one.loaders}
    makers = {one.scope.module for one in (loader.site, *loader.through)}
    script: ImportStep | None = None
    for begun in _find_fits(recorder, index):
        return begun
    starts = ((m, _find_starts_in(recorder, m, index)) for m in recorder.project.modules_at(fed))
    for module, steps in chain(starts, _find_samples(recorder, index)):
        for begun in steps:
            if begun.module is module or begun.module in makers:
                return begun
            script = script or (begun if _is_script(recorder, begun.module) else None)
    return script


def _find_samples(
    recorder: EventRecorder, index: int
) -> Iterator[tuple[Module, Iterator[ImportStep]]]:
    """``next(iter(loader))``, which starts the workers as a loop does."""
    for site in recorder.project.find_call_sites("iter"):
        given = site.node.args[:1]
        if given and index in recorder.loader_flow.find_loaders(given[0], site.scope):
            steps = _find_import_steps(recorder, site.scope, site.step, 4)
            yield site.scope.module, steps


def _find_fits(recorder: EventRecorder, index: int) -> Iterator[ImportStep]:
    """``trainer.fit(net, loader)`` of Lightning, which iterates what it is given."""
    for name in _FITTING_METHODS:
        for site in recorder.project.find_call_sites(name):
            given = (*site.node.args, *(word.value for word in site.node.keywords))
            if not site.scope.module.imports_any(("lightning", "pytorch_lightning")):
                continue
            if any(index in recorder.loader_flow.find_loaders(one, site.scope) for one in given):
                yield from _find_import_steps(recorder, site.scope, site.step, 4)


def _is_script(recorder: EventRecorder, module: Module) -> bool:
    """Does no other file import it, and is it no test?"""
    if module.is_test or module.path.endswith("__init__.py"):
        return False
    names = recorder.project.imported_full_names
    return not any(f"{name}.".startswith(f"{module.name}.") for name in names)


def _find_starts_in(recorder: EventRecorder, module: Module, index: int) -> Iterator[ImportStep]:
    for scope in module.scopes:
        for kind in (ast.For, ast.AsyncFor, ast.While):
            for step in scope.steps_by_type.get(kind, []):
                number = recorder.loop_indices.get(id(step.node))
                if number is not None and index in recorder.loops[number].loaders:
                    yield from _find_import_steps(recorder, scope, step, 4)


def _find_import_steps(
    recorder: EventRecorder, scope: CodeScope, step: CodeStep, depth: int
) -> Iterator[ImportStep]:
    """What stands in modules themselves, outside of a main guard, and comes to this."""
    if is_main_guarded(step.context):
        return
    if scope.is_module_body:
        if not scope.module.file.cells:
            yield ImportStep(scope.module, step)
        return
    key = (id(scope), depth)
    if key not in recorder.import_steps:
        found = dict(_find_importing_calls(recorder, scope, depth))
        recorder.import_steps[key] = list(found.items())
    yield from (ImportStep(*one) for one in recorder.import_steps[key])


def _find_importing_calls(
    recorder: EventRecorder, scope: CodeScope, depth: int
) -> Iterator[ImportStep]:
    """The same for a function, by its calls."""
    for site in list_entering_calls(recorder, scope) if depth > 0 else ():
        if site.scope is not scope:
            yield from _find_import_steps(recorder, site.scope, site.step, depth - 1)
