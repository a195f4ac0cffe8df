"""From the model of a project to facts: loaders, what they load and what they feed."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from pipedoctor.facts.source import (
    Skipped,
    Source,
)
from pipedoctor.source.detect.dataset.dataset_state import record_dataset_state
from pipedoctor.source.detect.item.images import record_images
from pipedoctor.source.detect.item.item_effects import record_item_events
from pipedoctor.source.detect.loader.loops import find_loops
from pipedoctor.source.detect.program.anomalies import record_anomaly_detection
from pipedoctor.source.detect.program.module_level import record_module_events
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batches import record_loop_events
from pipedoctor.source.discover.merge import event_sort_key
from pipedoctor.source.loader_facts import build_loader_fact
from pipedoctor.source.resolve.ignore_comments import find_ignore_comments
from pipedoctor.source.resolve.loader_calls import ResolvedLoaderCall
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.index import index_module
from pipedoctor.source.syntax.parse import ParsedFile
from pipedoctor.source.syntax.scope import (
    Module,
)
from pipedoctor.source.syntax.source_text import SourceText

Detector: TypeAlias = Callable[[EventRecorder], None]
DETECTORS: tuple[Detector, ...] = (
    record_item_events,
    record_dataset_state,
    record_loop_events,
    record_images,
    record_module_events,
    record_anomaly_detection,
)
"""They run in whatever order, and find the same: none rests on what another has asked."""


def build_facts(
    parsed_files: Sequence[ParsedFile], skipped_files: Iterable[Skipped] = (), files: int = 0
) -> Source:
    """Make the facts of all files of a project."""
    return build_facts_of_modules([index_file(text) for text in parsed_files], skipped_files, files)


def build_facts_of_modules(
    modules: Sequence[Module],
    skipped_files: Iterable[Skipped] = (),
    files: int = 0,
    *,
    discard_trees: bool = True,
    source_texts: dict[int, SourceText] | None = None,
    detectors: Sequence[Detector] = DETECTORS,
) -> Source:
    """
    Make the facts of all files of a project that are taken apart; they forget.

    Unless they are to stay: then each lets go only of what others have told it. With
    them may stay `pens`, which know their texts, by the identities of modules.
    """
    recorder = EventRecorder(Project(modules), source_texts)
    find_loops(recorder)
    for detect in detectors:
        detect(recorder)
    calls = enumerate(_resolved_loaders(recorder))
    loaders = [build_loader_fact(recorder, n, call) for n, call in calls]
    facts = Source(
        files=files or len(modules),
        parsed=len(modules),
        skipped=tuple(skipped_files),
        loaders=tuple(loaders),
        loops=tuple(recorder.loops),
        datasets=len(recorder.call_graph.datasets),
        events=tuple(sorted(recorder.events, key=event_sort_key)),
        traits=tuple(sorted(recorder.traits)),
        ignores=tuple(one for module in modules for one in find_ignore_comments(module)),
    )
    if discard_trees:
        recorder.loader_flow.evaluator.discard()
    for module in modules:
        module.discard_tree() if discard_trees else module.resolved_names.clear()
    return facts


def index_file(text: ParsedFile) -> Module:
    """
    Index a parsed file under its module name.

    Classes, functions and the steps in them.
    """
    name, package = _derive_module_name(text.path)
    return index_module(text, name, package=package)


def _resolved_loaders(recorder: EventRecorder) -> list[ResolvedLoaderCall]:
    return recorder.loader_calls.calls


def _derive_module_name(path: str) -> tuple[str, bool]:
    """
    Give the dotted name of a file when it is imported, and whether it is a package.

    From the outermost folder of PATHS on: whoever imports it by a shorter name
    finds it by the end of the long one.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    last = parts[-1].rpartition(".")[0] if parts else ""
    package = last == "__init__"
    names = parts[:-1] if package else [*parts[:-1], last]
    return ".".join(names) or "__main__", package
