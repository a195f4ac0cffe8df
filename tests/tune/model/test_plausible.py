"""Somebody else's report may hold any numbers: no gain then, and no crash."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipedoctor.check import Counterfactual, Finding, Severity, Verdict
from pipedoctor.facts import Contents, Facts, Pipeline
from pipedoctor.tune.compare.remedy_gain import add_gains
from pipedoctor.tune.model.plausible import (
    is_valid_counterfactual,
    is_valid_pipeline,
    is_valid_setting,
)
from tests.tune.seen import costs, pipeline, setting, trial

SEEN = pipeline(
    trial(0, 0.02, costs=costs(collector=0.01)),
    trial(1, 0.02),
    trial(4, 0.01),
    items=((0.001, 0.001), (0.002, 0.001)),
    best=setting(4),
    limits={"shm": "64 MiB"},
    startup_seconds=0.1,
    contents=Contents(bytes=8 << 20, shared_bytes=8 << 20, objects=9, float_bytes=4),
)
WORLDS = (
    Counterfactual(tuned=True),
    Counterfactual(workers=4, persistent=True),
    Counterfactual(cores=8.0, storage=2.0),
    Counterfactual(uint8=True),
    Counterfactual(one_thread=True),
    Counterfactual(faultless=True),
    Counterfactual(uncollected=True),
    Counterfactual(decode=2.0),
    Counterfactual(packed=True),
    Counterfactual(freed="shm"),
)
ODD = st.sampled_from([0, 1, -1, 2, 65536, 1 << 40, 0.0, -0.5, 1e-300, 1e300])
BUILTINS: dict[str, Any] = msgspec.to_builtins(SEEN)


def numbers(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where numbers stand: the list or table, and the place in it."""
    named = isinstance(value, dict)
    places: list[Any] = [*value] if named else [*range(len(value))]
    for place in places:
        item = value[place]
        if isinstance(item, (dict, list, tuple)):
            yield from numbers(item)
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield value, place


def gains(seen: Pipeline) -> list[Verdict]:
    found = tuple(
        Finding(severity=Severity.SLOWS, summary="x", counterfactual=world) for world in WORLDS
    )
    verdict = Verdict(code="PDR1", findings=found)
    return add_gains(Facts(seen), [verdict])


def test_what_was_measured_is_plausible() -> None:
    assert is_valid_pipeline(SEEN)
    (verdict,) = gains(SEEN)
    assert sum(finding.gain is not None for finding in verdict.findings) >= 6


@pytest.mark.extended
@settings(max_examples=settings().max_examples * 2, deadline=None)
@given(data=st.data())
def test_no_number_breaks_it(data: st.DataObject) -> None:
    record = msgspec.json.decode(msgspec.json.encode(BUILTINS))
    places = list(numbers(record))
    for _ in range(data.draw(st.integers(1, 3))):
        table, place = data.draw(st.sampled_from(places))
        table[place] = data.draw(ODD)
    try:
        seen = msgspec.convert(record, Pipeline)
    except msgspec.ValidationError:  # a fraction of a byte
        return

    (verdict,) = gains(seen)

    for finding in verdict.findings:
        assert finding.gain is None or math.isfinite(finding.gain.value)


@pytest.mark.parametrize("cpus", [0.0, -1.0, 1e300])
def test_processors_that_nobody_has(cpus: float) -> None:
    assert not is_valid_pipeline(msgspec.structs.replace(SEEN, cpus=cpus))


def test_a_batch_that_took_no_time() -> None:
    assert not is_valid_pipeline(pipeline(trial(0, 0.02), trial(1, 1e-3, batch_seconds=0.0)))


@pytest.mark.parametrize(
    "odd", [setting(-1), setting(1, 0), setting(1 << 14), setting(1, batch_size=0)]
)
def test_settings_that_nobody_simulates(odd: Any) -> None:
    assert is_valid_setting(setting(64, 2))
    assert not is_valid_setting(odd)


@pytest.mark.parametrize(
    "odd",
    [Counterfactual(cores=-1.0), Counterfactual(storage=0.0), Counterfactual(decode=0)],
)
def test_worlds_in_which_nothing_runs(odd: Counterfactual) -> None:
    assert is_valid_counterfactual(Counterfactual())
    assert not is_valid_counterfactual(odd)
