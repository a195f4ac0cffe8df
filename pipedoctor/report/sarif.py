"""The report as SARIF 2.1.0, for code scanning: results, rules, skipped checks."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from pipedoctor.check import Check, Edit, Location
from pipedoctor.check.page import render_page
from pipedoctor.check.places import get_cell_number, get_file_path, join_cell
from pipedoctor.report import annotation, sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.model import Report, ReportedFinding, SkippedCheck
from pipedoctor.report.uri import build_artifact
from pipedoctor.textsafe import encode_indented_json

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MACHINE_URI = "this-machine"
"""Where findings about the machine are shown: code scanning wants some file."""
SARIF_LEVELS = {
    "breaks": "error",
    "risks": "warning",
    "slows": "warning",
    "note": "note",
}
_PROBLEM_SEVERITIES = {"error": "error", "warning": "warning", "note": "recommendation"}
_SEVERITY_RANKS = {"breaks": 90.0, "risks": 70.0, "slows": 50.0, "note": 20.0}
_CONFIDENCE_PENALTIES = {"certain": 0.0, "likely": 5.0, "possible": 15.0}
_SEVERITY_ORDER = ("breaks", "risks", "slows", "note")


def render(report: Report, checks: Mapping[str, Check[Any]], code: int) -> bytes:
    """Write one run, indented; `checks` by code, `code` is how `check` will exit."""
    rules = list(dict.fromkeys(entry.code for entry in report.findings))
    prints = _read_fingerprints(report)
    seen: Counter[str] = Counter()
    results = [_build_result(entry, rules, prints, seen) for entry in report.findings]
    driver = {
        "name": report.tool.name,
        "version": report.tool.version,
        "semanticVersion": report.tool.version,
        "rules": [_build_rule(rule, report, checks.get(rule)) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_build_invocation(report, code)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "Where `pipedoctor check` was run."}}
        },
        "results": results,
        "properties": {
            "verdict": sentences.describe_verdict(report),
            "place": sentences.describe_place(report),
        },
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return encode_indented_json(log)


def _read_fingerprints(report: Report) -> dict[tuple[str, int], str]:
    """By path and line of a finding: what stands there, as a hash."""
    marks: list[dict[str, Any]] = report.facts.known.get("source", {}).get("marks", [])
    return {(join_cell(mark["path"], mark["cell"]), mark["line"]): mark["print"] for mark in marks}


def _build_rule(code: str, report: Report, check: Check[Any] | None) -> dict[str, Any]:
    entries = [entry for entry in report.findings if entry.code == code]
    worst = min((entry.severity for entry in entries), key=_SEVERITY_ORDER.index)
    level = SARIF_LEVELS[worst]
    text = check.doc.partition("\n##")[0].strip() if check else entries[0].title
    rule: dict[str, Any] = {
        "id": code,
        "name": _to_camel_case(entries[0].name),
        "shortDescription": {"text": _escape_text(entries[0].title)},
        "fullDescription": {"text": _escape_text(" ".join(text.split()))},
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["pytorch", "code" if entries[0].location else "machine"],
            "problem.severity": _PROBLEM_SEVERITIES[level],
        },
    }
    whole = render_page(check) if check else entries[0].title
    plain = re.sub(r"^```\w*\n?|^#+ |`", "", whole, flags=re.MULTILINE)
    rule["help"] = {"text": _escape_block(plain), "markdown": _escape_block(whole)}
    if entries[0].sources and entries[0].sources[0].startswith("https://"):
        rule["helpUri"] = quote(entries[0].sources[0], safe=":/?#[]@!$&'()*+,;=%~")
    return rule


def _to_camel_case(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", name))


def _build_result(
    entry: ReportedFinding,
    rules: list[str],
    fingerprints: Mapping[tuple[str, int], str],
    counts: Counter[str],
) -> dict[str, Any]:
    spot = entry.location
    known = fingerprints.get((spot.path, spot.line), "") if spot else ""
    anchor = _make_anchor(entry).encode(errors="surrogatepass")
    where = known or hashlib.sha256(anchor).hexdigest()[:16]
    counts[entry.code + where] += 1
    stable = f"{where}:{counts[entry.code + where]}"
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rules.index(entry.code),
        "level": SARIF_LEVELS[entry.severity],
        "rank": _SEVERITY_RANKS[entry.severity] - _CONFIDENCE_PENALTIES[entry.confidence],
        "message": {"text": "\n".join(map(_escape_text, annotation.format_annotation(entry)))},
        "locations": [_build_location(spot) if spot else _build_machine(entry)],
        "partialFingerprints": {
            "primaryLocationLineHash": stable,
            "pipedoctor/v1": f"{entry.code}:{stable}",
        },
        "properties": {
            "name": entry.name,
            "severity": entry.severity,
            "confidence": entry.confidence,
            "position": entry.rank,
            "evidence": dict(sentences.format_evidence(entry.evidence)),
            "explains": list(map(_escape_text, entry.explains)),
        },
    }
    result |= _build_other_places(entry)
    if found := list(build_fixes(entry)):
        result["fixes"] = found
    return result


def _build_other_places(entry: ReportedFinding) -> dict[str, Any]:
    """Where else it is, and the way of its loader from where it is made to its loop."""
    built: dict[str, Any] = {}
    if entry.also_at:
        built["relatedLocations"] = [
            {"id": n, **_build_location(place), "message": {"text": "also here"}}
            for n, place in enumerate(entry.also_at, 1)
        ]
    if entry.flow:
        steps = [
            {"location": {**_build_location(one.location), "message": {"text": one.text}}}
            for one in entry.flow
        ]
        built["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return built


def _make_anchor(entry: ReportedFinding) -> str:
    """What stays of a finding when lines move and nobody hashed its line."""
    spot = entry.location
    return f"{entry.code}\0{spot.path}\0{entry.summary}" if spot else entry.code


def _escape_text(text: str) -> str:
    """Shown as it is: what is no link of ours becomes none."""
    return sentences.clean_text(text).replace("](", "] (") or "-"


def _escape_block(text: str) -> str:
    return "\n".join(map(sentences.clean_text, text.split("\n"))).strip() or "-"


def _build_location(spot: Location) -> dict[str, Any]:
    cell = get_cell_number(spot)
    physical: dict[str, Any] = {"artifactLocation": build_artifact(get_file_path(spot))}
    location: dict[str, Any] = {"physicalLocation": physical}
    if cell:  # its lines are not those of the file
        physical["region"] = {"startLine": 1}
        name = f"cell {cell}"
        location["logicalLocations"] = [{"name": name, "kind": "module"}]
        return location
    region = {"startLine": max(1, spot.line), "startColumn": max(1, spot.column)}
    if spot.end_line is not None and spot.end_line >= region["startLine"]:
        region["endLine"] = spot.end_line
        if spot.end_column is not None:
            region["endColumn"] = max(1, spot.end_column)
    physical["region"] = region
    return location


def _build_machine(entry: ReportedFinding) -> dict[str, Any]:
    name = f"machine/{entry.name}"
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": MACHINE_URI, "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 1},
        },
        "logicalLocations": [{"name": entry.name, "fullyQualifiedName": name, "kind": "resource"}],
    }


def _build_invocation(report: Report, code: int) -> dict[str, Any]:
    return {
        "executionSuccessful": report.has_verdicts,
        "exitCode": code,
        "endTimeUtc": report.created,
        "toolExecutionNotifications": [
            *map(_build_skip, report.skipped),
            *map(_build_unread, sentences.list_unread(report)),
        ],
        "toolConfigurationNotifications": [
            *_build_pack_errors(report),
            *_build_configuration_notes(report),
        ],
    }


def _build_skip(skip: SkippedCheck) -> dict[str, Any]:
    kind = "accepted" if skip.accepted else "skipped"
    return {
        "level": "warning" if skip.reason.startswith("crashed") else "note",
        "message": {"text": _escape_text(f"{kind} {skip.code} {skip.name}: {skip.reason}")},
        "associatedRule": {"id": skip.code},
    }


def _build_unread(file: tuple[str, str]) -> dict[str, Any]:
    path, reason = file
    text = _escape_text(f"{path} was not read as code: {reason}")
    return {"level": "warning", "message": {"text": text}}


def _build_pack_errors(report: Report) -> Iterator[dict[str, Any]]:
    for pack in report.broken:
        text = _escape_text(f"pack {pack.pack} could not be loaded: {pack.reason}")
        yield {"level": "error", "message": {"text": text}}


def _build_configuration_notes(report: Report) -> Iterator[dict[str, Any]]:
    for sentence in describe_configuration(report.configuration):
        yield {"level": "note", "message": {"text": _escape_text(sentence)}}


def build_fixes(entry: ReportedFinding) -> Iterator[dict[str, Any]]:
    """
    One fix for each remedy that knows its edits.

    None in notebooks, where the lines of a cell are not those of the file, and none
    with code that a viewer would show in another order than Python reads it.
    """
    for remedy in entry.remedies:
        if not remedy.edits or any(edit.cell or _hides_text(edit) for edit in remedy.edits):
            continue
        changes: dict[str, dict[str, Any]] = {}
        for edit in remedy.edits:
            change = changes.setdefault(
                edit.path,
                {"artifactLocation": build_artifact(edit.path), "replacements": []},
            )
            change["replacements"].append(_build_replacement(edit))
        yield {
            "description": {"text": sentences.clean_text(remedy.title)},
            "artifactChanges": list(changes.values()),
        }


def _hides_text(edit: Edit) -> bool:
    lines = edit.replacement.replace("\t", " ").splitlines()
    return any(sentences.clean_text(line) != line for line in lines)


def _build_replacement(edit: Edit) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": edit.line,
            "startColumn": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
        },
        "insertedContent": {"text": edit.replacement},
    }
