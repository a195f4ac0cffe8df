"""The report as JUnit XML: a test case for each check, for CI servers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from pipedoctor.check import Check, Severity
from pipedoctor.facts import Source
from pipedoctor.report import sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.model import Report, ReportedFinding
from pipedoctor.textsafe import escape_character

_FORBIDDEN_CHARS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write, not even as a reference."""


def render(report: Report, checks: Mapping[str, Check[Any]], threshold: str) -> bytes:
    """
    Write one suite; `checks` are all by code, `threshold` is that of --fail-on.

    A check fails where a finding of it reaches the threshold, and is skipped where it
    could not judge. What it finds below the threshold stands in its output.
    """
    cases = sorted(_build_cases(report, checks, threshold), key=lambda case: case.get("name", ""))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
    }
    about = {"name": report.tool.name, "time": f"{report.seconds:.3f}"}
    top = ET.Element("testsuites", {**about, **counts})
    suite = ET.SubElement(top, "testsuite", {**about, **counts})
    suite.set("skipped", str(len(report.skipped)))
    suite.set("timestamp", _escape_xml(report.created.removesuffix("Z")))
    suite.append(_build_properties(report))
    suite.extend(cases)
    ET.indent(top)
    text: bytes = ET.tostring(top, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _build_properties(report: Report) -> ET.Element:
    properties = {
        "place": sentences.describe_place(report),
        "verdict": sentences.describe_verdict(report),
        "version": report.tool.version,
    }
    found = ET.Element("properties")
    for name, value in properties.items():
        ET.SubElement(found, "property", {"name": name, "value": _escape_xml(value)})
    for pack in report.broken:
        reason = f"{pack.pack}: {pack.reason}"
        ET.SubElement(found, "property", {"name": "broken", "value": _escape_xml(reason)})
    for sentence in describe_configuration(report.configuration):
        pair = {"name": "configuration", "value": _escape_xml(sentence)}
        ET.SubElement(found, "property", pair)
    return found


def _build_cases(
    report: Report, checks: Mapping[str, Check[Any]], threshold: str
) -> Iterator[ET.Element]:
    found: dict[str, list[ReportedFinding]] = {}
    for entry in report.findings:
        found.setdefault(entry.code, []).append(entry)
    for code, entries in found.items():
        case = _build_case(checks, code, entries[0].name)
        for entry in entries:
            case.append(_build_finding(entry, fails=_is_failure(entry, threshold)))
        yield case
    for code in report.healthy:
        yield _build_case(checks, code)
    for skip in report.skipped:
        case = _build_case(checks, skip.code, skip.name)
        kind = "accepted" if skip.accepted else "skipped"
        ET.SubElement(case, "skipped", {"type": kind, "message": _escape_xml(skip.reason)})
        yield case


def _build_case(checks: Mapping[str, Check[Any]], code: str, name: str = "") -> ET.Element:
    check = checks.get(code)
    kind = "code" if check and Source in check.needs else "machine"
    title = f"{code} {name or (check.name if check else '')}".strip()
    attributes = {
        "classname": f"pipedoctor.{kind}",
        "name": _escape_xml(title),
        "time": "0",
    }
    return ET.Element("testcase", attributes)


def _build_finding(entry: ReportedFinding, *, fails: bool) -> ET.Element:
    element = ET.Element("failure" if fails else "system-out")
    if fails:
        at = f"{sentences.format_location(entry)}: " if entry.location else ""
        element.set("message", _escape_xml(f"{at}{entry.summary}"))
        element.set("type", entry.severity)
    element.text = "\n".join(map(_escape_xml, _describe_finding(entry)))
    return element


def _is_failure(entry: ReportedFinding, threshold: str) -> bool:
    if threshold == "never":
        return False
    return Severity[entry.severity.upper()] >= Severity[threshold.upper()]


def _describe_finding(entry: ReportedFinding) -> list[str]:
    at = f"{sentences.format_location(entry)}: " if entry.location else ""
    lines = [f"{entry.severity}: {at}{entry.summary}"]
    lines += [f"also at {spot.path}:{spot.line}" for spot in entry.also_at]
    lines += [f"{name}: {value}" for name, value in sentences.format_evidence(entry.evidence)]
    for remedy in entry.remedies:
        lines.append(f"remedy ({sentences.describe_remedy_place(remedy)}): {remedy.title}")
        lines += [f"  $ {line}" for line in remedy.shell.splitlines()]
        lines += [f"  {line}" for line in remedy.listing.rstrip("\n").split("\n") if line]
    return lines


def _escape_xml(text: object) -> str:
    """A line of text that every parser of XML 1.0 takes."""
    return _FORBIDDEN_CHARS.sub(escape_character, sentences.clean_text(text))
