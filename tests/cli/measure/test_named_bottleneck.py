"""`check --measure` of one named bottleneck: measured before it is judged."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.fix import command as fix
from pipedoctor.facts import Shares
from pipedoctor.tune.compare import paired
from tests.cli.measure.conftest import run
from tests.tune.seen import costs, pipeline, setting, trial, window


def measured(monkeypatch: pytest.MonkeyPatch, foreign: float = 0.0) -> None:
    """A loader that waits for its storage, while others have so many CPUs."""
    waits = costs(fetch_wall=0.13, fetch_cpu=0.002, fetch_process=0.002)
    shares = Shares(read=0.8, decode=0.1, transform=0.1)
    trials = [
        trial(workers, each, costs=waits, window=window(own=0.1, foreign=foreign))
        for workers, each in ((0, 0.132), (1, 0.132), (2, 0.066))
    ]
    seen = pipeline(*trials, best=setting(2), wall=shares, cpu=shares)
    busy = trials[0].window.rejection_reason
    found = SimpleNamespace(
        pipeline=seen, undecided_reason=busy, failure="", excluding_limits={}, made_at=None
    )

    def proving(_: object) -> nullcontext[SimpleNamespace]:
        return nullcontext(SimpleNamespace(tuning=found))

    monkeypatch.setattr(paired, "probe_baseline", proving)


NAMED = ("bottleneck-storage-latency", "--yes", "--measure", "train.py:make")


def test_a_bottleneck_is_measured_before_it_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured(monkeypatch)

    done = run(fix, *NAMED, "bottleneck-stragglers")

    assert done.exit_code == 1
    assert "nothing to do: bottleneck-stragglers is healthy\n" in done.stdout
    assert done.stderr.startswith(
        "refused: bottleneck-storage-latency: bottleneck of data.py:make: a batch waits"
    )
    assert "it has no remedy" in done.stderr
    assert "DataLoader(..., num_workers=2, prefetch_factor=2)" in done.stdout


def test_a_bottleneck_that_others_hide_cannot_be_judged(
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    measured(monkeypatch, foreign=1.9)

    done = run(fix, *NAMED)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == snapshot
