"""Loaders with a known cause, looked at for a few seconds: is it named?"""

import sys
from pathlib import Path

import pytest

from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.tune.compare import whatif
from pipedoctor.tune.search.tuning import TuningRequest, open_search

LABELLED = Path(__file__).parent / "workloads" / "labelled.py"
CAUSES = {
    "heavy_tail": "storage-latency",
    "collate_cpu": "transform-cpu",
    "stream_decode": "decode-cpu",
    "decode_json": "decode-cpu",
    "one_lock": "storage-bandwidth",
}
QUIET = 0.5
"""CPUs of others, above which it does not show who waits for whom."""


@pytest.mark.idle
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize(("name", "cause"), CAUSES.items())
def test_the_cause_is_named(name: str, cause: str) -> None:
    order = TuningRequest(target=f"{LABELLED}:{name}", budget=24, max_workers=4)
    with open_search(order) as (search, _):
        whatif.probe_pipeline(search)
    seen = search.build_pipeline()
    others = max((t.window.foreign or 0.0) / t.window.seconds for t in seen.trials)
    if others > QUIET:
        pytest.skip(f"others use {others:.1f} CPUs")
    assert classify_bottleneck(seen).name == cause
