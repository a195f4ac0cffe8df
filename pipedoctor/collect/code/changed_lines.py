"""Which lines of a text are new, in bounded time."""

import difflib
from collections.abc import Iterable, Iterator, Sequence

MAX_COMPARED_LINES = 2000
"""Lines that are compared one by one; where more differ, all of them count."""


def find_changed_lines(old: bytes, new: bytes) -> list[int]:
    """
    Number the lines of `new` that are not in `old` or that border a deletion.

    Ends of lines are no difference: git may write them as the platform has them.
    """
    before, after = _split_lines(old), _split_lines(new)
    start = _count_common(zip(before, after, strict=False))
    left = min(len(before), len(after)) - start
    rest = zip(reversed(before), reversed(after), strict=False)
    end = min(left, _count_common(rest))
    was, now = before[start : len(before) - end], after[start : len(after) - end]
    found = (number + start for number in _diff_lines(was, now))
    return [number for number in found if 0 < number <= len(after)]


def map_lines(numbers: Iterable[int], old: bytes, new: bytes) -> frozenset[int]:
    """
    Return the numbers that these lines of `old` have in `new`.

    What took the place of several lines stands for them all; a line that was put in
    between stands for none.
    """
    before, after = _split_lines(old), _split_lines(new)
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


def _split_lines(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _count_common(pairs: Iterator[tuple[bytes, bytes]]) -> int:
    number = 0
    for one, other in pairs:
        if one != other:
            break
        number += 1
    return number


def _diff_lines(before: Sequence[bytes], after: Sequence[bytes]) -> list[int]:
    if len(before) > MAX_COMPARED_LINES or len(after) > MAX_COMPARED_LINES:
        return list(range(1, len(after) + 1))
    found: set[int] = set()
    for kind, _, _, begin, end in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if kind == "delete":  # both lines beside the gap
            found |= {begin, begin + 1}
        elif kind != "equal":
            found |= set(range(begin + 1, end + 1))
    return sorted(found)
