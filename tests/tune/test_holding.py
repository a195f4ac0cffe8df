"""What a setting holds: memory that grows over an epoch, files, and between what."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pipedoctor.facts import Contents, Growth
from pipedoctor.tune.holding import grown, memory, memory_between
from pipedoctor.tune.predict import Model
from tests.tune.seen import costs, pipeline, setting, trial

GROWTHS = {
    "nothing grows": (Growth(new=0, copied=0, shared=10**9), 0),
    "a cache grows with the samples": (Growth(new=16_000, copied=0, shared=0), 10**9),
    "below the noise nothing is said": (Growth(new=100, copied=0, shared=0), 0),
    "pages of samples of their own are copied once": (
        Growth(new=0, copied=16_000, shared=2 * 10**9),
        10**9,
    ),
    "a worker copies no more than there is": (
        Growth(new=0, copied=16_000 * 1000, shared=4 * 10**8),
        2 * 4 * 10**8,
    ),
    "of pages with two samples each copies three quarters": (
        Growth(new=0, copied=16_000, shared=5 * 10**8),
        2 * 0.75 * 5 * 10**8,
    ),
}


@pytest.mark.parametrize(("growth", "more"), GROWTHS.values(), ids=GROWTHS)
def test_memory_at_the_end_of_an_epoch(growth: Growth, more: float) -> None:
    seen = pipeline(trial(0, 0.02), trial(2, 0.01, growth=growth))
    two = setting(2)
    later = grown(seen, two)
    assert later is not None
    assert later - memory(seen, two) == pytest.approx(more, rel=0.01, abs=10)
    guess = Model(seen=seen).predict(two)
    assert guess.memory_epoch_bytes == guess.lasting_bytes == later
    low, high = memory_between(seen, two)
    assert low < memory(seen, two) <= later < high


def test_of_what_trials_saw_the_least_counts() -> None:
    warm, later = (Growth(new=n, copied=0, shared=0) for n in (900_000, 16_000))
    seen = pipeline(trial(1, 0.02, growth=warm), trial(2, 0.01, growth=later))
    found = grown(seen, setting(2))
    assert found == pytest.approx(20_000_000 + 10**9, rel=0.01)


def test_without_workers_or_an_end_nobody_knows() -> None:
    growth = Growth(new=16_000, copied=0, shared=0)
    seen = pipeline(trial(0, 0.02), trial(2, 0.01, growth=growth))
    assert grown(seen, setting(0)) is None
    assert grown(replace(seen, samples=None), setting(2)) is None
    assert grown(pipeline(trial(2, 0.01)), setting(2)) is None
    guess = Model(seen=pipeline(trial(2, 0.01))).predict(setting(2))
    assert guess.lasting_bytes == guess.memory_bytes


def test_larger_batches_take_more_memory() -> None:
    seen = pipeline(trial(0, 0.02), trial(2, 0.01))
    assert memory(seen, setting(2)) == 20_000_000
    assert memory(seen, setting(2, batch_size=48)) == 20_000_000 + 2 * 2 * 800_000


def test_files_of_batches_that_come_early() -> None:
    items = ((0.002, 0.001),) * 95 + ((0.5, 0.001),) * 5
    mean = costs(fetch_wall=0.43, fetch_cpu=0.016, fetch_process=0.016)
    contents = Contents(bytes=800_000, shared_bytes=802_816, objects=10)
    seen = pipeline(trial(1, 0.43, costs=mean), items=items, contents=contents)
    guess = Model(seen=seen, corrected=False).predict(setting(4, 4))
    steady = 4 * 4 + 3 + 10
    assert guess.descriptors > steady + 10
    assert guess.most_descriptors > guess.descriptors
    assert guess.between["descriptors"] == (steady, guess.most_descriptors)
    pinned = setting(4, 4, pin_memory=True)
    pins = Model(seen=replace(seen, pins=True), corrected=False).predict(pinned)
    assert pins.descriptors == steady


def test_each_figure_lies_in_its_interval() -> None:
    seen = pipeline(trial(0, 0.04), trial(1, 0.04), trial(2, 0.02))
    for workers in (0, 1, 2, 8):
        guess = Model(seen=seen).predict(setting(workers))
        for name, (low, high) in guess.between.items():
            assert low <= getattr(guess, name) <= high, (workers, name)
        low, high = guess.wait_between
        assert low <= guess.wait_seconds <= high
    known, guessed = (Model(seen=seen).predict(setting(n)) for n in (2, 8))
    assert _width(known.between["memory_bytes"]) < _width(guessed.between["memory_bytes"])


def _width(interval: tuple[float, float]) -> float:
    return interval[1] / interval[0]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("kind", ["remembers", "counts_references"])
def test_an_epoch_is_foretold_by_a_second_of_it(kind: str) -> None:
    torch = pytest.importorskip("torch")
    from pipedoctor.tune.inside.memory import private
    from pipedoctor.tune.tuning import Order, probed
    from tests.tune.workloads import growing

    target = f"{Path(growing.__file__)}:{kind}"
    order = Order(target=target, max_workers=2, began=time.monotonic())
    with probed(order) as (search, _):
        for workers in (1, 2):
            search.measure(search.of(workers), 0.5)
        guess = Model(seen=search.pipeline()).predict(search.of(2))

    made = getattr(growing, kind)()
    loader = torch.utils.data.DataLoader(
        made.dataset, batch_size=made.batch_size, shuffle=True, num_workers=2
    )
    batches, really = iter(loader), 0
    for number, _ in enumerate(batches):
        if number == len(loader) - 5:
            really = sum(private(w.pid for w in batches._workers))  # noqa: SLF001

    assert guess.lasting_bytes > 1.5 * guess.memory_bytes
    assert guess.lasting_bytes == pytest.approx(really, rel=0.15)
