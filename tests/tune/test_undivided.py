"""A stream that every worker gives again: twice the batches, none of them new."""

import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from pipedoctor.facts import Setting
from pipedoctor.tune.search.probe import TrialRunner
from pipedoctor.tune.search.session import TargetSession

TARGET = Path(__file__).parent / "workloads" / "broken.py"


@pytest.mark.extended
@pytest.mark.slow
def test_its_rate_counts_a_sample_once() -> None:
    two = Setting(num_workers=2, prefetch_factor=2, batch_size=4)
    with TargetSession(f"{TARGET}:undivided") as session:
        session.wait_until_loaded(time.monotonic() + 60)
        bench = TrialRunner(session=session, deadline=time.monotonic() + 60)
        trial = bench.measure(two, 0.5, limit=20)

    assert bench.has_copies
    assert trial.samples_per_second == pytest.approx(4 / trial.batch_seconds / 2)
