"""Which files of a project may have to do with torch, by their bytes alone."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from pipedoctor.source.discover import files
from pipedoctor.source.discover.imported_names import find_imported_names
from pipedoctor.source.syntax.parse import mentions_torch

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
_PLAIN_IMPORTS = (b"\nimport torch", b"\nfrom torch")
"""How nearly all files that import torch say so, near the top."""
_TORCH_IMPORT = re.compile(rb"^\s*(?:import|from)\s+[^\n#]*torch", re.MULTILINE)


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
    if any(words in text for words in _PLAIN_IMPORTS):
        return False
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
