"""Lists of hosts as Slurm writes them: ``h100-[0001-0016,20]-ib[0-1],login1``."""

import re
from collections.abc import Iterable, Iterator, Sequence

MAX_NAMES = 1_000_000
"""Names of the largest list that is spelled out."""
_NUMBERED_NAME = re.compile(r"([A-Za-z0-9._-]*[A-Za-z._-])([0-9]{1,9})")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?(?:/([0-9]+))?")


class HostlistError(ValueError):
    """A text is no list of hosts; the message shows where."""


def expand_hostlist(text: str) -> list[str]:
    """Every name once, in order; raises HostlistError."""
    names: dict[str, None] = {}
    for part in _split_parts(text):
        for name in _expand_part(part):
            names[name] = None
            if len(names) > MAX_NAMES:
                message = f"{part!r}: more than {MAX_NAMES:,} names"
                raise HostlistError(message)
    return list(names)


def _split_parts(text: str) -> Iterator[str]:
    """Split at commas and blanks that are in no brackets."""
    part, depth = "", 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if depth not in {0, 1}:
            message = f"{text[:60]!r}: brackets do not match"
            raise HostlistError(message)
        if not depth and (letter == "," or letter.isspace()):
            if part:
                yield part
            part = ""
        else:
            part += letter
    if depth:
        message = f"{text[:60]!r}: brackets do not match"
        raise HostlistError(message)
    if part:
        yield part


def _expand_part(part: str) -> Iterator[str]:
    """The rightmost bracket counts fastest, as in Slurm."""
    before, bracket, rest = part.partition("[")
    if not bracket:
        yield before
        return
    inside, _, after = rest.partition("]")
    tails = list(_expand_part(after))
    for number in _expand_numbers(inside, part):
        for tail in tails:
            yield f"{before}{number}{tail}"


def _expand_numbers(inside: str, part: str) -> Iterator[str]:
    for piece in inside.split(","):
        match = _RANGE.fullmatch(piece.strip())
        if match is None:
            message = f"{part!r}: expected [001-016,20], got [{inside}]"
            raise HostlistError(message)
        first, last, step = match[1], match[2] or match[1], int(match[3] or 1)
        if int(last) < int(first) or not step:
            message = f"{part!r}: {piece.strip()} counts backwards"
            raise HostlistError(message)
        if (int(last) - int(first)) // step >= MAX_NAMES:
            message = f"{part!r}: more than {MAX_NAMES:,} names"
            raise HostlistError(message)
        width = len(first) if first.startswith("0") or len(first) == len(last) else 0
        for number in range(int(first), int(last) + 1, step):
            yield str(number).zfill(width)


def compress_hostlist(names: Iterable[str]) -> str:
    """The same names in short: ``h100-[0001-0016,0020]``; odd ones stay whole."""
    stems: dict[tuple[str, int], list[int]] = {}
    for name in dict.fromkeys(names):
        match = _NUMBERED_NAME.fullmatch(name)
        key, number = ((match[1], len(match[2])), int(match[2])) if match else ((name, 0), 0)
        stems.setdefault(key, []).append(number)
    return ",".join(_render_stem(*key, sorted(stems[key])) for key in sorted(stems))


def _render_stem(stem: str, width: int, numbers: Sequence[int]) -> str:
    if not width:
        return stem
    ranges = list(_list_ranges(numbers, width))
    single = len(numbers) == 1
    return f"{stem}{ranges[0]}" if single else f"{stem}[{','.join(ranges)}]"


def _list_ranges(numbers: Sequence[int], width: int) -> Iterator[str]:
    first = last = numbers[0]
    for number in [*numbers[1:], None]:
        if number is not None and number == last + 1:
            last = number
            continue
        begin, end = str(first).zfill(width), str(last).zfill(width)
        yield begin if first == last else f"{begin}-{end}"
        if number is not None:
            first = last = number
