"""Do numbers of a log rise? Steadily enough, and by enough."""

from collections.abc import Sequence
from itertools import pairwise

_MIN_RISE = 1.3
"""How much what rises must have risen."""


def is_rising(row: Sequence[float]) -> bool:
    """Do the numbers hardly ever fall, and end well above their start?"""
    steady = all(b >= 0.98 * a for a, b in pairwise(row))
    return steady and row[-1] >= _MIN_RISE * row[0] > 0


def is_doubling(row: Sequence[float]) -> bool:
    """Does each tell more than the one before, and the last twice the first?"""
    return row[-1] >= 2 * row[0] > 0 and all(b > a for a, b in pairwise(row))
