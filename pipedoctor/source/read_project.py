"""One project from bytes to facts; nothing of it is kept but the facts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from msgspec import structs

from pipedoctor.facts.source import Skipped
from pipedoctor.source.assemble import build_facts_of_modules, index_file
from pipedoctor.source.discover import files
from pipedoctor.source.project_reading import ProjectReading
from pipedoctor.source.related_files import select_related_files
from pipedoctor.source.resolve.literal_loader_calls import (
    LiteralLoaderCall,
    loader_calls_in_tree,
    may_call_loader,
)
from pipedoctor.source.syntax.line_fingerprints import fingerprint_lines
from pipedoctor.source.syntax.parse import (
    NotPythonError,
    ParsedFile,
    parse_file,
)
from pipedoctor.source.syntax.scope import Module

PathFormatter = Callable[[str], str]
"""How a path is called in reports."""


_UNFREED_MODULES: list[Module] = []
"""What is left to the end of the process."""


def read_project_facts(
    project: Sequence[files.SourceFile],
    format_path: PathFormatter,
    *,
    deadline: float,
    seconds: float,
    process_ends: bool = False,
) -> ProjectReading:
    """
    Parse and follow what may have to do with loading, as far as time allows.

    `last`: the process ends with it. That gives all memory back at once; node by
    node it takes a tenth of the time.
    """
    texts: list[ParsedFile] = []
    modules: list[Module] = []
    skipped: list[Skipped] = []
    calls: dict[int, list[LiteralLoaderCall]] = {}
    count, whole = 0, True
    for file in select_related_files(project):
        count += 1
        if time.monotonic() > deadline:
            reason = f"not read, nor any file after it: time limit of {seconds:g} s reached"
            skipped.append(Skipped(path=format_path(file.path), reason=reason))
            whole = False
            break
        try:
            text = parse_file(file)
        except NotPythonError as error:
            skipped.append(Skipped(path=format_path(file.path), reason=str(error)))
        else:
            text = replace(text, path=format_path(file.path))
            texts.append(text)
            modules.append(index_file(text))
            if may_call_loader(file.text) and not text.cells:
                calls[id(file)] = list(loader_calls_in_tree("", text.tree))
    facts = build_facts_of_modules(modules, skipped, count, discard_trees=not process_ends)
    if process_ends:
        _UNFREED_MODULES.extend(modules)
    numbered = tuple(
        (n, call) for n, file in enumerate(project) for call in calls.get(id(file), ())
    )
    return ProjectReading(
        structs.replace(facts, marks=fingerprint_lines(facts, texts)), whole, numbered
    )
