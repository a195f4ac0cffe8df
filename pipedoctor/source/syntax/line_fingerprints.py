"""Know a line of code again after it has moved, without keeping what it says."""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipedoctor.facts.source import Source, Spot
from pipedoctor.facts.source_marks import Mark
from pipedoctor.source.syntax.parse import ParsedFile

FINGERPRINT_DIGITS = 16
"""Hexadecimal digits of a hash: among a million lines no two will share one."""
_LITERAL = re.compile(rb"\"[^\"]*\"|'[^']*'")
_COMMENT = re.compile(rb"#.*")


def fingerprint_lines(facts: Source, texts: Sequence[ParsedFile]) -> tuple[Mark, ...]:
    """One for each line that a finding may name, in the order of files and lines."""
    by_path = {text.path: text for text in texts}
    names: dict[str, str] = {}
    roots: dict[str, str] = {}
    found: list[Mark] = []
    for path, cell, line in sorted({(s.path, s.cell, s.line) for s in _finding_spots(facts)}):
        text = by_path.get(path)
        if text is None:
            continue
        name = names.get(path)
        if name is None:
            name = names[path] = _path_in_repository(path, roots)
        digest_input = fingerprint_line(name, _get_line(text, cell, line))
        found.append(Mark(path=path, line=line, cell=cell, print=digest_input))
    return tuple(found)


def fingerprint_line(name: str, line: bytes) -> str:
    """Hash a line without its blanks, its comment and what its strings hold."""
    bare = _COMMENT.sub(b"", _LITERAL.sub(b"''", line))
    digest_input = name.encode(errors="surrogateescape") + b"\0" + b"".join(bare.split())
    return hashlib.sha256(digest_input).hexdigest()[:FINGERPRINT_DIGITS]


def _get_line(text: ParsedFile, cell: int, line: int) -> bytes:
    first = next((c.first_line for c in text.cells if c.number == cell), 1)
    index = first + line - 2
    return text.lines[index] if 0 <= index < len(text.lines) else b""


def _path_in_repository(path: str, roots: dict[str, str]) -> str:
    """From where its repository begins, wherever this is run; else as it is shown."""
    full = os.path.abspath(path)  # noqa: PTH100  (links stay as they are named)
    if not os.path.exists(full):  # noqa: PTH110
        return path
    root = find_repository(os.path.dirname(full), roots)  # noqa: PTH120
    return Path(full).relative_to(root).as_posix() if root else path


def find_repository(folder: str, roots: dict[str, str]) -> str:
    """Find the root of the repository around a folder; nothing where there is none."""
    if folder not in roots and not os.path.isabs(folder):  # noqa: PTH117
        roots[folder] = find_repository(os.path.abspath(folder), roots)  # noqa: PTH100
    if folder not in roots:
        above = os.path.dirname(folder)  # noqa: PTH120
        if os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            roots[folder] = folder
        else:
            roots[folder] = find_repository(above, roots) if above != folder else ""
    return roots[folder]


def _finding_spots(facts: Source) -> Iterator[Spot]:
    for loader in facts.loaders:
        yield loader.at
        yield from (given.at for given in loader.arguments.values() if given.at)
        if loader.dataset and loader.dataset.at:
            yield loader.dataset.at
    yield from (loop.at for loop in facts.loops)
    yield from (event.at for event in facts.events)
    yield from (ignore.at for ignore in facts.ignores)
