"""Functions that were followed already, for what they were given and under which conditions."""

from collections.abc import Hashable, Iterable
from typing import TypeAlias

from pipedoctor.source.syntax.context import GuardCondition

_MAX_VISITS = 3
"""Of one function that is given the same, under conditions that do not imply each other."""
_Conditions: TypeAlias = frozenset[tuple[int, bool]]


class VisitedFunctions:
    """What functions return, by what they are given; a call that needs less is followed again."""

    def __init__(self) -> None:
        self._kinds: dict[Hashable, frozenset[str]] = {}
        self._conditions: dict[Hashable, list[_Conditions]] = {}

    def recall(self, key: Hashable, guards: Iterable[GuardCondition]) -> frozenset[str] | None:
        """What it returns, if it was followed wherever these conditions hold."""
        seen = self._conditions.get(key)
        if seen is None:
            return None
        mine = _identify(guards)
        known = len(seen) >= _MAX_VISITS or any(one <= mine for one in seen)
        return self._kinds[key] if known else None

    def begin(self, key: Hashable, guards: Iterable[GuardCondition]) -> None:
        """Note that it is followed: where it calls itself, nothing is known of the result."""
        self._conditions.setdefault(key, []).append(_identify(guards))
        self._kinds.setdefault(key, frozenset())

    def end(self, key: Hashable, kinds: frozenset[str]) -> frozenset[str]:
        """Keep what it returns."""
        self._kinds[key] = kinds
        return kinds


def _identify(guards: Iterable[GuardCondition]) -> _Conditions:
    return frozenset((id(one.test), one.holds) for one in guards)
