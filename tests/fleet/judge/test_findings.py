"""Findings of a fleet: by node and grade, of missing nodes, and against a reference."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.check import Finding, Findings, Severity, check
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.facts.fleet import Fleet
from pipedoctor.fleet.expected import ExpectedNodes, parse_expected_nodes
from pipedoctor.fleet.ingest import ingest_reports, open_folders
from pipedoctor.fleet.judge import judge_fleet
from pipedoctor.fleet.output import words
from tests.fleet.judge.conftest import Put, Write, bus, gpus, rows
from tests.fleet.node_reports import CATALOGUE, GIB, Report, judged, report


def with_finding(name: str, severity: str, **known: Any) -> Report:
    found = {"code": "PDR701", "name": "shm-too-small", "severity": severity}
    return {**report(name, **known), "findings": [{**found, "title": "<b>odd</b>"}]}


def test_an_outlier_and_the_finding_that_says_the_same_are_one(
    write: Write, put: Put, folder: Path
) -> None:
    write("h", 40, shm={"size": 64 * GIB})
    put("ill", with_finding("ill", "breaks", shm={"size": 64 << 20}))

    found = judged(folder)

    (outlier,) = found.outliers
    assert (outlier.finding, outlier.severity) == ("shm-too-small", "breaks")
    (finding,) = found.findings
    assert finding.title == "/dev/shm is too small for the batches in flight"
    assert (finding.count, finding.nodes) == (1, ("ill",))
    assert (found.summary.breaks, found.summary.risks) == (1, 0)
    assert (found.summary.fit, found.summary.nodes) == (40, 41)


def test_findings_are_counted_by_node_and_the_worst_grade_counts(put: Put, folder: Path) -> None:
    for number, severity in enumerate(("note", "breaks", "slows")):
        one = with_finding(f"n{number}", severity)
        one["findings"] *= 2
        put(f"n{number}", one)

    (finding,) = judged(folder).findings

    assert (finding.severity, finding.count) == ("breaks", 3)


def test_a_title_of_a_check_that_nobody_knows_is_kept(put: Put, folder: Path) -> None:
    one = with_finding("n", "note")
    one["findings"][0]["code"] = "ACME1"
    put("n", one)

    assert judged(folder).findings[0].title == "<b>odd</b>"


@pytest.mark.parametrize(
    ("wanted", "names", "count"),
    [
        pytest.param(parse_expected_nodes("h[0-5]"), ("h4", "h5"), 2, id="by name"),
        pytest.param(ExpectedNodes(7), (), 3, id="by number"),
        pytest.param(ExpectedNodes(4), (), 0, id="all are there"),
    ],
)
def test_missing_nodes_are_a_finding(
    write: Write, folder: Path, wanted: ExpectedNodes, names: Sequence[str], count: int
) -> None:
    write("h", 4, shm={"size": 1})

    found = judged(folder, expected=wanted)

    assert found.missing == names
    assert found.summary.missing == count
    missing = [one for one in found.findings if one.name == "node-missing"]
    assert [(m.severity, m.count, m.nodes) for m in missing] == (
        [("risks", count, names)] if count else []
    )


def test_a_record_judges_small_groups_and_faults_that_most_have(
    write: Write, put: Put, folder: Path, tmp_path: Path
) -> None:
    write("h", 3, shm={"size": 64 << 20}, torch={"version": "2.9"})
    golden = put("good", report("good", shm={"size": GIB}, torch={"version": "2.9"}))
    golden = golden.rename(tmp_path / "good.json")
    write("other", 5, gpu=gpus(), accelerators=bus())

    found = judged(folder, golden=golden)

    assert rows(found) == [(f"h{n}", "shm.size") for n in range(3)]
    assert {one.group: one.judged for one in found.groups} == {
        "no GPU": True,
        "8 x NVIDIA H100": True,
    }
    assert found.outliers[0].majority == GIB


def test_a_record_of_other_hardware_judges_nobody(
    write: Write, put: Put, folder: Path, tmp_path: Path
) -> None:
    write("h", 3, shm={"size": 1})
    golden = put("good", report("good", gpu=gpus(), accelerators=bus()))

    found = judged(folder, golden=golden.rename(tmp_path / "good.json"))

    assert found.outliers == ()
    assert not found.groups[0].judged


def test_no_report_at_all(folder: Path) -> None:
    found = judged(folder)

    assert (found.nodes, found.groups, found.get_worst_severity()) == ((), (), None)


def test_without_checks_nothing_is_healthy(write: Write, folder: Path) -> None:
    write("h", 9, shm={"size": 1})
    ingested = ingest_reports(open_folders([str(folder)]))

    found = judge_fleet(Catalogue({}), ingested, began=0.0)

    assert not found.groups[0].judged
    assert found.summary.not_judged == 9


def test_a_check_that_fails_is_said_and_harms_no_other(write: Write, folder: Path) -> None:
    @check("PDR789", "One that fails")
    def failing_check(fleet: Fleet, /) -> Findings:
        """Fail."""
        yield Finding(severity=Severity.NOTE, summary=fleet.groups[99].name)

    write("h", 30, shm={"size": GIB})
    write("ill", 1, shm={"size": 1})
    catalogue = Catalogue({**CATALOGUE.checks, "PDR789": failing_check})

    found = judge_fleet(catalogue, ingest_reports(open_folders([str(folder)])), began=0.0)

    assert rows(found) == [("ill0", "shm.size")]
    (one,) = found.skipped
    assert (one.code, one.name) == ("PDR789", "failing-check")
    assert "IndexError" in one.reason
    assert "PDR789 failing-check: crashed: " in words.describe_uncounted(found)
