"""Put findings in the order to act on them; fold symptoms under their cause."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Confidence, Finding, Severity, Verdict


@dataclass(frozen=True)
class Ranked:
    """A finding with its place in the report, and why it stands there."""

    rank: int
    check: Check[Any]
    finding: Finding
    explains: tuple[str, ...]
    """Codes of the symptoms that are folded under it."""
    cause: str
    """Code of the cause it is folded under, or empty."""
    why: str


_COSTS = {
    Severity.BREAKS: "it will crash the job or give wrong results",
    Severity.RISKS: "it can crash the job",
    Severity.SLOWS: "it costs time",
    Severity.NOTE: "worth knowing",
}


def triage(catalogue: Catalogue, verdicts: Iterable[Verdict]) -> list[Ranked]:
    """
    Order all findings: a cause, then its symptoms, then the next cause.

    Groups stand by their worst member (breaks, risks, slows, note), then by the
    confidence and the gain of the cause; equal ones by code, so the order is total.
    """
    found = [
        (catalogue.checks[verdict.code], finding)
        for verdict in verdicts
        for finding in verdict.findings
    ]
    speaking = {check.code for check, _ in found}
    roots = {code: _root(catalogue, code, speaking) for code in speaking}
    worst: dict[str, Severity] = {}
    for check, finding in found:
        root = roots[check.code]
        worst[root] = max(worst.get(root, Severity.NOTE), finding.severity)

    def key(item: tuple[Check[Any], Finding]) -> tuple[Any, ...]:
        check, _ = item
        root = roots[check.code]
        return (-worst[root], _best(found, root), root, check.code != root, _own(item))

    ordered = sorted(found, key=key)
    return [
        _ranked(number, check, finding, roots, worst)
        for number, (check, finding) in enumerate(ordered, 1)
    ]


def _root(catalogue: Catalogue, code: str, speaking: set[str]) -> str:
    """Follow `after` up to a cause that speaks and has no speaking cause itself."""
    seen = {code}
    while True:
        causes = [c for c in catalogue.checks[code].after if c in speaking - seen]
        if not causes:
            return code
        code = causes[0]
        seen.add(code)


def _own(item: tuple[Check[Any], Finding]) -> tuple[Any, ...]:
    check, finding = item
    gain = finding.gain.value if finding.gain else 0.0
    place = finding.location
    where = (place.path, place.line, place.column) if place else ("", 0, 0)
    severity, confidence = finding.severity, finding.confidence
    return (-severity, -confidence, -gain, check.code, where, finding.summary)


def _best(found: list[tuple[Check[Any], Finding]], root: str) -> tuple[Any, ...]:
    """Confidence and gain of the root's best finding."""
    first = min(_own(item) for item in found if item[0].code == root)
    return first[1:3]


def _ranked(
    rank: int,
    check: Check[Any],
    finding: Finding,
    roots: dict[str, str],
    worst: dict[str, Severity],
) -> Ranked:
    root = roots[check.code]
    symptoms = tuple(sorted(c for c, r in roots.items() if r == check.code != c))
    if root != check.code:
        why = f"stands under {root}, which explains it"
    else:
        why = f"{finding.severity.name.lower()}: {_COSTS[finding.severity]}"
        if worst[root] > finding.severity:
            why += f"; raised to {worst[root].name.lower()} by what it explains"
        if symptoms:
            why += f"; a cause: explains {', '.join(symptoms)}"
    if finding.confidence is not Confidence.CERTAIN:
        why += f"; {finding.confidence.name.lower()}, not certain"
    if finding.gain is not None:
        why += (
            f"; gain {finding.gain.value:g} {finding.gain.unit} ({finding.gain.basis})"
        )
    cause = root if root != check.code else ""
    return Ranked(rank, check, finding, symptoms, cause, why)
