"""A loader measured beside others: threads worth a look, pairs, and the setting with a crowd."""

import pytest
from msgspec.structs import replace

from pipedoctor.facts import (
    Costs,
    Trial,
    Window,
)
from pipedoctor.tune.compare import variants
from pipedoctor.tune.compare.variants import (
    VariantBench,
    choose_worker_setting,
    explain_no_gain,
)
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.search import SettingSearch
from pipedoctor.tune.search.session import TargetLostError
from pipedoctor.tune.search.tuning import TuningRequest
from tests.tune.compare.figures import ALONE, CROWD, Figures, Found, pipeline, trial

CROWDED = Window(seconds=1.0, cpus=2.0, own=1.0, foreign=1.0)


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
