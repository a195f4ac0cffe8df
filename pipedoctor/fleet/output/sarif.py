"""A fleet as SARIF 2.1.0: a result for each outlier and each finding."""

from typing import Any
from urllib.parse import quote

from pipedoctor.fleet.model import FleetFinding, FleetReport, Outlier
from pipedoctor.fleet.output import words
from pipedoctor.report.sarif import SARIF_LEVELS, SARIF_SCHEMA
from pipedoctor.report.sentences import clean_text
from pipedoctor.textsafe import encode_indented_json

OUTLIER_RULE = "node-outlier"


def render(report: FleetReport, code: int) -> bytes:
    """Write one run; `code` is how the command will exit."""
    files = {one.node: one.file for one in report.nodes}
    rules = [_build_rule(OUTLIER_RULE, "A node is an outlier among its peers")]
    known = {OUTLIER_RULE: 0}
    results = [_build_outlier_result(one, files) for one in report.outliers]
    for finding in report.findings:
        if finding.code not in known:
            known[finding.code] = len(rules)
            rules.append(_build_rule(finding.code, finding.title or finding.name))
        results.append(_build_finding_result(finding, files, known[finding.code]))
    driver = {
        "name": report.tool.name,
        "version": report.tool.version,
        "semanticVersion": report.tool.version,
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "exitCode": code}],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"verdict": words.describe_verdict(report)},
    }
    return encode_indented_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _build_rule(code: str, title: str) -> dict[str, Any]:
    return {"id": clean_text(code), "shortDescription": {"text": clean_text(title) or "none"}}


def _build_outlier_result(one: Outlier, files: dict[str, str]) -> dict[str, Any]:
    return {
        "ruleId": OUTLIER_RULE,
        "ruleIndex": 0,
        "level": SARIF_LEVELS[one.severity],
        "message": {"text": clean_text(one.summary)},
        "locations": [_build_location(files[one.node])],
        "partialFingerprints": {"pipedoctor/fleet/v1": clean_text(f"{one.node}:{one.property}")},
        "properties": {
            "node": clean_text(one.node),
            "group": clean_text(one.group),
            "property": clean_text(one.property),
            "severity": one.severity,
            "share": one.share,
        },
    }


def _build_finding_result(one: FleetFinding, files: dict[str, str], rule: int) -> dict[str, Any]:
    places = [files[node] for node in one.nodes[: words.MAX_LISTED] if node in files]
    return {
        "ruleId": clean_text(one.code),
        "ruleIndex": rule,
        "level": SARIF_LEVELS[one.severity],
        "message": {"text": words.describe_finding(one) or "none"},
        "locations": [_build_location(file) for file in places] or [_build_location("fleet")],
        "partialFingerprints": {"pipedoctor/fleet/v1": clean_text(f"{one.code}:{one.name}")},
        "properties": {
            "severity": one.severity,
            "nodes": [clean_text(node) for node in one.nodes],
        },
    }


def _build_location(file: str) -> dict[str, Any]:
    uri = quote(file.encode(errors="surrogateescape"), safe="/")
    return {"physicalLocation": {"artifactLocation": {"uri": uri.lstrip("/")}}}
