"""Do numbers of a log rise? Steadily enough, and by enough."""

from collections.abc import Sequence
from itertools import pairwise

_STEEP = 1.3
"""How much what rises must have risen."""


def rising(row: Sequence[float]) -> bool:
    """Hardly ever falls, and ends well above its start."""
    steady = all(b >= 0.98 * a for a, b in pairwise(row))
    return steady and row[-1] >= _STEEP * row[0] > 0


def doubles(row: Sequence[float]) -> bool:
    """Does each tell more than the one before, and the last twice the first?"""
    return row[-1] >= 2 * row[0] > 0 and all(b > a for a, b in pairwise(row))
