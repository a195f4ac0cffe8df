"""One project from bytes to facts; nothing of it is kept but the facts."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from msgspec import structs

from pipedoctor.facts import Source
from pipedoctor.facts.source import Skipped
from pipedoctor.source.assemble import build_facts_of_modules, index_file
from pipedoctor.source.discover import files
from pipedoctor.source.discover.imported_names import find_imported_names
from pipedoctor.source.resolve.literal_loader_calls import (
    LiteralLoaderCall,
    loader_calls_in_tree,
    may_call_loader,
)
from pipedoctor.source.syntax.line_fingerprints import fingerprint_lines
from pipedoctor.source.syntax.parse import (
    NotPythonError,
    ParsedFile,
    mentions_torch,
    parse_file,
)
from pipedoctor.source.syntax.scope import Module

PathFormatter = Callable[[str], str]
"""How a path is called in reports."""


_UNFREED_MODULES: list[Module] = []
"""What is left to the end of the process."""


_TRAINING_WORDS = (b".backward(", b"loader", b".cuda(", b"Dataset")
"""What a file says that trains, loads or keeps data without importing torch itself."""


_EPOCH_LOOP = re.compile(rb"^[ \t]*(?:for|while)\b[^\n]*epoch", re.MULTILINE)
"""A script that leaves all else to the project: ``for epoch in range(9): trainer.run(epoch)``."""


_TRAINING_CALL = re.compile(rb"^(?:[\w, ]+= *)?(?:\w+\.)*(?:train|fit)\w*\(", re.MULTILINE)
"""A script of settings: ``scores = model.train_network(PATH, RATE)`` in the file itself."""


_OTHER_NAMES = (b"paddle", b"mindspore", b"oneflow", b"jittor", b"mxnet")
_OTHER_FRAMEWORKS = re.compile(
    rb"^\s*(?:import|from)\s+(?:%s)\b" % b"|".join(_OTHER_NAMES), re.MULTILINE
)
_TORCH_IMPORT = re.compile(rb"^\s*(?:import|from)\s+[^\n#]*torch", re.MULTILINE)


class ProjectReading(NamedTuple):
    """What is known of a project, and whether that is all of it."""

    facts: Source
    complete: bool
    calls: tuple[tuple[int, LiteralLoaderCall], ...] = ()
    """Of DataLoader, with the number of the file in the project instead of its path."""


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


def select_related_files(
    project: Sequence[files.SourceFile],
) -> Iterator[files.SourceFile]:
    """Files with a trace of torch, those that they import, and loops that import those."""
    later: list[tuple[str, files.SourceFile]] = []
    named: set[str] = set()
    stems: set[str] = set()
    for file in project:
        if _is_of_other_framework(file.text):
            continue
        if mentions_torch(file.text):
            named |= find_imported_names(file.text)
            stems.add(_import_stem(file.path))
            yield file
        elif file.path.endswith(".py"):
            later.append((_import_stem(file.path), file))
    grown = True
    while grown:
        grown = False
        left: list[tuple[str, files.SourceFile]] = []
        for stem, file in later:
            if stem in named or _trains_with(file.text, stems):
                named |= find_imported_names(file.text)
                stems.add(stem)
                grown = True
                yield file
            else:
                left.append((stem, file))
        later = left


def _is_of_other_framework(text: bytes) -> bool:
    """Does it import a framework that has DataLoader and Dataset of its own, and no torch?"""
    named = any(name in text for name in _OTHER_NAMES)
    imported = named and _OTHER_FRAMEWORKS.search(text) is not None
    return imported and _TORCH_IMPORT.search(text) is None


def _trains_with(text: bytes, stems: set[str]) -> bool:
    """Does it use what another file of the project makes, in words of training alone?"""
    patterns = (_EPOCH_LOOP, _TRAINING_CALL)
    trains = any(word in text for word in _TRAINING_WORDS) or any(
        one.search(text) for one in patterns
    )
    return trains and bool(find_imported_names(text) & stems)


def _import_stem(path: str) -> str:
    name = PurePath(path)
    return name.parent.name if name.stem == "__init__" else name.stem
