"""The mounts that the examined process sees: mountinfo alone, which never hangs."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Mount

_ESCAPED = re.compile(r"\\([0-7]{3})")
_OWN = 5
"""proc(5): the mount's own options are the sixth field before the dash,"""
_SOURCE = 1
"""and its source is the second behind it."""
_OUTSIDE = -1
"""Stands for any parent that the examined process does not see."""


class _Row(msgspec.Struct, frozen=True):
    number: int
    parent: int
    mount: Mount


def mounts(machine: Machine) -> list[Mount]:
    """
    Every mount that a path can reach, in the order of mountinfo.

    Those that lie hidden under a later one are left out. Empty where the examined
    process has no readable mountinfo; `Unreadable` is never raised.
    """
    rows = list(_rows(machine.process / "mountinfo"))
    children: dict[int, dict[str, _Row]] = {}
    numbers = {row.number for row in rows}
    for row in rows:
        parent = row.parent if row.parent in numbers - {row.number} else _OUTSIDE
        children.setdefault(parent, {})[row.mount.point] = row
    seen = {row.number for row in _reachable(children)}
    return [row.mount for row in rows if row.number in seen]


def mount_of(path: str, mounts: Sequence[Mount]) -> Mount | None:
    """The mount that an absolute path without symbolic links lies on; no I/O."""
    known = {mount.point: mount for mount in mounts}
    return next((known[up] for up in _upward(legible(path)) if up in known), None)


def legible(path: str) -> str:
    r"""Any file name as text one can encode: bytes that are no UTF-8 as ``\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _rows(file: Path) -> Iterator[_Row]:
    try:
        text = file.read_bytes().decode("utf-8", "backslashreplace")
    except OSError:
        return
    for line in text.split("\n"):
        front, dash, back = line.partition(" - ")
        head, tail = front.split(" "), back.split(" ")
        whole = dash and len(head) > _OWN and len(tail) > _SOURCE
        if whole and head[0].isdecimal() and head[1].isdecimal():
            yield _Row(int(head[0]), int(head[1]), _mount(head, tail))


def _mount(head: list[str], tail: list[str]) -> Mount:
    """
    Join one line's fields; its own options come before the file system's.

    Either side may say ``ro``; then ``rw`` of the other side means nothing.
    """
    own, shared = head[_OWN], ",".join(tail[_SOURCE + 1 :])
    options = dict.fromkeys(o for o in f"{own},{shared}".split(",") if o)
    if "ro" in options:
        options.pop("rw", None)
    return Mount(
        point=_plain(head[4]),
        fstype=_plain(tail[0]),
        source=_plain(tail[_SOURCE]),
        options=tuple(map(_plain, options)),
        device=head[2],
        root=_plain(head[3]),
    )


def _plain(field: str) -> str:
    r"""Undo the kernel's octal escapes: a space is written ``\040``."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), field)


def _reachable(children: dict[int, dict[str, _Row]]) -> Iterator[_Row]:
    """
    Walk down from the root; a mount at or above a sibling's point hides it.

    A child at its parent's own point covers the parent whole.
    """
    below = [_OUTSIDE]
    while below:
        siblings = children.pop(below.pop(), {})
        for point, row in siblings.items():
            above = list(_upward(point))[1:]
            if any(up in siblings for up in above if up != point):
                continue
            below.append(row.number)
            if point not in children.get(row.number, {}):
                yield row


def _upward(path: str) -> Iterator[str]:
    """The path, its parent, and so on up to the root."""
    path = "/" + path.strip("/")
    yield path
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
