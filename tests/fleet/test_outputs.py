"""Every format of a fleet: complete, and nothing in a name is obeyed."""

import json
import re
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from msgspec.structs import replace

from pipedoctor.fleet.model import (
    FleetReport,
    JudgedGroup,
    Summary,
)
from pipedoctor.fleet.output import (
    html,
    junit,
    prometheus,
    sarif,
)
from pipedoctor.fleet.output import (
    json as as_json,
)
from pipedoctor.fleet.redaction import redact_report
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.schema import build_json_schema
from tests.fleet.fleet_reports import FORMATS, ODD, WHOLE, finding, fleet, outlier, written
from tests.fleet.node_reports import judged

every_format = pytest.mark.parametrize("name", FORMATS)


@every_format
def test_every_node_that_stands_out_is_named(name: str) -> None:
    said = written(name, WHOLE)

    assert "h1" in said
    assert "h2" in said
    assert said.endswith("\n")


@pytest.mark.parametrize("name", ["text", "json", "markdown", "html", "junit"])
def test_everything_is_in_it(name: str) -> None:
    said = written(name, WHOLE)

    for word in ("h3", "gone", "half.json", "PDR701", "gpu.count"):
        assert word in said


@every_format
def test_a_hostile_name_is_not_obeyed(name: str) -> None:
    said = written(name, ODD)

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said)
    if name in {"markdown", "html", "junit"}:
        assert "<script>@all" not in said


def test_a_page_has_only_its_own_scripts() -> None:
    page = html.render(ODD)

    assert page.count("<script") == 2  # the data, and ours
    assert "onerror" not in page
    assert "http" not in page.replace("https://", "").replace("http-equiv", "")


def test_text_answers_first_and_names_up_to_twenty_nodes() -> None:
    said = FORMATS["text"](WHOLE)

    assert isinstance(said, str)
    lines = said.splitlines()
    assert lines[0] == "1 of 3 nodes are fit for the job."
    assert lines[1] == ("Not counted: 1 node did not report; 1 file could not be read.")
    assert lines[2].startswith("Drain ")
    assert lines[3].split() == ["BREAKS", "gpu.count", "h2"]
    assert "$ pipedoctor fleet show x --format slurm" in lines
    assert "x0, x1" not in said
    assert "more" not in said


@pytest.mark.parametrize("count", [20, 21])
def test_every_node_of_a_rare_finding_is_named(count: int) -> None:
    nodes = tuple(f"node{n}" for n in range(count))
    said = written("text", fleet(findings=(finding(*nodes, severity="note"),)))

    assert all(re.search(rf"\b{node}\b", said) for node in nodes) is (count == 20)


def test_a_fleet_without_trouble_says_so() -> None:
    calm = fleet(
        groups=(JudgedGroup(group="no GPU", nodes=9, judged=True),),
        summary=Summary(nodes=9, fit=9),
    )

    assert written("text", calm) == ("9 of 9 nodes are fit for the job.\n\n9 nodes with no GPU\n")
    assert "No node stands out" in written("html", calm)


def test_json_fits_its_schema() -> None:
    jsonschema.validate(json.loads(as_json.render(WHOLE)), build_json_schema(FleetReport))


def test_json_of_a_large_fleet_is_compact() -> None:
    many = replace(WHOLE, nodes=WHOLE.nodes * 1000)

    assert as_json.render(many).count(b"\n") == 1
    assert json.loads(as_json.render(many))["schema"] == "pipedoctor.fleet/1"


@pytest.mark.parametrize(
    ("threshold", "failed"),
    [("never", 0), ("breaks", 2), ("risks", 3), ("note", 4)],
)
def test_junit_fails_nodes_from_the_threshold_on(threshold: str, failed: int) -> None:
    top = ET.fromstring(junit.render(WHOLE, threshold))

    assert top.get("tests") == "5"
    assert top.get("failures") == str(failed)
    assert len(top.findall(".//failure")) == failed


def test_sarif_has_a_result_for_each() -> None:
    (run,) = json.loads(sarif.render(WHOLE, 1))["runs"]

    assert len(run["results"]) == 5
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["locations"]
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]


def test_prometheus_lines_are_what_the_collector_reads() -> None:
    metric = re.compile(r'[a-z_]+(\{([a-z]+="([^"\\\n]|\\\\|\\"|\\n)*",?)+\})? [0-9]+')
    for report in (WHOLE, ODD):
        for line in prometheus.render(report).splitlines():
            assert line.startswith("# ") or metric.fullmatch(line), line


def private(value: str) -> FleetReport:
    return fleet(
        outlier(
            "alice",
            property="variables.values.LD_LIBRARY_PATH",
            value=value,
            majority=None,
            summary=f"alice: variables.values.LD_LIBRARY_PATH is {value}, none on 9%",
        )
    )


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("packages.opencv-python-headless", "4.12.0.88", True),
        ("image_stack.opencv-python", "4.12.0.88", True),
        ("libraries.libcudnn.so.9", "9.10.2.21", True),
        ("site.release", "5.15.0-130-alice", True),
        ("variables.values.LD_LIBRARY_PATH", "//10.12.0.88/lib", False),
        ("gpu.error", "no answer from 10.12.0.88", False),
    ],
)
def test_a_version_with_four_numbers_is_no_address(name: str, value: str, kept: bool) -> None:
    seen = fleet(outlier("h1", property=name, value=value, majority=None, summary=f"h1: {value}"))

    (said,) = redact_report(seen, Redactor(RedactionLevel.ALL), nodes=False).outliers

    assert (said.value == value, value in said.summary) == (kept, kept)


def test_what_very_many_nodes_have_alike_is_one_row_of_the_page() -> None:
    """As against a recorded node of another image."""
    one_each = fleet(*(outlier(f"h{number:04}") for number in range(2000)))
    many = [
        outlier(node.node, property=f"packages.p{at}")
        for at in range(20)
        for node in one_each.nodes
    ]
    few = [outlier(f"h{number:04}", value=number) for number in range(20)]

    page = html.render(replace(one_each, outliers=(*many, *few)))

    assert len(page.encode()) < 1 << 20
    rows = re.findall(r"<tr( data-nodes=\"[0-9,]+\")?><td>.*?<th scope=\"row\">(.*?)</th>", page)
    assert sum(bool(places) for places, _ in rows) == 20
    assert sum(cell == "h[0000-1999]" for _, cell in rows) == 20
    assert [cell for _, cell in rows if re.fullmatch("h[0-9]{4}", cell)] == [
        one.node for one in few
    ]


def test_values_are_redacted_and_names_of_nodes_are_not() -> None:
    redactor = Redactor(RedactionLevel.ALL, UserIdentity(users=("alice",)))

    said = redact_report(private("/home/alice/lib"), redactor, nodes=False).outliers[0]

    assert said.node == "alice"
    assert said.value == "/home/<user-1>/lib"
    assert said.summary.startswith("alice: variables")
    assert "/home/alice" not in said.summary


def test_names_of_nodes_are_replaced_wherever_they_stand(fleets: ModuleType, folder: Path) -> None:
    fleets.write_fleet(folder, 60, packages_each=70)
    (folder / "h100-9999.json").write_bytes(b"")
    (folder / "h100-0001.json").write_bytes(
        (folder / "h100-0001--20261123T060000Z.json").read_bytes()
    )
    plain = judged(folder)

    hidden = redact_report(plain, Redactor(RedactionLevel.NOTHING), nodes=True)

    for name in FORMATS:
        assert not re.search("(h100|a100|cpu)-[0-9]{4}", written(name, hidden)), name
    assert [one.property for one in hidden.outliers] == [one.property for one in plain.outliers]
    names = {one.node for one in hidden.nodes}
    assert len(names) == len(plain.nodes)
    assert {one.node for one in hidden.outliers} <= names
    assert hidden.superseded[0].node in names
    assert hidden.superseded[0].by in {one.file for one in hidden.nodes}
