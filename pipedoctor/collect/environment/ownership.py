"""Which files two distributions both claim, by their RECORD files."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pipedoctor.collect.environment.metadata import MetadataFolder, read_record
from pipedoctor.facts import Shared
from pipedoctor.facts.packages import HARMLESS_FILE

_RECORD_PATH = re.compile(rb'^(?:"((?:[^"]|"")*)"|([^,\n]*)),', re.MULTILINE)
_IGNORED_PARTS = (b"__pycache__/", b"../")
"""Compiled copies and scripts: every second package writes some of these."""
_BINARY_ENDINGS = (".so", ".pyd", ".dll", ".dylib")
_MAX_TOPS = 32
"""Tops of one RECORD that are looked for one by one."""


def find_shared_files(folders: Sequence[MetadataFolder]) -> Iterator[Shared]:
    """
    Name each pair of distributions of one folder that own a file together.

    Only RECORDs that claim the same top-level name are read line by line, so that a
    thousand distributions that share nothing cost one scan each.
    """
    records = [read_record(metadata) for metadata in folders]
    claims: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    for number, metadata in enumerate(folders):
        for top in _list_tops(records[number]):
            claims[metadata.folder, top].append(number)
    rivals = sorted({n for claim in claims.values() if len(claim) > 1 for n in claim})
    owners: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    for number in rivals:
        for path in _list_paths(records[number]):
            owners[folders[number].folder, path].append(number)
    yield from _group_owners(folders, owners)


def _group_owners(
    folders: Sequence[MetadataFolder], owners: dict[tuple[str, bytes], list[int]]
) -> Iterator[Shared]:
    together: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
    for (_, path), numbers in owners.items():
        if len(numbers) > 1:
            together[tuple(numbers)].append(path)
    for group, raw in together.items():
        paths = [path.decode("utf-8", errors="replace") for path in raw]
        yield Shared(
            owners=tuple(folders[number].name for number in group),
            files=len(paths),
            example=min(paths, key=_example_key),
            code_files=sum(not HARMLESS_FILE.search(path) for path in paths),
        )


def _example_key(path: str) -> tuple[bool, bool, str]:
    """A binary first, then what an import may load."""
    return not path.endswith(_BINARY_ENDINGS), bool(HARMLESS_FILE.search(path)), path


def _list_tops(record: bytes) -> set[bytes]:
    """Folders and modules at the top of site-packages that a RECORD claims."""
    lines = b"\n" + record
    tops: set[bytes] = set()
    at = 0
    while at < len(lines):
        end = lines.find(b"\n", at + 1)
        top = _get_top(lines[at + 1 : end if end >= 0 else len(lines)])
        tops.add(top)
        beyond = _find_block_end(lines, at, top)
        if beyond is None or len(tops) > _MAX_TOPS:
            tops.update(map(_get_top, lines[at:].split(b"\n")))
            break
        at = beyond
    return tops - {b"", b"../", b"__pycache__/"}


def _get_top(line: bytes) -> bytes:
    return line[: line.find(b"/") + 1] or line.partition(b",")[0]


def _find_block_end(lines: bytes, at: int, top: bytes) -> int | None:
    """
    Find where the block of one folder's lines that begins at `at` ends.

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


def _list_paths(record: bytes) -> Iterator[bytes]:
    for quoted, plain in _RECORD_PATH.findall(record):
        path: bytes = quoted or plain
        if not any(part in path for part in _IGNORED_PARTS) and b".dist-info/" not in path:
            yield path
