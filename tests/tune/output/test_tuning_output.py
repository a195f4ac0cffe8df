"""A tuning as text, JSON and a page."""

import json
from dataclasses import replace

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from pipedoctor.bench import document
from pipedoctor.facts import Pipeline, Setting, Trial
from pipedoctor.tune.compare.whatif import (
    WhatIfChange,
    predict_change,
    probe_pipeline,
)
from pipedoctor.tune.output.html import render_page
from pipedoctor.tune.output.json import build_record
from pipedoctor.tune.output.text import format_loader_line, render
from pipedoctor.tune.output.whatif import render as told
from pipedoctor.tune.search.probe import (
    format_setting,
)
from tests.tune.scripted_search import computing, done, search, tuning, waiting
from tests.tune.seen import setting, window


def test_the_text_has_the_line_and_the_map() -> None:
    text = render(done(), width=100)
    said = "DataLoader(dataset, batch_size=16, num_workers=8, prefetch_factor=2, ...)"
    assert f"\n  {said}\n" in text
    assert "8.00 times as fast as now: measured 970 samples/s" in text
    assert "Bottleneck: storage-latency: a batch waits 128 ms for its data" in text
    assert "\n    none       [121]\n" in text
    assert "[970]*" in text
    assert "[970]" in text
    assert all(len(row) <= 100 for row in text.splitlines())
    narrow = render(done(), width=60)
    assert max(map(len, narrow.splitlines())) < max(map(len, text.splitlines()))


def test_the_line_says_what_is_not_a_default() -> None:
    full = setting(2, 4, in_order=False, pin_memory=True, persistent_workers=True, batch_size=8)
    assert format_loader_line(full) == (
        "DataLoader(dataset, batch_size=8, num_workers=2, prefetch_factor=4, "
        "in_order=False, persistent_workers=True, pin_memory=True, ...)"
    )
    assert format_loader_line(Setting(num_workers=0)) == "DataLoader(dataset, num_workers=0, ...)"
    assert format_setting(full) == "num_workers=2, prefetch_factor=4, in_order=False"


def test_beside_a_batch_sampler_of_the_user_the_line_has_no_size() -> None:
    said = "DataLoader(dataset, num_workers=8, prefetch_factor=2, ...)"
    sampled = replace(done(), has_own_batches=True)
    assert f"\n  {said}\n" in render(sampled)
    assert f"<pre><code>{said}</code></pre>" in render_page(sampled)
    found = search(waiting)
    probe_pipeline(found)
    assert f"\n  {said}\n" in told(
        predict_change(found, WhatIfChange(workers=8)), has_own_batches=True
    )


def test_the_json_has_what_the_schema_says() -> None:
    found = json.loads(json.dumps(build_record(done())))
    assert found["schema"] == "pipedoctor.tuning/1"
    assert found["recommended"] == {
        "num_workers": 8,
        "prefetch_factor": 2,
        "in_order": True,
        "pin_memory": False,
        "persistent_workers": False,
        "batch_size": 16,
    }
    assert found["confidence"] == "certain"
    assert found["measured"]["samples_per_second"] == pytest.approx(970, rel=0.01)
    assert set(found["stages"]) == {
        "read",
        "decode",
        "transform",
        "collate",
        "transfer",
    }
    assert found["stages"]["read"] == pytest.approx(0.8 * 0.13 / 16)
    assert found["limits"]["max_workers"] == 8
    (fact,) = document.read_measurements(json.dumps(found).encode())
    assert isinstance(fact, Pipeline)
    assert fact.best == setting(8)
    eight = next(t for t in found["trials"] if t["num_workers"] == 8)
    assert eight["shm_bytes"] == (8 * 2 + 2) * 802_816
    assert eight["memory_bytes"] == 80_000_000


def test_the_page_is_whole_and_escaped() -> None:
    shown = done()
    nasty = replace(shown.request, target="<script>alert(1)</script>.py:make")
    text = render_page(replace(shown, request=nasty, failure="<b>"))
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text
    assert "&lt;b&gt;" in text
    assert text.count(' measured best"') == 1
    assert 'title="measured: ' in text
    assert 'title="predicted: ' in text
    assert '<h1 class="unknown">8.00 times as fast as now: measured' in text
    assert "<li>Limit: " in text
    assert '<button type="button" class="copy"' in text
    assert "://" not in text


def test_nothing_known_is_shown_as_nothing(snapshot: SnapshotAssertion) -> None:
    empty = tuning(search(waiting), interrupted=True)
    assert render(empty) == snapshot
    assert build_record(empty)["measured"] is None
    assert build_record(empty)["stages"] is None
    assert render_page(empty).startswith("<!doctype html>")


def test_the_text_says_what_is_waited_for() -> None:
    said = "The consumer waits 16.5 ms (now 132 ms) for each batch, 0.26 s (now 0.10 s)"
    assert f"{said} for the first batch." in " ".join(render(done()).split())
    assert f"{said} for the first batch." in render_page(done())
    found = search(computing, setting(2))
    found.run()
    kept = "The consumer waits 10 ms for each batch, 0.14 s for the first batch."
    assert kept in " ".join(render(tuning(found)).split())


def test_text_and_page_say_what_others_disturbed() -> None:
    def law(of: Setting) -> Trial:
        loud = window(own=1.0, foreign=0.4)
        found = waiting(of)
        return structs.replace(found, window=loud) if of.num_workers else found

    found = search(law)
    found.run()
    shown = tuning(found)
    marked = sum(bool(one.disturbance) for one in found.ledger.trials)
    said = f"{len(found.ledger.trials)} windows measured, {marked} of them disturbed"
    assert marked
    assert said in " ".join(render(shown).split())
    assert said in render_page(shown)
    assert "disturbed" not in render_page(done())
