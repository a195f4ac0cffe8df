"""PDR727 speaks when huge pages were waited for, never of the setting alone."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import CannotJudge, Confidence, Finding, Severity
from pipedoctor.facts import Facts, Memory, Site
from pipedoctor_checks.memory.transparent_hugepages import transparent_hugepages

HOST = Site(system="linux")
POD = Site(system="linux", container="kubernetes")


def judge(
    stalls: int | None = 10_000,
    *,
    enabled: str = "always",
    defrag: str = "always",
    site: Site | None = HOST,
    least: int = 10_000,
) -> list[Finding]:
    memory = Memory(
        total=1,
        available=1,
        transparent_hugepages=enabled,
        hugepage_defrag=defrag,
        compaction_stalls=stalls,
    )
    return transparent_hugepages(memory, site, stalls=least)


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param(judge(9_999), id="hardly anybody waited"),
        pytest.param(judge(defrag="madvise"), id="the usual setting"),
        pytest.param(judge(enabled="madvise"), id="only who asks"),
        pytest.param(judge(None, defrag=""), id="not known"),
    ],
)
def test_silent(findings: list[Finding]) -> None:
    assert findings == []


def test_waiting_is_a_note() -> None:
    (finding,) = judge()

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.summary == (
        "processes waited 10000 times for memory to be compacted into huge pages"
    )
    assert finding.evidence["memory.compaction_stalls"] == 10_000
    (remedy,) = finding.remedies
    assert remedy.shell == (
        "sudo sh -c 'echo defer+madvise > /sys/kernel/mm/transparent_hugepage/defrag'"
    )
    assert not remedy.automatic


def test_a_pod_cannot_change_its_node() -> None:
    (finding,) = judge(site=POD)

    assert finding.remedies == ()


def test_threshold_of_the_user() -> None:
    assert len(judge(5, least=5)) == 1


def test_counter_that_is_missing_is_not_health(snapshot: SnapshotAssertion) -> None:
    with pytest.raises(CannotJudge, match="does not count compact_stall"):
        judge(None)

    assert transparent_hugepages.run(Facts()).skipped == snapshot
