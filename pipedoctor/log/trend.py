"""Do numbers of a log rise? Steadily enough, and by enough."""

import re
from collections.abc import Sequence
from itertools import pairwise

_MIN_RISE = 1.3
"""How much what rises must have risen."""

FEW_POINTS = 3
"""Numbers that are hardly a row: the last must be twice the first."""


def is_rising(row: Sequence[float]) -> bool:
    """Do the numbers hardly ever fall, and end well above their start?"""
    steady = all(b >= 0.98 * a for a, b in pairwise(row))
    return steady and row[-1] >= _MIN_RISE * row[0] > 0


def is_doubling(row: Sequence[float]) -> bool:
    """Does each tell more than the one before, and the last twice the first?"""
    return row[-1] >= 2 * row[0] > 0 and all(b > a for a, b in pairwise(row))


def has_rising_numbers(text: str) -> bool:
    """Do the numbers rise? Of sizes and steps the sizes; three of them must double."""
    sizes = re.findall(r"(\d+(?:\.\d+)?) ?[KMGT]i?B", text)
    row = [float(n) for n in sizes or re.findall(r"\d+(?:\.\d+)?", text)]
    few = len(row) == FEW_POINTS and row[-1] >= 2 * row[0]
    return (few or len(row) > FEW_POINTS) and is_rising(row)
