"""Every format of a fleet: complete, and nothing in a name is obeyed."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml
from msgspec.structs import replace

from pipedoctor.fleet.hostlist import expand_hostlist
from pipedoctor.fleet.model import (
    FleetFinding,
    FleetNode,
    FleetReport,
    JudgedGroup,
    Outlier,
    Summary,
    SupersededReport,
    UnreadableReport,
)
from pipedoctor.fleet.output import (
    ansible,
    html,
    junit,
    kubectl,
    markdown,
    prometheus,
    sarif,
    slurm,
    text,
)
from pipedoctor.fleet.output import (
    json as as_json,
)
from pipedoctor.fleet.redaction import redact_report
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.schema import build_json_schema
from tests.fleet.node_reports import judged

HOSTILE = "a\x1b[31m|b`c\n<script>@all #1 [x](y) =1+1 ../.. \u202e\x9b [bold]red[/]'\"$(id)"
SAID = "shm.size is 64.0 MiB, 64.0 GiB on 98.0% of 8 x H100"
FORMATS: dict[str, Callable[[FleetReport], str | bytes]] = {
    "text": lambda one: text.render(one, width=100, color=False, places="x"),
    "json": as_json.render,
    "markdown": markdown.render,
    "html": html.render,
    "junit": lambda one: junit.render(one, "note"),
    "sarif": lambda one: sarif.render(one, 1),
    "slurm": slurm.render,
    "kubectl": kubectl.render,
    "ansible": ansible.render,
    "prometheus": prometheus.render,
}
every_format = pytest.mark.parametrize("name", FORMATS)


def outlier(node: str, **more: object) -> Outlier:
    given = {
        "node": node,
        "group": "8 x H100",
        "property": "shm.size",
        "value": 64 << 20,
        "majority": 64 << 30,
        "share": 0.98,
        "severity": "risks",
        "summary": f"{node}: {SAID}",
    }
    return Outlier(**{**given, **more})  # type: ignore[arg-type]


def fleet(*outliers: Outlier, **more: object) -> FleetReport:
    nodes = tuple(
        FleetNode(node=one.node, group=one.group, file="f.json", created="2026") for one in outliers
    )
    given = {
        "created": "2026-01-01T00:00:00Z",
        "seconds": 0.1,
        "groups": (JudgedGroup(group="8 x H100", nodes=len(nodes), judged=True),),
        "nodes": nodes,
        "outliers": outliers,
        "summary": Summary(risks=len(outliers), nodes=len(nodes)),
    }
    return FleetReport(**{**given, **more})  # type: ignore[arg-type]


def finding(*nodes: str, **more: object) -> FleetFinding:
    given = {
        "code": "PDR701",
        "name": "shm-too-small",
        "severity": "breaks",
        "title": "Too small",
        "count": len(nodes),
        "nodes": nodes,
    }
    return FleetFinding(**{**given, **more})  # type: ignore[arg-type]


WHOLE = fleet(
    outlier("h1"),
    outlier(
        "h2",
        property="gpu.count",
        value=7,
        majority=8,
        severity="breaks",
        summary="h2: gpu.count is 7, 8 on 98.0% of 8 x H100",
    ),
    outlier("h3", property="site.release", severity="note"),
    findings=(finding("h1"), finding(*(f"x{n}" for n in range(30)), name="other")),
    missing=("gone",),
    superseded=(SupersededReport(file="old.json", node="h1", by="f.json"),),
    unreadable=(UnreadableReport(file="half.json", reason="empty"),),
    summary=Summary(risks=1, breaks=1, nodes=3, fit=1, missing=1, unreadable=1),
)
ODD = fleet(
    outlier(
        HOSTILE,
        group=HOSTILE,
        property=f"packages.{HOSTILE}",
        value=HOSTILE,
        majority=HOSTILE,
        summary=f"{HOSTILE}: {HOSTILE}",
    ),
    findings=(finding(HOSTILE, code=HOSTILE, name=HOSTILE, title=HOSTILE),),
    missing=(HOSTILE,),
    superseded=(SupersededReport(file=HOSTILE, node=HOSTILE, by=HOSTILE),),
    unreadable=(UnreadableReport(file=HOSTILE, reason=HOSTILE),),
    groups=(JudgedGroup(group=HOSTILE, nodes=1, judged=False, why=HOSTILE),),
)


def written(name: str, report: FleetReport) -> str:
    found = FORMATS[name](report)
    return found if isinstance(found, str) else found.decode()


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


@pytest.mark.parametrize("name", ["slurm", "kubectl"])
@pytest.mark.parametrize(
    "node",
    [
        HOSTILE,
        "ALL",
        "all" * 99,
        "h[1-1000]",
        "h1,h2",
        "-f",
        "a b",
        "a\u2028b",
        "../x",
        "a=b",
        "",
    ],
)
def test_what_is_no_single_node_is_never_a_command(name: str, node: str) -> None:
    lines = written(name, fleet(outlier(node))).splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("# left out, no name of one node to")


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh"])
@pytest.mark.parametrize("name", ["slurm", "kubectl"])
def test_no_shell_runs_what_a_report_says(tmp_path: Path, name: str, shell: str) -> None:
    """As at a prompt, where zsh knows no comments."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    for tool in ("scontrol", "kubectl"):
        (tmp_path / tool).write_text('#!/bin/sh\nfor word; do echo "$word"; done >>called\n')
        (tmp_path / tool).chmod(0o755)
    names = ("h1", "$(>made)", "`>made`", "a;>made", "#c", "!x", "~", "a'b")
    reason = "1.0; touch made $(touch made) `touch made` ' | touch made"
    pasted = written(name, fleet(*(outlier(one, summary=f"{one}: {reason}") for one in names)))
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}

    subprocess.run([shell], input=pasted.encode(), cwd=tmp_path, env=environ, check=False)

    called = (tmp_path / "called").read_text().split("\n")
    assert not (tmp_path / "made").exists()
    before = "NodeName=" if name == "slurm" else ""
    assert [one for one in names if f"{before}{one}" not in called] == ["a'b"]


def test_slurm_drains_with_a_reason() -> None:
    lines = slurm.render(WHOLE).splitlines()

    assert shlex.split(lines[0]) == [
        "scontrol",
        "update",
        "NodeName=h1",
        "State=DRAIN",
        f"Reason=pipedoctor: {SAID}; Too small",
    ]
    assert [line.split()[2] for line in lines[:2]] == ["NodeName=h1", "NodeName=h2"]
    assert not any("h3" in line for line in lines), "a note drains nobody"


def test_a_reason_goes_through_a_shell_as_one_word() -> None:
    report = fleet(outlier("h1", summary=f"h1: {HOSTILE}"))

    (line,) = slurm.render(report).splitlines()
    echoed = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, check=True)

    assert len(echoed.stdout.splitlines()) == 5
    assert b"$" not in echoed.stdout
    assert b"`" not in echoed.stdout


def test_kubectl_lines_are_valid_shell() -> None:
    report = fleet(outlier("h1", summary=f"h1: {HOSTILE}"))

    (line,) = kubectl.render(report).splitlines()

    assert shlex.split(line, comments=True) == ["kubectl", "cordon", "h1"]


def test_a_finding_that_most_have_drains_nobody() -> None:
    few = replace(WHOLE, outliers=(), findings=(finding("h1"),))
    most = replace(few, findings=(finding("h1", "h2"),))

    assert "NodeName=h1" in slurm.render(few)
    assert slurm.render(most) == "# no node to drain\n"


def test_ansible_gets_a_group_for_each_remedy() -> None:
    named = fleet(outlier("h1", finding="shm-too-small"), outlier("h2", property="x.y"))

    assert ansible.render(named) == "[shm_too_small]\nh1\n\n[x_y]\nh2\n"
    assert ansible.render(fleet()) == "# no node to drain\n"
    assert "[" not in ansible.render(fleet(outlier("h[1:9]"))).replace("h[", "")


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

    assert written("text", calm) == ("9 of 9 nodes are fit for the job.\n\n9 nodes no GPU\n")
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


def test_every_node_to_drain_is_named_in_full() -> None:
    """However many, and however long their names are."""
    names = [f"{at}-{'x' * 60}-gpu-node.cluster.example" for at in range(25)]

    page = text.render(fleet(*map(outlier, names)), width=80, color=False)

    first_screen = page.partition("25 outliers")[0]
    assert "…" not in first_screen
    joined = re.sub(r"\s", "", first_screen)
    assert all(name in joined for name in names)


def test_a_list_of_hosts_is_broken_at_its_commas() -> None:
    names = [f"node-{number:04}" for number in range(0, 200, 3)]

    page = text.render(fleet(*map(outlier, names)), width=80, color=False)

    (row,) = re.findall(r"shm\.size  (.*?\])", page, re.DOTALL)
    lines = [line.strip() for line in row.splitlines()]
    assert len(lines) > 2
    assert all(line.endswith((",", "]")) for line in lines)
    assert expand_hostlist("".join(lines)) == names


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


def test_kubernetes_manifest_readers_take_our_lines() -> None:
    """A comment behind a line of YAML is a comment there as well."""
    assert yaml.safe_load(kubectl.render(fleet())) is None
