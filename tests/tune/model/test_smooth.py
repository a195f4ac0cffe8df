"""What measured settings say of others."""

import math

import pytest

from pipedoctor.facts import Setting
from pipedoctor.tune.model.smooth import COMMON_ERROR, MeasuredRatio, smooth_ratio
from tests.tune.seen import setting


def seen(workers: int, ratio: float, error: float = 0.0) -> MeasuredRatio:
    return MeasuredRatio(setting=setting(workers), ratio=ratio, error=error)


def at(workers: int, *known: MeasuredRatio, prefetch: int = 2) -> tuple[float, float]:
    return smooth_ratio(known, setting(workers, prefetch))


def test_nothing_known_is_nothing_corrected() -> None:
    assert at(4) == (0.0, COMMON_ERROR)


def test_a_quiet_clock_is_believed_and_a_noisy_one_less() -> None:
    assert at(2, seen(2, 0.1))[0] == pytest.approx(0.1, abs=0.005)
    quiet, loud = seen(1, 0.0), seen(2, 0.3, 0.3)
    assert at(2, quiet, loud)[0] < 0.1
    assert at(2, quiet, seen(2, 0.3))[0] > 0.25


def test_noisy_clocks_together_know_more_than_each() -> None:
    noisy = [seen(n, ratio, 0.2) for n, ratio in ((1, 0.2), (2, -0.2), (8, 0.0))]
    mean, error = at(4, *noisy)
    assert mean == pytest.approx(0.0, abs=0.02)
    assert error < at(4, noisy[2])[1]


def test_near_settings_say_more() -> None:
    known = seen(1, 0.0), seen(8, 0.2)
    means = [at(workers, *known)[0] for workers in (1, 2, 4, 8)]
    assert means == sorted(means)
    errors = [at(workers, *known)[1] for workers in (1, 2, 4, 8)]
    assert min(errors[1:3]) > max(errors[0], errors[3])
    assert at(8, *known, prefetch=8)[1] > errors[3]
    loose = Setting(num_workers=8, prefetch_factor=2, in_order=False, batch_size=16)
    assert smooth_ratio(known, loose)[1] > errors[3]
    assert math.isfinite(at(128, *known)[0])
