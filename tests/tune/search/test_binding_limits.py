"""Which limits keep settings out of a search, and which are named."""

from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.compare.whatif import (
    WhatIfChange,
    predict_change,
)
from pipedoctor.tune.output.html import render_page
from pipedoctor.tune.output.json import build_record
from pipedoctor.tune.output.text import render
from pipedoctor.tune.search.limits import read_limits
from tests.tune.scripted_search import BOUNDS, CONTENTS, computing, search, tuning, waiting
from tests.tune.seen import setting, trial


def test_limits_keep_settings_out_and_are_told() -> None:
    tight = replace(BOUNDS, shm=802_816 * 7)
    found = search(waiting, bounds=tight)
    found.run()
    shown = tuning(found)
    assert shown.choice.setting.queued_batches + 2 <= 7
    assert shown.excluding_limits["/dev/shm"].startswith("/dev/shm: needs ")
    assert "Limit: /dev/shm: needs" in render(shown)


def test_limits_that_keep_out_nothing_faster_are_not_told_but_in_json() -> None:
    found = search(computing, bounds=replace(BOUNDS, shm=802_816 * 7))
    found.run()
    shown = tuning(found)
    assert shown.choice.setting == setting(2)
    (reason,) = build_record(shown)["limits"]["binding"]
    assert reason.startswith("/dev/shm: needs ")
    assert "Limit: /dev/shm" not in render(shown)
    assert "/dev/shm: needs" not in render_page(shown)

    few = search(computing, bounds=replace(BOUNDS, max_workers=2))
    few.run()
    assert "workers: at most 2" in str(build_record(tuning(few)))
    assert "Limit: workers" not in render(tuning(few))


def test_processors_that_bind_are_named_with_who_says_so(snapshot: SnapshotAssertion) -> None:
    found = search(computing, bounds=replace(BOUNDS, cpus_bound="cgroup quota"))
    found.run()
    shown = tuning(found)
    assert "Limit: CPUs: 2 (cgroup quota)\n" in render(shown)
    assert "<li>Limit: CPUs: 2 (cgroup quota)</li>" in render_page(shown)
    assert build_record(shown)["limits"]["decisive"] == snapshot


def test_what_the_consumer_hides_is_no_limit() -> None:
    def consuming(of: Setting) -> Trial:
        return trial(of.num_workers, 0.0303, setting=of, step_seconds=0.0302)

    found = search(consuming, bounds=replace(BOUNDS, shm=802_816 * 4, max_workers=1))
    found.run()
    assert "Limit:" not in render(tuning(found))


def test_no_one_is_certain_where_a_rank_is_measured_with_the_cpus_of_all() -> None:
    said = "2 ranks: measured with 2 CPUs instead of one rank's share"
    found = search(waiting, setting(2), bounds=replace(BOUNDS, unshared_reason=said))
    found.run()
    shown = tuning(found)
    assert shown.choice.confidence == "possible"
    assert f"Limit: {said}" in render(shown)
    assert predict_change(found, WhatIfChange())["unpriced"] == said


BINDING: dict[str, tuple[dict[str, Any], str]] = {
    "workers": (
        {"max_workers": 3},
        "workers: at most 3 tried (4 workers per CPU)",
    ),
    "shared memory": ({"shm": 5 << 20}, "/dev/shm: needs 7.7 MiB, 5.0 MiB available"),
    "memory": (
        {"memory": 10 << 20},
        "memory (machine): needs 27.7 MiB, 10.0 MiB available",
    ),
    "descriptors": (
        {"descriptors": 37},
        "file descriptors: needs 40, the limit is 37",
    ),
    "nothing": ({}, ""),
}


@pytest.mark.parametrize(("values", "words_"), BINDING.values(), ids=BINDING)
def test_which_limit_binds(values: dict[str, Any], words_: str) -> None:
    found = replace(BOUNDS, **values).find_broken_limit(setting(4), CONTENTS, 20 << 20)
    assert found == words_


def test_batches_that_come_early_need_descriptors_until_their_turn() -> None:
    """On torch 2.13 the peak of 8 workers with 112 tensors a batch was 930 to 1,048."""
    wide = setting(8)
    loose = Setting(num_workers=8, prefetch_factor=2, in_order=False)

    assert wide.count_peak_descriptors(112) == 4 * 8 + 3 + 10 * 112
    assert loose.count_peak_descriptors(112) == 4 * 8 + 3 + 2 * 112
    assert setting(0).count_peak_descriptors(112) == 0


def test_the_limits_of_this_machine() -> None:
    here = read_limits()
    assert here.cpus > 0
    assert here.max_workers >= 16
    two = read_limits(ranks=2, max_workers=5, memory_size=1 << 30)
    assert two.cpus == max(1, here.cpus // 2)
    assert (two.max_workers, two.workers_bound) == (5, "--max-workers")
    assert (two.memory, two.memory_bound) == (1 << 30, "--memory")
    assert two.to_record()["max_workers"] == 5
