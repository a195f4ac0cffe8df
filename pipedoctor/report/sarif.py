"""The report as SARIF 2.1.0, for code scanning: results, rules, skipped checks."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from pipedoctor.check import Check, Location
from pipedoctor.legible import indented
from pipedoctor.page import page
from pipedoctor.report import annotation, words
from pipedoctor.report.artifact import artifact
from pipedoctor.report.edits import fixes
from pipedoctor.report.model import Entry, Report, Skip
from pipedoctor.report.places import cell_of, file_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MACHINE = "this-machine"
"""Where findings about the machine are shown: code scanning wants some file."""
LEVELS = {"breaks": "error", "risks": "warning", "slows": "warning", "note": "note"}
_PROBLEMS = {"error": "error", "warning": "warning", "note": "recommendation"}
_RANKS = {"breaks": 90.0, "risks": 70.0, "slows": 50.0, "note": 20.0}
_DOUBTS = {"certain": 0.0, "likely": 5.0, "possible": 15.0}
_GRAVEST = ("breaks", "risks", "slows", "note")


def render(report: Report, checks: Mapping[str, Check[Any]], code: int) -> bytes:
    """Write one run, indented; `checks` by code, `code` is how `check` will exit."""
    rules = list(dict.fromkeys(entry.code for entry in report.findings))
    prints = _prints(report)
    seen: Counter[str] = Counter()
    results = [_result(entry, rules, prints, seen) for entry in report.findings]
    driver = {
        "name": report.tool.name,
        "version": report.tool.version,
        "semanticVersion": report.tool.version,
        "rules": [_rule(rule, report, checks.get(rule)) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, code)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "Where `pipedoctor check` was run."}}
        },
        "results": results,
        "properties": {"verdict": words.verdict(report), "place": words.place(report)},
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return indented(log)


def _prints(report: Report) -> dict[tuple[str, int], str]:
    """By path and line of a finding: what stands there, as a hash."""
    marks: list[dict[str, Any]] = report.facts.known.get("source", {}).get("marks", [])
    return {
        (f"{m['path']}#cell{m['cell']}" if m["cell"] else m["path"], m["line"]): m[
            "print"
        ]
        for m in marks
    }


def _rule(code: str, report: Report, check: Check[Any] | None) -> dict[str, Any]:
    entries = [entry for entry in report.findings if entry.code == code]
    worst = min((entry.severity for entry in entries), key=_GRAVEST.index)
    level = LEVELS[worst]
    text = check.doc.partition("\n##")[0].strip() if check else entries[0].title
    rule: dict[str, Any] = {
        "id": code,
        "name": _camel(entries[0].name),
        "shortDescription": {"text": _said(entries[0].title)},
        "fullDescription": {"text": _said(" ".join(text.split()))},
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["pytorch", "code" if entries[0].location else "machine"],
            "problem.severity": _PROBLEMS[level],
        },
    }
    whole = page(check) if check else entries[0].title
    plain = re.sub(r"^#+ |`", "", whole, flags=re.MULTILINE)
    rule["help"] = {"text": _block(plain), "markdown": _block(whole)}
    if entries[0].sources and entries[0].sources[0].startswith("https://"):
        rule["helpUri"] = quote(entries[0].sources[0], safe=":/?#[]@!$&'()*+,;=%~")
    return rule


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", name))


def _result(
    entry: Entry,
    rules: list[str],
    prints: Mapping[tuple[str, int], str],
    seen: Counter[str],
) -> dict[str, Any]:
    spot = entry.location
    known = prints.get((spot.path, spot.line), "") if spot else ""
    anchor = _anchor(entry).encode(errors="surrogatepass")
    where = known or hashlib.sha256(anchor).hexdigest()[:16]
    seen[entry.code + where] += 1
    stable = f"{where}:{seen[entry.code + where]}"
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rules.index(entry.code),
        "level": LEVELS[entry.severity],
        "rank": _RANKS[entry.severity] - _DOUBTS[entry.confidence],
        "message": {"text": "\n".join(map(_said, annotation.lines(entry)))},
        "locations": [_location(spot) if spot else _machine(entry)],
        "partialFingerprints": {
            "primaryLocationLineHash": stable,
            "pipedoctor/v1": f"{entry.code}:{stable}",
        },
        "properties": {
            "name": entry.name,
            "severity": entry.severity,
            "confidence": entry.confidence,
            "position": entry.rank,
            "evidence": dict(words.evidence(entry.evidence)),
            "explains": list(entry.explains),
        },
    }
    if entry.also_at:
        result["relatedLocations"] = [
            {"id": n, **_location(place), "message": {"text": "also here"}}
            for n, place in enumerate(entry.also_at, 1)
        ]
    if found := list(fixes(entry)):
        result["fixes"] = found
    return result


def _anchor(entry: Entry) -> str:
    """What stays of a finding when lines move and nobody hashed its line."""
    spot = entry.location
    return f"{entry.code}\0{spot.path}\0{entry.summary}" if spot else entry.code


def _said(text: str) -> str:
    """Shown as it is: what is no link of ours becomes none."""
    return words.clean(text).replace("](", "] (") or "-"


def _block(text: str) -> str:
    return "\n".join(map(words.clean, text.split("\n"))).strip() or "-"


def _location(spot: Location) -> dict[str, Any]:
    cell = cell_of(spot)
    physical: dict[str, Any] = {"artifactLocation": artifact(file_of(spot))}
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


def _machine(entry: Entry) -> dict[str, Any]:
    name = f"machine/{entry.name}"
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": MACHINE, "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 1},
        },
        "logicalLocations": [
            {"name": entry.name, "fullyQualifiedName": name, "kind": "resource"}
        ],
    }


def _invocation(report: Report, code: int) -> dict[str, Any]:
    return {
        "executionSuccessful": report.judged,
        "exitCode": code,
        "endTimeUtc": report.created,
        "toolExecutionNotifications": [
            *map(_skip, report.skipped),
            *map(_unread, words.unread(report)),
        ],
        "toolConfigurationNotifications": list(_broken(report)),
    }


def _skip(skip: Skip) -> dict[str, Any]:
    kind = "accepted" if skip.accepted else "skipped"
    return {
        "level": "warning" if skip.reason.startswith("crashed") else "note",
        "message": {"text": _said(f"{kind} {skip.code} {skip.name}: {skip.reason}")},
        "associatedRule": {"id": skip.code},
    }


def _unread(file: tuple[str, str]) -> dict[str, Any]:
    path, reason = file
    text = _said(f"{path} was not read as code: {reason}")
    return {"level": "warning", "message": {"text": text}}


def _broken(report: Report) -> Iterator[dict[str, Any]]:
    for pack in report.broken:
        text = _said(f"pack {pack.pack} would not load: {pack.reason}")
        yield {"level": "error", "message": {"text": text}}
