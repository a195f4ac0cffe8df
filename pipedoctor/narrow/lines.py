"""Which lines of a text are new, in bounded time."""

import difflib
from collections.abc import Iterable, Iterator, Sequence

MOST = 2000
"""Lines that are compared one by one; where more differ, all of them count."""


def changed(old: bytes, new: bytes) -> list[int]:
    """
    Numbers of the lines of `new` that are not in `old`, or stand where some went.

    Ends of lines are no difference: git may write them as the platform has them.
    """
    before, after = _lines(old), _lines(new)
    start = _common(zip(before, after, strict=False))
    left = min(len(before), len(after)) - start
    rest = zip(reversed(before), reversed(after), strict=False)
    end = min(left, _common(rest))
    was, now = before[start : len(before) - end], after[start : len(after) - end]
    found = (number + start for number in _between(was, now))
    return [number for number in found if 0 < number <= len(after)]


def moved(numbers: Iterable[int], old: bytes, new: bytes) -> frozenset[int]:
    """
    Where these lines of `old` are in `new`.

    What took the place of several lines stands for them all; a line that was put in
    between stands for none.
    """
    before, after = _lines(old), _lines(new)
    wanted = set(numbers)
    found: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        mine = {number - first for number in wanted if first < number <= last}
        if kind == "equal":
            found |= {begin + offset for offset in mine}
        elif mine:
            found |= set(range(begin + 1, end + 1))
    return frozenset(found)


def _lines(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _common(pairs: Iterator[tuple[bytes, bytes]]) -> int:
    number = 0
    for one, other in pairs:
        if one != other:
            break
        number += 1
    return number


def _between(was: Sequence[bytes], now: Sequence[bytes]) -> list[int]:
    if len(was) > MOST or len(now) > MOST:
        return list(range(1, len(now) + 1))
    found: set[int] = set()
    for kind, _, _, begin, end in difflib.SequenceMatcher(None, was, now).get_opcodes():
        if kind == "delete":  # both lines beside the gap
            found |= {begin, begin + 1}
        elif kind != "equal":
            found |= set(range(begin + 1, end + 1))
    return sorted(found)
