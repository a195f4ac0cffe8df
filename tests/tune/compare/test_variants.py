"""What is measured in sessions of their own, with trials made of figures."""

import os

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.tune.compare.variants import (
    VariantBench,
    set_environment,
    summarize_pairs,
)
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetLostError
from pipedoctor.tune.search.tuning import TuningRequest
from tests.tune.compare.figures import CALM, CROWD, Figures, Found, pipeline, trial


def test_everything_is_measured() -> None:
    found = Found(
        pipeline(trial(0), trial(2, CROWD)),
        many=trial(1, CROWD, rate=50.0),
        one=trial(1, replace(CROWD, process=0.05), rate=100.0),
    )
    found.run(accelerator=True)
    fact = found.build_result()

    assert fact.unknown == {}
    assert fact.num_workers == 1
    assert fact.touch is not None
    assert (fact.touch.value, fact.touch.windows) == (0.003, 3)
    assert fact.transfer is not None
    assert fact.threads is not None
    assert fact.threads.variables == ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    assert (fact.threads.before.value, fact.threads.after.value) == (50.0, 100.0)
    assert (fact.threads.ratio.value, fact.threads.ratio.windows) == (2.0, 5)
    assert (fact.threads.cpu_before, fact.threads.cpu_after) == (0.16, 0.05)
    assert fact.quality.windows == 3 + 10 + 3
    assert fact.seconds == 16 * 0.5
    assert found.asked == [
        ("pipedoctor.tune.target.consumers:touch", {}),
        (
            "pipedoctor.tune.target.consumers:touch",
            {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        ),
        ("pipedoctor.tune.target.consumers:transfer", {}),
    ]
    assert found.at_once == [2, 2, 1]


def test_threads_that_rest_and_no_gpu() -> None:
    found = Found(pipeline(trial(0), trial(1)), many=trial(1))
    found.run(accelerator=False)

    assert [step for step, _ in found.asked] == ["pipedoctor.tune.target.consumers:touch"]
    assert found.build_result().touch is not None
    assert found.build_result().unknown == {
        "transfer": "torch finds no usable GPU",
        "threads": "workers used no additional threads",
    }


def test_a_step_of_the_user_sees_the_batch_first() -> None:
    seen = pipeline(trial(2, CROWD), workers=2)
    found = Found(seen, many=trial(2, CROWD), one=trial(2), step="a.py:step")
    found.run(accelerator=False)

    assert [step for step, _ in found.asked] == ["a.py:step", "a.py:step"]
    assert found.build_result().threads is not None
    why = "the given step is the first to use the batch"
    assert found.build_result().unknown["touch"] == why

    rests = Found(pipeline(trial(1)), many=trial(1), step="a.py:step")
    rests.run(accelerator=False)

    assert rests.asked == []


@pytest.mark.parametrize("error", [TrialFailedError("it fails"), TargetLostError("it hangs")])
def test_what_fails_is_said(error: Exception) -> None:
    found = Found(pipeline(trial(1, CROWD)), many=error)
    found.run(accelerator=False)

    assert found.build_result().unknown == {
        "touch": str(error),
        "transfer": "torch finds no usable GPU",
        "threads": str(error),
    }


def test_one_thread_that_fails_leaves_the_touch() -> None:
    seen = pipeline(trial(1, CROWD))
    found = Found(seen, many=trial(1), one=TrialFailedError("it fails"))
    found.run(accelerator=False)

    assert found.build_result().touch is not None
    assert found.build_result().unknown["threads"] == "it fails"


@pytest.mark.parametrize(("budget", "session"), [(1000.0, False), (1.0, True)])
def test_no_time_is_left(budget: float, session: bool, snapshot: SnapshotAssertion) -> None:
    found = Found(pipeline(trial(1, CROWD)), many=trial(1), one=trial(1), budget=budget)
    if not session:
        found.many = None
    found.run(accelerator=False)

    fact = found.build_result()
    assert fact.unknown.pop("transfer") == snapshot
    late = "no time left in the budget"
    assert fact.unknown == {"touch": late, "threads": late}


def test_a_session_that_would_come_too_late_is_not_started(snapshot: SnapshotAssertion) -> None:
    seen = pipeline(trial(1))
    order = TuningRequest(target="a.py:make", budget=4.0)
    bench = Figures(trial(1), order.deadline)
    search = SettingSearch(bench, ResourceLimits(cpus=2.0, cpus_bound="machine"), seen.start, seen)

    late = VariantBench(order, search, loading=9.0)
    late.run(accelerator=False)

    assert late.build_result().unknown["touch"] == snapshot


def test_windows_that_are_doubtful_are_marked() -> None:
    shared = replace(CALM, foreign=0.3)
    found = Found(pipeline(trial(1)), many=trial(1, window=shared))
    found.run(accelerator=False)

    assert found.build_result().touch is not None
    assert found.build_result().quality.refused == 0
    assert found.build_result().quality.marked == shared.disturbance != ""


def test_pairs_of_nothing() -> None:
    assert summarize_pairs([]) is None
    found = summarize_pairs([(trial(1, None), trial(1, None, rate=150.0))])
    assert found is not None
    assert (found.ratio.value, found.cpu_before, found.cpu_after) == (1.5, 0.0, 0.0)


def test_variables_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BESIDE_A", "old")
    monkeypatch.delenv("BESIDE_B", raising=False)

    with set_environment({"BESIDE_A": "1", "BESIDE_B": "2"}):
        assert (os.environ["BESIDE_A"], os.environ["BESIDE_B"]) == ("1", "2")

    assert os.environ["BESIDE_A"] == "old"
    assert "BESIDE_B" not in os.environ


def test_a_consumer_touches_every_tensor() -> None:
    torch = pytest.importorskip("torch")
    consumers = pytest.importorskip("pipedoctor.tune.target.consumers")
    batch = {"a": torch.ones(5000), "b": [torch.empty(0), "text", torch.ones(3)[1:]]}

    consumers.touch(batch)

    assert torch.equal(batch["a"], torch.ones(5000))


def test_a_consumer_copies_every_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    consumers = pytest.importorskip("pipedoctor.tune.target.consumers")
    said: list[object] = []

    def to(_own: object, device: str, *, non_blocking: bool) -> None:
        said.append((device, non_blocking))

    monkeypatch.setattr(torch.Tensor, "to", to)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: said.append("wait"))

    consumers.transfer([torch.ones(2), "text", (torch.ones(1),)])

    assert said == [("cuda", False), ("cuda", False), "wait"]
