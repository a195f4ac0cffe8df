"""
Ranks that differ, told from ranks that few looks make differ.

Looks go round all ranks, so that of each of many there are few. The one that seems to wait
longest of them would be blamed by chance alone.
"""

import math
from collections.abc import Sequence

from msgspec.structs import fields, replace

from pipedoctor.bottleneck.observed_figures import compute_work_share
from pipedoctor.facts import MainShares, Observation

_MIN_DEVIATIONS = 3.0
"""Standard errors that a rank must differ by from the others."""


def pool_similar_ranks(found: Sequence[Observation]) -> list[Observation]:
    """The same ranks; one that does not surely differ from the others has the shares of all."""
    seen = [one for one in found if one.samples]
    pooled: list[Observation] = []
    for one in found:
        others = [other for other in seen if other is not one]
        if not one.samples or not others or _differs(one, others):
            pooled.append(one)
            continue
        everyone = [one, *others]
        whole = sum(o.samples for o in everyone)
        main = replace(_average_shares(everyone), starts=one.main.starts)
        pooled.append(replace(one, main=main, samples=whole))
    return pooled


def compare_with_others(one: Observation, others: Sequence[Observation]) -> Observation:
    """The same rank, with what the others show."""
    from statistics import median  # noqa: PLC0415  (3 ms, and most jobs have one rank)

    return replace(
        one,
        others_wait=median(o.data_wait for o in others),
        others_work=median(compute_work_share(o) for o in others),
    )


def _differs(one: Observation, others: Sequence[Observation]) -> bool:
    """
    Does it wait longer, or shorter, than what so few samples explain?

    Two samples more on either side: of no samples that wait, few prove nothing.
    """
    rest = sum(o.samples for o in others)
    late = sum(o.samples * o.data_wait for o in others)
    both = (one.samples * one.data_wait + late + 2) / (one.samples + rest + 4)
    error = math.sqrt(both * (1 - both) * (1 / one.samples + 1 / rest))
    return abs(one.data_wait - late / rest) > _MIN_DEVIATIONS * error


def _average_shares(ranks: Sequence[Observation]) -> MainShares:
    """Each share, as all samples together show it."""
    whole = sum(one.samples for one in ranks)
    names = {field.name for field in fields(MainShares)} - {"starts"}
    names -= {name for name in names if any(getattr(one.main, name) is None for one in ranks)}
    return replace(
        MainShares(),
        **{
            name: sum(one.samples * getattr(one.main, name) for one in ranks) / whole
            for name in names
        },
    )
