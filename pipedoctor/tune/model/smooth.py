"""What measured settings say of others: near ones more, noisy ones less."""

import math
from collections.abc import Sequence

import msgspec

from pipedoctor.facts import Setting

LOCAL_ERROR = 0.15
"""How far the simulation may be off from one setting to a distant one (logarithm)."""
COMMON_ERROR = 0.7
"""How far it may be off for all of them."""
DISTANCE_SCALE = 1.0
"""Distance at which they know little of each other: factors of e of the workers."""
_PREFETCH_WEIGHT = 0.3
_ORDER_DISTANCE = 0.5
_MIN_ERROR = 0.01


class MeasuredRatio(msgspec.Struct, frozen=True, kw_only=True):
    """A measured setting: the logarithm of clock over simulation, and its error."""

    setting: Setting
    ratio: float
    error: float


def smooth_ratio(measurements: Sequence[MeasuredRatio], setting: Setting) -> tuple[float, float]:
    """
    The ratio that is to be expected of a setting, and its standard error.

    A Gaussian process: all settings share an error of the model, near ones share more
    of it, and every clock has an error of its own.
    """
    if not measurements:
        return 0.0, COMMON_ERROR
    among = [[_covariance(a.setting, b.setting) for b in measurements] for a in measurements]
    for number, one in enumerate(measurements):
        among[number][number] += max(_MIN_ERROR, one.error) ** 2
    covariances = [_covariance(one.setting, setting) for one in measurements]
    weights = _solve(among, covariances)
    mean = sum(w * one.ratio for w, one in zip(weights, measurements, strict=True))
    known_of_it = sum(w * t for w, t in zip(weights, covariances, strict=True))
    return mean, math.sqrt(max(0.0, COMMON_ERROR**2 + LOCAL_ERROR**2 - known_of_it))


def _covariance(one: Setting, other: Setting) -> float:
    """The covariance of what the simulation does not know of two settings."""
    return float(
        COMMON_ERROR**2 + LOCAL_ERROR**2 * math.exp(-_distance(one, other) / DISTANCE_SCALE)
    )


def _distance(one: Setting, other: Setting) -> float:
    workers = math.log(max(1, one.num_workers) / max(1, other.num_workers))
    queued = math.log((one.prefetch_factor or 2) / (other.prefetch_factor or 2))
    order = _ORDER_DISTANCE * (one.in_order != other.in_order)
    return abs(workers) + _PREFETCH_WEIGHT * abs(queued) + order


def _solve(rows: list[list[float]], right: list[float]) -> list[float]:
    """The solution of equations with a positive definite matrix, by elimination."""
    size = len(rows)
    whole = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for at in range(size):
        for below in range(at + 1, size):
            factor = whole[below][at] / whole[at][at]
            for column in range(at, size + 1):
                whole[below][column] -= factor * whole[at][column]
    solution = [0.0] * size
    for at in reversed(range(size)):
        rest = sum(whole[at][k] * solution[k] for k in range(at + 1, size))
        solution[at] = (whole[at][size] - rest) / whole[at][at]
    return solution
