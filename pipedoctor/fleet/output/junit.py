"""A fleet as JUnit XML: a test case for each node, failed where it stands out."""

import re
from collections import defaultdict
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from pipedoctor.check import Severity
from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output import words
from pipedoctor.report.sentences import clean_text

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Row = tuple[str, str]
"""Severity and text."""


def render(report: FleetReport, threshold: str) -> bytes:
    """Write one suite; a node fails where something reaches `threshold`."""
    found = _group_by_node(report)
    cases = [
        _build_case(node.node, node.group, found.get(node.node, []), threshold)
        for node in report.nodes
    ]
    absent = [("risks", "did not report")]
    cases += (_build_case(name, "missing", absent, threshold) for name in report.missing)
    for file in report.unreadable:
        case = _build_element("unreadable", file.file)
        ET.SubElement(case, "skipped", {"message": _remove_forbidden(file.reason)})
        cases.append(case)
    counts = {
        "name": report.tool.name,
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "time": f"{report.seconds:.3f}",
    }
    top = ET.Element("testsuites", counts)
    suite = ET.SubElement(top, "testsuite", counts)
    suite.set("skipped", str(len(report.unreadable)))
    suite.set("timestamp", report.created.removesuffix("Z"))
    about = ET.SubElement(suite, "properties")
    verdict = {"name": "verdict", "value": words.describe_verdict(report)}
    ET.SubElement(about, "property", verdict)
    suite.extend(cases)
    ET.indent(top)
    text: bytes = ET.tostring(top, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _group_by_node(report: FleetReport) -> Mapping[str, list[_Row]]:
    found: dict[str, list[_Row]] = defaultdict(list)
    for one in report.outliers:
        found[one.node].append((one.severity, one.summary))
    for finding in report.findings:
        if finding.name != "node-missing":
            for node in finding.nodes:
                text = f"{finding.code} {finding.name}: {finding.title}"
                found[node].append((finding.severity, text))
    return found


def _build_case(node: str, group: str, rows: list[_Row], threshold: str) -> ET.Element:
    case = _build_element(group, node)
    failed = [row for row in rows if _is_failure(row[0], threshold)]
    if failed:
        message = {"message": _remove_forbidden(failed[0][1]), "type": failed[0][0]}
        failure = ET.SubElement(case, "failure", message)
        failure.text = "\n".join(_remove_forbidden(f"{grade}: {text}") for grade, text in failed)
    rest = [row for row in rows if row not in failed]
    if rest:
        out = ET.SubElement(case, "system-out")
        out.text = "\n".join(_remove_forbidden(f"{grade}: {text}") for grade, text in rest)
    return case


def _build_element(group: str, name: str) -> ET.Element:
    attributes = {
        "classname": _remove_forbidden(group),
        "name": _remove_forbidden(name),
        "time": "0",
    }
    return ET.Element("testcase", attributes)


def _is_failure(severity: str, threshold: str) -> bool:
    if threshold == "never":
        return False
    return Severity[severity.upper()] >= Severity[threshold.upper()]


def _remove_forbidden(text: str) -> str:
    return _FORBIDDEN.sub("?", clean_text(text))
