"""What is measured in sessions of their own, with trials made of figures."""

import contextlib
import os
from collections.abc import Generator, Mapping

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import (
    Contents,
    Costs,
    Pipeline,
    Setting,
    Trial,
    Window,
)
from pipedoctor.tune.compare import variants
from pipedoctor.tune.compare.variants import (
    VariantBench,
    choose_worker_setting,
    explain_no_gain,
    set_environment,
    summarize_pairs,
)
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.probe import TrialFailedError, TrialRunner
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetLostError, TargetSession
from pipedoctor.tune.search.tuning import TuningRequest

CALM = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0)
CROWDED = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.0)
ALONE = Costs(fetch_wall=0.08, fetch_cpu=0.07, fetch_process=0.07)
CROWD = Costs(fetch_wall=0.08, fetch_cpu=0.05, fetch_process=0.15, process=0.16)


def trial(
    workers: int,
    costs: Costs | None = ALONE,
    rate: float = 100.0,
    window: Window = CALM,
) -> Trial:
    return Trial(
        setting=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        samples_per_second=rate,
        batch_seconds=8 / rate,
        batches=10,
        step_seconds=0.003,
        seconds_spent=0.5,
        costs=costs,
        window=window,
    )


def pipeline(*trials: Trial, workers: int = 0) -> Pipeline:
    return Pipeline(
        target="a.py:make",
        start=Setting(num_workers=workers, prefetch_factor=2, batch_size=8),
        contents=Contents(bytes=0, shared_bytes=0, objects=0),
        cpus=2.0,
        trials=trials,
    )


Given = Trial | Exception | list[Trial]
"""A list: one after the other, then no more."""


class Figures(TrialRunner):
    """A bench whose trials were made before."""

    def __init__(self, found: Given, until: float) -> None:
        super().__init__(session=TargetSession("none"), deadline=until)
        self.found = found

    def measure(self, setting: Setting, seconds: float, **_: object) -> Trial:
        self.trial_seconds.append(seconds)
        found = self.found.pop(0) if isinstance(self.found, list) else self.found
        if isinstance(found, Exception):
            raise found
        return replace(found, setting=setting)


class Found(VariantBench):
    """What is measured again gives these figures, by the variables that are set."""

    def __init__(
        self,
        seen: Pipeline,
        *,
        many: Given,
        one: Given | None = None,
        step: str = "",
        budget: float = 1000.0,
    ) -> None:
        order = TuningRequest(target=seen.target, step=step, budget=budget)
        bounds = ResourceLimits(cpus=2.0, cpus_bound="machine", max_workers=2)
        search = SettingSearch(Figures(many, order.deadline), bounds, seen.start, seen)
        for known in seen.trials:
            search.ledger.add(known)
        super().__init__(order, search, loading=0.0)
        self.search = search
        self.many: Given | None = many
        self.one = one
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.at_once: list[int] = []

    @contextlib.contextmanager
    def _open_session(
        self, step: str, variables: Mapping[str, str], share: int = 1
    ) -> Generator[TrialRunner | None, None, None]:
        self.asked.append((step, dict(variables)))
        self.at_once.append(share)
        found = self.one if "OPENBLAS_NUM_THREADS" in variables else self.many
        yield None if found is None else Figures(found, self._request.deadline)


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


def test_windows_that_others_decided_do_not_count() -> None:
    seen = pipeline(trial(1, CROWD))
    found = Found(seen, many=trial(1, window=CROWDED), one=trial(1))
    found.run(accelerator=False)
    fact = found.build_result()

    why = "other processes used 1.0 of 2 CPUs, too much for a reliable measurement"
    assert fact.unknown == {
        "touch": why,
        "transfer": "torch finds no usable GPU",
        "threads": why,
    }
    assert (fact.quality.refused, fact.quality.why_refused) == (3 + 5, why)
    assert fact.quality.repeated == 2, "of the first; then others go on"
    assert fact.seconds == (3 + 2 + 10) * 0.5


def test_windows_that_others_disturb_are_measured_again() -> None:
    shared = trial(1, window=CROWDED, rate=10.0)
    found = Found(
        pipeline(trial(1, CROWD)),
        many=[shared, trial(1), trial(1), trial(1), shared, *[trial(1)] * 9],
        one=trial(1, rate=200.0),
    )
    found.run(accelerator=False)
    fact = found.build_result()

    assert fact.touch is not None
    assert fact.touch.windows == 3
    assert fact.threads is not None
    assert (fact.threads.before.value, fact.threads.ratio.high) == (100.0, 2.0)
    assert (fact.quality.windows, fact.quality.repeated) == (3 + 10, 1 + 2)
    assert (fact.quality.refused, fact.quality.marked) == (0, "")


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


@pytest.mark.parametrize(
    ("costs", "memory"),
    [
        pytest.param(ALONE, 1000, id="alone, with all of the memory"),
        pytest.param(CROWD, 500, id="beside another one, with half of it"),
    ],
)
def test_it_is_loaded_again_with_its_part_of_the_memory_on_the_same_cpus(
    monkeypatch: pytest.MonkeyPatch, costs: Costs, memory: int
) -> None:
    made: list[tuple[str, str, int, frozenset[int]]] = []

    class Loaded:
        def __init__(
            self, target: str, *, step: str, max_memory: int, cpus: frozenset[int]
        ) -> None:
            made.append((target, step, max_memory, cpus))

        def __enter__(self) -> object:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing was started."""

        def wait_until_loaded(self, until: float) -> dict[str, object]:
            assert until
            message = "it hangs"
            raise TargetLostError(message)

    monkeypatch.setattr(variants, "TargetSession", Loaded)
    seen = pipeline(trial(1, costs))
    order = TuningRequest(target="a.py:make", budget=1000.0)
    own = frozenset({1})
    limits = ResourceLimits(cpus=1.0, cpus_bound="machine, 2 ranks", memory=1000, rank_cpus=own)
    search = SettingSearch(Figures(trial(1), order.deadline), limits, seen.start, seen)
    search.ledger.add(trial(1, costs))

    again = VariantBench(order, search, loading=9.0)
    again.run(accelerator=False)

    touch = "pipedoctor.tune.target.consumers:touch"
    assert made == [("a.py:make", touch, memory, own)]
    assert again.build_result().unknown["touch"] == "it hangs"


def test_windows_that_are_doubtful_are_marked() -> None:
    shared = replace(CALM, foreign=0.3)
    found = Found(pipeline(trial(1)), many=trial(1, window=shared))
    found.run(accelerator=False)

    assert found.build_result().touch is not None
    assert found.build_result().quality.refused == 0
    assert found.build_result().quality.marked == shared.disturbance != ""


@pytest.mark.parametrize(
    ("trials", "environ", "why"),
    [
        ((trial(1, CROWD),), {}, ""),
        ((trial(1), trial(2, CROWD)), {}, ""),
        ((trial(1, CROWD),), {"OPENBLAS_NUM_THREADS": "1"}, ""),
        ((trial(0, CROWD),), {}, "no setting with workers was measured"),
        ((trial(1, None),), {}, "no setting with workers was measured"),
        ((), {}, "no setting with workers was measured"),
        (
            (trial(1, CROWD),),
            {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            "OPENBLAS_NUM_THREADS and MKL_NUM_THREADS are 1 already",
        ),
        (
            (trial(1, replace(CROWD, fetch_wall=1.0, fetch_cpu=0.05)),),
            {},
            "workers used no additional threads",
        ),
        (
            (trial(1, replace(CROWD, send_cpu=0.1)),),
            {},
            "workers used no additional threads",
        ),
    ],
)
def test_whether_threads_are_worth_a_look(
    trials: tuple[Trial, ...], environ: dict[str, str], why: str
) -> None:
    assert explain_no_gain(pipeline(*trials), environ) == why


def test_the_setting_with_a_crowd() -> None:
    probed = pipeline(trial(0), trial(2, CROWD))
    mine = pipeline(trial(0), trial(2, CROWD), workers=1)

    assert choose_worker_setting(Found(probed, many=trial(1)).search).num_workers == 2
    assert choose_worker_setting(Found(mine, many=trial(1)).search).num_workers == 1


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
