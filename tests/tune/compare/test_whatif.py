"""What if: another setting or machine, from a probe."""

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.compare.whatif import (
    WhatIfChange,
    predict_change,
    probe_pipeline,
    validate_change,
)
from pipedoctor.tune.model.predict import Scenario
from pipedoctor.tune.output.whatif import render as told
from pipedoctor.tune.output.whatif import render_json
from pipedoctor.tune.search.decide import explain_unusable
from pipedoctor.tune.search.session import TargetRefusedError
from pipedoctor.tune.target.messages import TargetLoaded
from tests.tune.scripted_search import BOUNDS, CONTENTS, search, waiting
from tests.tune.seen import costs, setting, trial, window


def test_what_if() -> None:
    found = search(waiting, setting(1))
    probe_pipeline(found)
    change = WhatIfChange(workers=6, prefetch=4, in_order=False, batch=32, persistent=True)
    answer = predict_change(found, change)
    assert answer["basis"] == "modelled"
    assert answer["setting"]["prefetch_factor"] == 4
    assert answer["setting"]["persistent_workers"] is True
    assert answer["gain"] == pytest.approx(6, rel=0.06)
    assert answer["epoch"]["startup"] == 0
    same = predict_change(found, WhatIfChange())
    assert same["basis"] == "measured"
    assert same["gain"] == pytest.approx(1)
    assert same["unpriced"] is None
    pinned = predict_change(found, WhatIfChange(pin_memory=True))
    assert "pin_memory has no effect on this machine" not in told(pinned)
    assert "faster transfers to the GPU" in " ".join(told(pinned).split())
    none = predict_change(found, WhatIfChange(workers=0, in_order=False))
    assert none["setting"]["prefetch_factor"] is None
    assert none["setting"]["in_order"] is True


@pytest.mark.parametrize("most", [0, 1, 3])
def test_what_if_tries_no_more_workers_than_it_may(most: int) -> None:
    found = search(waiting, bounds=replace(BOUNDS, cpus=16.0, max_workers=most))
    probe_pipeline(found)
    tried = {trial.setting.num_workers for trial in found.ledger.trials}
    assert max(tried) == most


def test_what_if_of_a_probe_that_others_decided(snapshot: SnapshotAssertion) -> None:
    found = search(waiting)
    assert explain_unusable(found.build_pipeline()) == snapshot
    probe_pipeline(found)
    assert explain_unusable(found.build_pipeline()) == ""
    (now,) = found.ledger.find_trials(found.start)
    loud = structs.replace(now, window=window(foreign=1.0))
    found.ledger.trials = [loud]
    assert explain_unusable(found.build_pipeline()) == "", (
        "it is as fast as its processor times say"
    )
    slow = structs.replace(loud, batch_seconds=2 * now.batch_seconds)
    slow = structs.replace(slow, samples_per_second=now.samples_per_second / 2)
    for late in (slow, structs.replace(loud, costs=None)):
        found.ledger.trials = [late]
        assert explain_unusable(found.build_pipeline()) == snapshot


def test_what_if_for_people() -> None:
    found = search(waiting)
    probe_pipeline(found)
    world = Scenario(cores=16, storage=2, uint8=True)
    answer = predict_change(found, WhatIfChange(workers=4, scenario=world))
    text = told(answer)
    assert "  with 16 CPUs, storage 2 times as fast, uint8 batches\n" in text
    assert "  modelled: " in text
    assert json.loads(render_json(answer))["world"]["dtype"] == "uint8"
    loud = {**answer, "disturbed": "other processes used 1.0 of 2 CPUs"}
    assert "unreliable: other processes used 1.0 of 2 CPUs during the measurement" in told(loud)


def imagined(change: WhatIfChange, *, accelerator: bool = False) -> dict[str, Any]:
    found = search(waiting, setting(2))
    probe_pipeline(found, change.start_method)
    return predict_change(found, change, accelerator=accelerator)


def test_pinning_does_nothing_without_a_gpu_and_is_modelled_beside_one() -> None:
    pins = WhatIfChange(pin_memory=True)
    here, there = imagined(pins), imagined(pins, accelerator=True)
    assert here["basis"] == "measured"
    assert here["gain"] == 1
    assert here["unpriced"].startswith("pin_memory has no effect on this machine")
    assert "with a GPU a thread would copy each batch in" in here["unpriced"]
    assert there["basis"] == "modelled"
    assert there["unpriced"].startswith("pin_memory is modelled by the time to copy")
    assert imagined(WhatIfChange(workers=2))["unpriced"] is None


def test_workers_that_are_started_in_another_way() -> None:
    found = imagined(WhatIfChange(workers=8, start_method="spawn"))
    forked = imagined(WhatIfChange(workers=8))
    assert found["world"]["start_method"] == "spawn"
    assert found["predicted"]["first_batch_seconds"] == pytest.approx(
        forked["predicted"]["first_batch_seconds"]
    )
    assert "workers started by spawn" in " ".join(told(found).split())


def test_one_thread_where_others_rest() -> None:
    found = imagined(WhatIfChange(one_thread=True))
    assert found["gain"] == 1
    assert "no additional threads" in found["unpriced"]


def test_one_thread_where_others_compute() -> None:
    def spinning(of: Setting) -> Trial:
        return trial(of.num_workers, 0.06, setting=of, costs=costs(fetch_process=0.06))

    found = search(spinning, setting(2))
    probe_pipeline(found)
    said = predict_change(found, WhatIfChange(one_thread=True))
    assert said["basis"] == "modelled"
    assert said["unpriced"] is None
    assert said["predicted"]["high"] > 1.5 * said["current"]["predicted"]["high"]
    assert said["predicted"]["low"] < said["predicted"]["samples_per_second"]


def test_what_an_epoch_pays_for_workers_that_are_not_kept() -> None:
    found = search(waiting, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=16_000)
    probe_pipeline(found)
    renewed = predict_change(found, WhatIfChange())
    kept = predict_change(found, WhatIfChange(persistent=True))

    assert (renewed["basis"], kept["basis"]) == ("measured", "modelled")
    assert renewed["epoch"] == renewed["current"]["epoch"] == kept["current"]["epoch"]
    assert renewed["epoch"]["startup"] == pytest.approx(0.14)
    assert (kept["epoch"]["startup"], kept["epoch"]["ending"]) == (0.0, 0.0)
    text = " ".join(told(kept).split())
    assert (
        "an epoch takes 66.0 s: 66.0 s of batches, its workers are persistent; now 66.1 s"
    ) in text
    assert "0.14 s to start its workers, 0.00 s to stop" in " ".join(told(renewed).split())


def test_workers_that_shall_be_kept_although_none_are_now() -> None:
    found = search(waiting)
    probe_pipeline(found)

    assert predict_change(found, WhatIfChange(workers=2))["basis"] == "measured"
    assert predict_change(found, WhatIfChange(workers=2, persistent=True))["basis"] == "modelled"


def test_an_epoch_whose_end_nobody_knows_is_not_told() -> None:
    found = search(waiting)
    found.base_pipeline = structs.replace(found.base_pipeline, samples=None)
    probe_pipeline(found)

    assert "an epoch takes" not in told(predict_change(found, WhatIfChange(workers=4)))


def test_an_epoch_without_workers() -> None:
    found = search(waiting, setting(2))
    found.base_pipeline = structs.replace(found.base_pipeline, samples=16_000)
    probe_pipeline(found)

    text = " ".join(told(predict_change(found, WhatIfChange(workers=0))).split())
    said = "an epoch takes 132.1 s: 132.0 s of batches, 0.10 s until the first batch; now"
    assert said in text


def test_bytes_in_place_of_floats_where_there_are_no_floats(snapshot: SnapshotAssertion) -> None:
    found = search(waiting)
    uint8 = WhatIfChange(scenario=Scenario(uint8=True))
    probe_pipeline(found)
    assert predict_change(found, uint8)["unpriced"] is None

    found.runner.contents = structs.replace(CONTENTS, float_bytes=0)
    said = predict_change(found, uint8)
    assert said["unpriced"] == snapshot
    assert said["unpriced"] in told(said)


@pytest.mark.parametrize(
    ("batch", "drop_last", "samples", "refused"),
    [
        (65, True, 64, True),
        (64, True, 64, False),
        (65, False, 64, False),
        (65, True, None, False),
        (None, True, 3, False),
    ],
)
def test_what_would_give_no_batch_is_not_imagined(
    batch: int | None, drop_last: bool, samples: int | None, refused: bool
) -> None:
    found = search(waiting)
    found.base_pipeline = structs.replace(found.base_pipeline, samples=samples)
    loaded = TargetLoaded(setting=setting(0), start_method="fork", drop_last=drop_last)
    expected: contextlib.AbstractContextManager[object] = (
        pytest.raises(TargetRefusedError, match="with --batch 65 the loader yields no batch")
        if refused
        else contextlib.nullcontext()
    )
    with expected:
        validate_change(found, WhatIfChange(batch=batch), loaded)
