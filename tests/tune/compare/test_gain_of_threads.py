"""What threads of BLAS cost, and what fewer of them would save."""

from typing import Any

import pytest
from msgspec import structs

from pipedoctor.check import EPOCH, Counterfactual
from pipedoctor.facts import (
    OneThread,
    Pipeline,
    Spread,
)
from pipedoctor.tune.compare.counterfactual import apply_counterfactual
from pipedoctor.tune.compare.remedy_gain import estimate_epoch, predict_gain
from tests.tune.seen import costs, pipeline, setting, trial


def test_threads_may_have_spun_or_worked() -> None:
    spins = costs(fetch_process=0.06, process=0.06)
    seen = pipeline(trial(2, 0.06, costs=spins), start=setting(2))
    spun, worked = apply_counterfactual(seen, Counterfactual(one_thread=True))
    gain = predict_gain(seen, Counterfactual(one_thread=True))

    assert spun.trials[0].costs is not None
    assert spun.trials[0].costs.fetch_process == pytest.approx(0.02)
    assert worked.trials[0].costs is not None
    assert worked.trials[0].costs.fetch_cpu == pytest.approx(0.06)
    assert gain is not None
    assert gain.low < 0.05
    assert gain.high > 0.4


# --- one thread, where it was measured

RATIO = Spread(value=2.0, low=1.6, high=2.5, windows=4)
BLAS = Counterfactual(one_thread=True, blas=True)


def compared(windows: int = 4) -> OneThread:
    ratio = structs.replace(RATIO, windows=windows)
    return OneThread(
        variables=("OPENBLAS_NUM_THREADS",),
        before=RATIO,
        after=RATIO,
        ratio=ratio,
        cpu_before=0.06,
        cpu_after=0.02,
    )


def spinning(**values: Any) -> Pipeline:
    spins = costs(fetch_process=0.06)
    return pipeline(
        *(trial(n, 0.06, costs=spins) for n in (0, 2)),
        **{"start": setting(2), "threads": compared(), **values},
    )


def test_threads_of_blas_are_priced_by_what_was_measured() -> None:
    gain = predict_gain(spinning(), BLAS)

    assert gain is not None
    assert (gain.basis, gain.unit) == ("measured", EPOCH)
    assert (gain.value, gain.low, gain.high) == (0.5, 1 - 1 / 1.6, 0.6)
    assert gain.seconds == pytest.approx(0.5 * estimate_epoch(spinning(), setting(2)).seconds)


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        pytest.param(spinning(threads=None), BLAS, id="nothing was compared"),
        pytest.param(spinning(threads=compared(2)), BLAS, id="too few windows"),
        pytest.param(spinning(start=setting(0)), BLAS, id="no workers to speak of"),
        pytest.param(spinning(), Counterfactual(one_thread=True), id="of others"),
    ],
)
def test_else_they_have_worked_or_spun(seen: Pipeline, wanted: Counterfactual) -> None:
    gain = predict_gain(seen, wanted)

    assert gain is not None
    assert gain.basis == "modelled"


def test_threads_that_rest_have_nothing_to_save() -> None:
    feeder = costs(fetch_process=0.024, send_cpu=0.004)  # it pickles beside the fetch
    seen = pipeline(*(trial(n, 0.02, costs=feeder) for n in (0, 2)), start=setting(2))

    assert apply_counterfactual(seen, BLAS) == []
    gain = predict_gain(seen, BLAS)
    assert gain is not None
    assert gain.value == 0
