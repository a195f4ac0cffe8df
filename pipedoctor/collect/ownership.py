"""Which files two distributions both claim, by their RECORD files."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pipedoctor.collect.metadata import LARGE, Metadata, data
from pipedoctor.facts import Shared

_PATH = re.compile(rb'^(?:"((?:[^"]|"")*)"|([^,\n]*)),', re.MULTILINE)
_UNOWNED = (b"__pycache__/", b"../")
"""Compiled copies and scripts: every second package writes some of these."""
_BLOCKS = 32
"""Tops of one RECORD that are looked for one by one."""


def shared_files(found: Sequence[Metadata]) -> Iterator[Shared]:
    """
    Name each pair of distributions of one folder that own a file together.

    Only RECORDs that claim the same top-level name are read line by line, so that a
    thousand distributions that share nothing cost one scan each.
    """
    records = [data(metadata.path("RECORD"), LARGE) for metadata in found]
    claims: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    for number, metadata in enumerate(found):
        for top in _tops(records[number]):
            claims[metadata.folder, top].append(number)
    rivals = sorted({n for claim in claims.values() if len(claim) > 1 for n in claim})
    owners: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    for number in rivals:
        for path in _paths(records[number]):
            owners[found[number].folder, path].append(number)
    yield from _pairs(found, owners)


def _pairs(
    found: Sequence[Metadata], owners: dict[tuple[str, bytes], list[int]]
) -> Iterator[Shared]:
    together: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
    for (_, path), numbers in owners.items():
        if len(numbers) > 1:
            together[tuple(numbers)].append(path)
    for group, paths in together.items():
        yield Shared(
            owners=tuple(found[number].name for number in group),
            files=len(paths),
            example=min(paths).decode("utf-8", errors="replace"),
        )


def _tops(record: bytes) -> set[bytes]:
    """Folders and modules at the top of site-packages that a RECORD claims."""
    lines = b"\n" + record
    tops: set[bytes] = set()
    at = 0
    while at < len(lines):
        end = lines.find(b"\n", at + 1)
        top = _top(lines[at + 1 : end if end >= 0 else len(lines)])
        tops.add(top)
        beyond = _beyond(lines, at, top)
        if beyond is None or len(tops) > _BLOCKS:
            tops.update(map(_top, lines[at:].split(b"\n")))
            break
        at = beyond
    return tops - {b"", b"../", b"__pycache__/"}


def _top(line: bytes) -> bytes:
    return line[: line.find(b"/") + 1] or line.partition(b",")[0]


def _beyond(lines: bytes, at: int, top: bytes) -> int | None:
    """
    Where the lines of one folder that begin at `at` end; None: others lie between.

    Installers sort RECORDs, so that counting does for thousands of lines at once.
    """
    last = at
    if top.endswith(b"/"):
        start = b"\n" + top
        last = lines.rfind(start, at)
        if lines.count(start, at) != lines.count(b"\n", at, last + 1):
            return None
    end = lines.find(b"\n", last + 1)
    return end if end >= 0 else len(lines)


def _paths(record: bytes) -> Iterator[bytes]:
    for quoted, plain in _PATH.findall(record):
        path: bytes = quoted or plain
        if not any(part in path for part in _UNOWNED) and b".dist-info/" not in path:
            yield path
