"""Of three and more sides: which differs from the majority, and which most often."""

from collections import Counter
from collections.abc import Sequence

from pipedoctor.diff.absent import UNKNOWN
from pipedoctor.diff.equality import is_equivalent
from pipedoctor.diff.model import Difference, OutlierSide

_MIN_SIDES = 3
"""Sides of which two can be a majority."""


def find_outliers(values: Sequence[object], near: float = 0.0) -> tuple[int, ...]:
    """
    Sides whose value is not that of the majority; none where there is no majority.

    Of two sides, and of three that all differ, nobody can say who is right.
    """
    kinds: list[object] = []
    places: list[int | None] = []
    for value in values:
        if value is UNKNOWN:
            places.append(None)
            continue
        place = next((i for i, k in enumerate(kinds) if is_equivalent(value, k, near)), None)
        if place is None:
            kinds.append(value)
        places.append(len(kinds) - 1 if place is None else place)
    known_places = [place for place in places if place is not None]
    if len(known_places) < _MIN_SIDES:
        return ()
    usual, most = Counter(known_places).most_common(1)[0]
    if 2 * most <= len(known_places):
        return ()
    return tuple(side for side, at in enumerate(places) if at is not None and at != usual)


def find_outlier_side(differences: Sequence[Difference]) -> OutlierSide | None:
    """
    The side that alone differs from the majority most often.

    None: there is none, or several.
    """
    alone = Counter(one.apart[0] for one in differences if len(one.apart) == 1)
    top = alone.most_common(2)
    if not top or (len(top) > 1 and top[0][1] == top[1][1]):
        return None
    return OutlierSide(side=top[0][0], alone_in=top[0][1], of=len(differences))
