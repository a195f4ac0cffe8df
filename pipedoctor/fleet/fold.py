"""One cause, one row: outliers that follow from another one of the same node."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipedoctor.fleet.causes import SCALING_CAUSES, list_causes
from pipedoctor.fleet.model import Outlier

_MAX_RATIO_ERROR = 0.1
"""Two ratios that differ by less are one."""
_ROLE_ORDER = ("data", "tmp", "scratch", "cache", "home")
"""Of several places on one disk the first is named."""


def fold_outliers(outliers: Iterable[Outlier]) -> list[Outlier]:
    """Without those that another outlier of the same node explains."""
    by_node: dict[str, dict[str, Outlier]] = defaultdict(dict)
    for one in outliers:
        by_node[one.node][one.property] = one
    return [one for found in by_node.values() for one in _fold_node(found)]


def _fold_node(outliers: Mapping[str, Outlier]) -> Iterator[Outlier]:
    for name, one in outliers.items():
        if not (
            _is_explained(name, outliers)
            or _is_scaled(one, outliers)
            or _is_same_disk(one, outliers)
        ):
            yield one


def _is_explained(name: str, outliers: Mapping[str, Outlier]) -> bool:
    """Does one of its causes stand out as well, or one of theirs?"""
    seen = {name}
    open_ = list(list_causes(name))
    while open_:
        cause = open_.pop()
        if cause == "packages.*":
            if any(one.startswith("packages.") for one in outliers):
                return True
            continue
        if cause in outliers and cause not in seen:
            return True
        if cause not in seen:
            seen.add(cause)
            open_ += list_causes(cause)
    return False


def _is_scaled(one: Outlier, outliers: Mapping[str, Outlier]) -> bool:
    ratio = _compute_ratio(one.value, one.majority)
    for cause in SCALING_CAUSES.get(one.property, ()):
        other = outliers.get(cause)
        if other is None or ratio is None:
            continue
        theirs = _compute_ratio(other.value, other.majority)
        if theirs is not None and abs(ratio - theirs) <= _MAX_RATIO_ERROR * theirs:
            return True
    return False


def _compute_ratio(value: Any, usual: Any) -> float | None:
    if isinstance(value, (int, float)) and isinstance(usual, (int, float)) and usual:
        return value / usual
    return None


def _is_same_disk(one: Outlier, outliers: Mapping[str, Outlier]) -> bool:
    """Does a place on the same disk show the same already?"""
    section, _, rest = one.property.partition(".")
    role, _, what = rest.partition(".")
    if section != "paths" or role not in _ROLE_ORDER:
        return False
    before = _ROLE_ORDER[: _ROLE_ORDER.index(role)]
    others = (outliers.get(f"paths.{other}.{what}") for other in before)
    return any(other is not None and other.value == one.value for other in others)
