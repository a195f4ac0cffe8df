"""A first step that initializes the GPU takes nothing from the window that is measured."""

import pytest

pytest.importorskip("torch")

from pipedoctor.facts import Setting
from pipedoctor.tune.target.messages import TrialRequest
from pipedoctor.tune.target.window_statistics import compute_grace


@pytest.mark.parametrize(
    ("first_step", "patience", "grace"),
    [
        pytest.param(3.0, 14.0, 3.0, id="all of it"),
        pytest.param(30.0, 14.0, 9.5, id="as far as the host waits"),
        pytest.param(3.0, 4.5, 0.0, id="the time is nearly over"),
        pytest.param(3.0, 1.0, 0.0, id="it is over"),
    ],
)
def test_limits_move_by_the_first_step(first_step: float, patience: float, grace: float) -> None:
    setting = Setting(num_workers=2, prefetch_factor=2, batch_size=8)
    request = TrialRequest(setting=setting, seconds=1.0, limit=4.0, patience=patience)

    assert compute_grace(request, first_step) == grace
