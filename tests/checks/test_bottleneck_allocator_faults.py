"""PDR911 says what keeping memory gains, where that was measured for certain."""

from typing import Any

import pytest

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.facts import BenchDecode, Cpu, Facts, Host, Site, Spread
from pipedoctor.facts.bench_decode import DecodePath, Images
from pipedoctor_checks.bottleneck_allocator_faults import bottleneck_allocator_faults

HOST = Host(model="Acme 9", cpus=8, effective=8, created="2026-01-01T00:00:00Z")
RATE = Spread(value=60.0, low=59.0, high=61.0, windows=5)
KEPT = "PILLOW_BLOCKS_MAX=64"


def measured(low: float = 2.0, faults: float = 4000.0, windows: int = 5) -> BenchDecode:
    plain = DecodePath(
        library="pillow", name="PIL", task="decode", rate=RATE, faults=faults
    )
    kept = DecodePath(
        library="pillow",
        name="PIL",
        task="decode",
        rate=RATE,
        faults=3.0,
        allocator=KEPT,
        kept=Spread(value=low + 0.1, low=low, high=low + 0.2, windows=windows),
    )
    images = Images(count=1, bytes=1)
    return BenchDecode(host=HOST, images=images, paths=(plain, kept))


def judged(*facts: Any, **settings: Any) -> list[Finding]:
    verdict = bottleneck_allocator_faults.run(Facts(*facts), **settings)
    assert not verdict.skipped, verdict.skipped
    return list(verdict.findings)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(measured(low=1.15), id="the boundary of the gain"),
        pytest.param(measured(faults=100.0), id="the boundary of the faults"),
        pytest.param(measured(windows=2), id="too few windows"),
        pytest.param(
            BenchDecode(
                host=HOST, images=Images(count=1, bytes=1), paths=measured().paths[:1]
            ),
            id="nothing to keep",
        ),
        pytest.param(
            BenchDecode(
                host=HOST, images=Images(count=1, bytes=1), paths=measured().paths[1:]
            ),
            id="nothing to compare with",
        ),
    ],
)
def test_silent(found: BenchDecode) -> None:
    assert judged(found) == []


def test_it_speaks() -> None:
    (finding,) = judged(measured(), Site(system="linux"))

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "PIL is 2.10 times as fast with memory kept: 4000 page faults an image"
        " otherwise"
    )
    assert finding.evidence == {
        "task": "decode",
        "faults": 4000.0,
        "faults_kept": 3.0,
        "ratio": [2.0, 2.1, 2.2],
        "measured": "2026-01-01T00:00:00Z",
    }
    assert finding.gain is not None
    assert finding.gain.value == pytest.approx(1 - 1 / 2.1)
    assert finding.gain.low == 0.5
    assert finding.gain.high == pytest.approx(1 - 1 / 2.2)
    (remedy,) = finding.remedies
    assert remedy.snippet == f"export {KEPT}"


def test_the_user_decides() -> None:
    assert judged(measured(), faster=2.0) == []
    assert judged(measured(), faults=4000.0) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (
            [measured(), Cpu(logical=4, model="Acme 9")],
            "it was measured on another machine: Acme 9, 8 CPUs",
        ),
        (
            [BenchDecode(host=HOST, images=Images(count=0, bytes=0))],
            "no way to decode was measured",
        ),
        ([], "neither `bench decode` nor a pipeline was measured"),
    ],
)
def test_unknown_is_not_health(facts: list[Any], reason: str) -> None:
    assert bottleneck_allocator_faults.run(Facts(*facts)).skipped == reason
