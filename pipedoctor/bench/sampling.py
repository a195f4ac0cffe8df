"""Which of many files are measured."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def sample_evenly(names: Sequence[T], count: int) -> list[T]:
    """So many, spread evenly, so that neighbours do not speak for all."""
    if len(names) <= count:
        return list(names)
    return [names[number * len(names) // count] for number in range(count)]
