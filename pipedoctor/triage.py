"""Put findings in the order to act on them; fold symptoms under their cause."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Confidence, Finding, Severity, Verdict


class Ranked(msgspec.Struct, frozen=True):
    """A finding with its place in the report, and why it stands there."""

    rank: int
    check: Check[Any]
    finding: Finding
    explains: tuple[str, ...]
    """Codes of the symptoms that are folded under it."""
    cause: str
    """Code of the cause it is folded under, or empty."""
    why: str


class _Item(msgspec.Struct, frozen=True):
    """A finding with its sort key: first by grade, then so that no two are equal."""

    check: Check[Any]
    finding: Finding
    key: tuple[Any, ...]


class _Group(msgspec.Struct, frozen=True):
    """A finding that stands on its own, and the symptoms folded under it."""

    lead: _Item
    symptoms: tuple[_Item, ...] = ()

    @property
    def worst(self) -> Severity:
        return max(i.finding.severity for i in (self.lead, *self.symptoms))

    @property
    def key(self) -> tuple[Any, ...]:
        """By the gravest of all, and by its place; then as the lead alone."""
        return (min(i.key[0] for i in (self.lead, *self.symptoms)), *self.lead.key[1:])


_TESTS = re.compile(r"(^|/)(unit_?)?tests?/")
"""Code that runs for no job; what breaks there was often meant to."""
_LESS = 2
"""How many grades less a finding in tests counts for its rank."""
_ASIDE = re.compile(
    r"(^|/)((examples?|docs?|demos?|tutorials?|benchmarks?|configs?"
    r"|projects|contrib|third_?party|vendor|archive|deprecated)/|legacy)"
)
"""Code beside that which a project is for."""


_COSTS = {
    Severity.BREAKS: "it will crash the job or give wrong results",
    Severity.RISKS: "it can crash the job",
    Severity.SLOWS: "it costs time",
    Severity.NOTE: "worth knowing",
}


def triage(catalogue: Catalogue, verdicts: Iterable[Verdict]) -> list[Ranked]:
    """
    Order all findings: a cause, then its symptoms, then the next cause.

    Groups stand by their worst member (breaks, risks, slows, note), in tests by two
    grades less; then by what the remedy of the cause saves of an epoch, where that was
    measured; a project's own code before its examples, documents and side projects; by
    confidence and any other gain; equal ones by code, by how deep the file lies, by
    place and words, so the order is total and does not depend on the order of the
    verdicts. Of several findings of one check, the gravest carries the symptoms; equal
    ones of one place stand once.
    """
    items = _distinct(
        sorted(
            (
                _item(catalogue.checks[verdict.code], finding)
                for verdict in verdicts
                for finding in verdict.findings
            ),
            key=lambda item: item.key,
        )
    )
    ranked: list[Ranked] = []
    for group in sorted(_groups(catalogue, items), key=lambda group: group.key):
        ranked.append(_lead(len(ranked) + 1, group))
        for item in group.symptoms:
            ranked.append(_symptom(len(ranked) + 1, item, group.lead.check.code))
    return ranked


def _distinct(items: Iterable[_Item]) -> list[_Item]:
    """Once what is said twice of one place: code that is reached in two ways."""
    kept: list[_Item] = []
    for item in items:
        placed = item.finding.location is not None
        if not (placed and kept and kept[-1].key == item.key):
            kept.append(item)
    return kept


def _item(check: Check[Any], finding: Finding) -> _Item:
    gain = finding.gain.value if finding.gain else 0.0
    saved = finding.gain.of_epoch if finding.gain else 0.0
    place = finding.location
    path = place.path if place else ""
    where = (path.count("/"), path, place.line, place.column) if place else (0,)
    less = _LESS if _TESTS.search(path) else 0
    harm = finding.severity - less
    aside = bool(less or _ASIDE.search(path))
    grade = (-harm, -saved, aside, -finding.confidence, -gain, check.code)
    everything = msgspec.json.encode(finding, order="deterministic")
    return _Item(check, finding, (*grade, where, finding.summary, everything))


def _groups(catalogue: Catalogue, items: list[_Item]) -> Iterable[_Group]:
    """Fold every symptom under the first (gravest) finding of its root cause."""
    worst: dict[str, Severity] = {}
    for item in items:
        code = item.check.code
        worst[code] = max(worst.get(code, Severity.NOTE), item.finding.severity)
    roots = {code: _root(catalogue, code, worst) for code in worst}
    symptoms: dict[str, list[_Item]] = {}
    for item in items:
        root = roots[item.check.code]
        if root != item.check.code:
            symptoms.setdefault(root, []).append(item)
    for item in items:
        code = item.check.code
        if roots[code] == code:
            yield _Group(item, tuple(symptoms.pop(code, ())))


def _root(catalogue: Catalogue, code: str, worst: Mapping[str, Severity]) -> str:
    """
    Follow `after` up to a cause that speaks and has no speaking cause itself.

    What is only worth a note does not explain a crash: such a cause is passed over.
    Where causes name each other in a circle, its first code stands for all.
    """
    path: list[str] = []
    while code not in path:
        path.append(code)
        causes = [
            cause
            for cause in catalogue.checks[code].after
            if cause != code and worst.get(cause, 0) >= min(worst[code], Severity.SLOWS)
        ]
        if not causes:
            return code
        code = causes[0]
    return min(path[path.index(code) :])


def _lead(rank: int, group: _Group) -> Ranked:
    check, finding = group.lead.check, group.lead.finding
    explains = tuple(sorted({item.check.code for item in group.symptoms}))
    why = f"{finding.severity.name.lower()}: {_COSTS[finding.severity]}"
    if group.worst > finding.severity:
        why += f"; raised to {group.worst.name.lower()} by what it explains"
    if finding.location and _TESTS.search(finding.location.path):
        why += "; in tests, so it stands lower"
    if explains:
        why += f"; a cause: explains {', '.join(explains)}"
    return Ranked(rank, check, finding, explains, "", why + _doubts(finding))


def _symptom(rank: int, item: _Item, cause: str) -> Ranked:
    why = f"stands under {cause}, which explains it"
    return Ranked(
        rank, item.check, item.finding, (), cause, why + _doubts(item.finding)
    )


def _doubts(finding: Finding) -> str:
    """How sure it is, and what its remedy is worth, where there is more to say."""
    said = ""
    if finding.confidence is not Confidence.CERTAIN:
        said += f"; {finding.confidence.name.lower()}, not certain"
    if finding.gain is not None:
        gain = finding.gain
        said += f"; gain {gain.value:g} {gain.unit} ({gain.basis})"
    return said
