"""How many workers would be best, by what was watched."""

from typing import Any

import pytest

from pipedoctor.facts import Observation, Pipeline, Setting
from pipedoctor.tune.model.predict import Prediction, ThroughputModel
from pipedoctor.watch.observation.forecast import forecast_best
from tests.tune.seen import costs, pipeline, setting, trial

BUSY = costs(fetch_wall=0.02, fetch_cpu=0.02)
"""Workers that compute: two CPUs have no more to give than two of them."""
ASLEEP = costs(fetch_wall=0.2, fetch_cpu=0.001, fetch_process=0.001)


def watched(workers: int, **values: Any) -> Pipeline:
    seen = Observation(seconds=9.0, samples=100)
    return pipeline(trial(workers, **values), start=setting(workers), observed=seen)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of workers that are simulated."""
    numbers: list[int] = []
    predict = ThroughputModel.predict

    def note(self: ThroughputModel, one: Setting) -> Prediction:
        numbers.append(one.num_workers)
        return predict(self, one)

    monkeypatch.setattr(ThroughputModel, "predict", note)
    return numbers


def test_more_workers_are_tried_until_they_help_no_more(asked: list[int]) -> None:
    full = forecast_best(watched(2, seconds=0.01, costs=BUSY), room=None)

    assert full.best is None
    assert asked == [1, 2, 3]


def test_workers_that_wait_get_company(asked: list[int]) -> None:
    asleep = forecast_best(watched(2, seconds=0.1, costs=ASLEEP), room=None)

    assert asleep.best is not None
    assert asleep.best.num_workers == max(asked) == 8
