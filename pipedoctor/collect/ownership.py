"""Which files two distributions both claim, by their RECORD files."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipedoctor.facts import Distribution, Shared

_PATH = re.compile(rb'^(?:"((?:[^"]|"")*)"|([^,\n]*)),', re.MULTILINE)
_UNOWNED = (b"__pycache__/", b"../")
"""Compiled copies and scripts: every second package writes some of these."""
_LARGEST = 64 << 20


def shared_files(
    found: Sequence[tuple[Path, Distribution]],
) -> Iterator[Shared]:
    """
    Name each pair of distributions of one folder that own a file together.

    Only RECORDs that claim the same top-level name are read line by line, so that a
    thousand distributions that share nothing cost one scan each.
    """
    records = {metadata: _record(metadata) for metadata, _ in found}
    claims: dict[tuple[Path, bytes], list[int]] = defaultdict(list)
    for number, (metadata, _) in enumerate(found):
        for top in _tops(records[metadata]):
            claims[metadata.parent, top].append(number)
    rivals = sorted({n for claim in claims.values() if len(claim) > 1 for n in claim})
    owners: dict[tuple[Path, bytes], list[int]] = defaultdict(list)
    for number in rivals:
        metadata = found[number][0]
        for path in _paths(records[metadata]):
            owners[metadata.parent, path].append(number)
    yield from _pairs(found, owners)


def _pairs(
    found: Sequence[tuple[Path, Distribution]],
    owners: dict[tuple[Path, bytes], list[int]],
) -> Iterator[Shared]:
    together: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
    for (_, path), numbers in owners.items():
        if len(numbers) > 1:
            together[tuple(numbers)].append(path)
    for group, paths in together.items():
        yield Shared(
            owners=tuple(found[number][1].name for number in group),
            files=len(paths),
            example=min(paths).decode("utf-8", errors="replace"),
        )


def _record(metadata: Path) -> bytes:
    try:
        with (metadata / "RECORD").open("rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _tops(record: bytes) -> Iterator[bytes]:
    """Folders and modules at the top of site-packages that a RECORD claims."""
    lines = record.split(b"\n")
    tops = {line[: line.find(b"/") + 1] or line.partition(b",")[0] for line in lines}
    yield from tops - {b"", b"../", b"__pycache__/"}


def _paths(record: bytes) -> Iterator[bytes]:
    for quoted, plain in _PATH.findall(record):
        path: bytes = quoted or plain
        if not any(part in path for part in _UNOWNED) and b".dist-info/" not in path:
            yield path
