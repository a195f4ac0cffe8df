"""The mounts that the examined process sees: mountinfo alone, which never hangs."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Mount
from pipedoctor.runtime import regular_file

_OCTAL_ESCAPE = re.compile(r"\\([0-7]{3})")
_OPTIONS_FIELD = 5
"""proc(5): the mount's own options are the sixth field before the dash,"""
_SOURCE_FIELD = 1
"""and its source is the second behind it."""
_UNSEEN_PARENT = -1
"""Stands for any parent that the examined process does not see."""
_MAX_TABLE_BYTES = 64 << 20


class _MountRow(msgspec.Struct, frozen=True):
    number: int
    parent: int
    mount: Mount


def mounts(machine: Machine) -> list[Mount]:
    """
    Every mount that a path can reach, in the order of mountinfo.

    Those that lie hidden under a later one are left out. Empty where the examined
    process has no readable mountinfo; `UnreadableError` is never raised.
    """
    rows = list(_read_rows(machine.process / "mountinfo"))
    children: dict[int, dict[str, _MountRow]] = {}
    numbers = {row.number for row in rows}
    for row in rows:
        parent = row.parent if row.parent in numbers - {row.number} else _UNSEEN_PARENT
        children.setdefault(parent, {})[row.mount.point] = row
    seen = {row.number for row in _iter_reachable(children)}
    return [row.mount for row in rows if row.number in seen]


def find_mount(path: str, mounts: Sequence[Mount]) -> Mount | None:
    """The mount that an absolute path without symbolic links lies on; no I/O."""
    known = {mount.point: mount for mount in mounts}
    return next((known[up] for up in _iter_parents(escape_path(path)) if up in known), None)


def escape_path(path: str) -> str:
    r"""Return a file name as encodable text; bytes that are not UTF-8 as ``\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _read_rows(file: Path) -> Iterator[_MountRow]:
    try:
        text = regular_file.read_start(file, _MAX_TABLE_BYTES).decode("utf-8", "backslashreplace")
    except OSError:
        return
    for line in text.split("\n"):
        front, dash, back = line.partition(" - ")
        head, tail = front.split(" "), back.split(" ")
        whole = dash and len(head) > _OPTIONS_FIELD and len(tail) > _SOURCE_FIELD
        if whole and head[0].isdecimal() and head[1].isdecimal():
            yield _MountRow(int(head[0]), int(head[1]), _parse_mount(head, tail))


def _parse_mount(head: list[str], tail: list[str]) -> Mount:
    """
    Join one line's fields; its own options come before the file system's.

    Either side may say ``ro``; then ``rw`` of the other side means nothing.
    """
    own, shared = head[_OPTIONS_FIELD], ",".join(tail[_SOURCE_FIELD + 1 :])
    options = dict.fromkeys(o for o in f"{own},{shared}".split(",") if o)
    if "ro" in options:
        options.pop("rw", None)
    return Mount(
        point=_unescape(head[4]),
        fstype=_unescape(tail[0]),
        source=_unescape(tail[_SOURCE_FIELD]),
        options=tuple(map(_unescape, options)),
        device=head[2],
        root=_unescape(head[3]),
    )


def _unescape(field: str) -> str:
    r"""Undo the kernel's octal escapes: a space is written ``\040``."""
    return _OCTAL_ESCAPE.sub(lambda match: chr(int(match[1], 8)), field)


def _iter_reachable(children: dict[int, dict[str, _MountRow]]) -> Iterator[_MountRow]:
    """
    Walk down from the root; a mount at or above a sibling's point hides it.

    A child at its parent's own point covers the parent whole.
    """
    below = [_UNSEEN_PARENT]
    while below:
        siblings = children.pop(below.pop(), {})
        for point, row in siblings.items():
            above = list(_iter_parents(point))[1:]
            if any(up in siblings for up in above if up != point):
                continue
            below.append(row.number)
            if point not in children.get(row.number, {}):
                yield row


def _iter_parents(path: str) -> Iterator[str]:
    """The path, its parent, and so on up to the root."""
    path = "/" + path.strip("/")
    yield path
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
