"""Put findings in the order to act on them; fold symptoms under their cause."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pipedoctor.check import Check, Confidence, Finding, Severity, Verdict
from pipedoctor.engine.alike import (
    identify_advice,
    identify_change,
    identify_copy,
    merge_alike,
    offers_edits,
)
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.consequences import Consequences
from pipedoctor.lazy_pattern import compile_lazily


class RankedFinding(msgspec.Struct, frozen=True):
    """A finding with its place in the report, and why it stands there."""

    rank: int
    check: Check[Any]
    finding: Finding
    explains: tuple[str, ...]
    """Codes of the symptoms that are folded under it."""
    cause: str
    """Code of the cause it is folded under, or empty."""
    why: str


class _SortItem(msgspec.Struct, frozen=True):
    """A finding with its sort key: first by grade, then so that no two are equal."""

    check: Check[Any]
    finding: Finding
    key: tuple[Any, ...]


class _TriageGroup(msgspec.Struct, frozen=True):
    """A finding that stands on its own, and the symptoms folded under it."""

    lead: _SortItem
    symptoms: tuple[_SortItem, ...] = ()

    @property
    def worst(self) -> Severity:
        return max(i.finding.severity for i in (self.lead, *self.symptoms))

    @property
    def key(self) -> tuple[Any, ...]:
        """By the gravest of all, and by its place; then as the lead alone."""
        gravest = min(i.key[:2] for i in (self.lead, *self.symptoms))
        return (*gravest, *self.lead.key[2:])


_TEST_PATH = compile_lazily(r"(^|/)(unit_?)?tests?/")
"""Code that runs for no job; what breaks there was often meant to."""
_TEST_PENALTY = 2
"""How many grades less a finding in tests counts for its rank."""
_SIDE_PROJECT_PATH = compile_lazily(
    r"(^|/)((examples?|docs?|demos?|tutorials?|benchmarks?|configs?"
    r"|projects|contrib|third_?party|vendor|archive|deprecated)/|legacy)"
)
"""Code beside that which a project is for."""
_TRIAL_FILE = compile_lazily(
    r"(demo|test|eval|infer|predict|visuali[sz]e|synthesi[sz]e(?!r)|generate|ensemble)[^/]*$"
    r"|\.ipynb(#|$)"
)
"""A file that tries a model: of equal places that of another stands first."""


_CONSEQUENCES = {
    Severity.BREAKS: "it will crash the job or give wrong results",
    Severity.RISKS: "it can crash the job",
    Severity.SLOWS: "it costs time",
    Severity.NOTE: "worth knowing",
}


def triage(
    catalogue: Catalogue,
    verdicts: Iterable[Verdict],
    consequences: Consequences | None = None,
) -> list[RankedFinding]:
    """
    Order all findings: a cause, then its symptoms, then the next cause.

    Symptoms are what a check names (`after`), as far as `consequences` agree.
    A path that does not answer comes first: it keeps others from being judged. Groups
    stand by their worst member (breaks, risks, slows, note), in tests by two grades less;
    notes of no job in particular after the others; then by what the remedy of the cause
    saves of an epoch, where that was measured; a project's own code before its examples,
    documents and side projects; by confidence and any other gain; equal ones by code, by
    how deep the file lies, by place and words, so the order is total and does not depend
    on the order of the verdicts. Of several findings of one check, the gravest carries
    the symptoms; equal ones of one place stand once, and so do
    copies of code, and what one change mends in several files, where the check `merges`.
    """
    every = sorted(
        (
            _make_item(catalogue.checks[verdict.code], finding)
            for verdict in verdicts
            for finding in verdict.findings
        ),
        key=lambda item: item.key,
    )
    items = _merge_items(_drop_duplicates(every))
    ranked: list[RankedFinding] = []
    groups = _group_symptoms(catalogue, items, consequences or Consequences())
    for group in sorted(groups, key=lambda group: group.key):
        ranked.append(_rank_cause(len(ranked) + 1, group))
        for item in group.symptoms:
            ranked.append(_rank_symptom(len(ranked) + 1, item, group.lead.check.code))
    return ranked


def _drop_duplicates(items: Iterable[_SortItem]) -> list[_SortItem]:
    """Drop equal findings of one place: code that is reached in two ways."""
    kept: list[_SortItem] = []
    for item in items:
        placed = item.finding.location is not None
        if not (placed and kept and kept[-1].key == item.key):
            kept.append(item)
    return kept


def _merge_items(items: Iterable[_SortItem]) -> list[_SortItem]:
    """One item for copies of code, and where the same change mends several: at the first place."""
    groups: dict[Hashable, list[_SortItem]] = {}
    for number, item in enumerate(items):
        change: Hashable = number
        merges = item.check.merges or item.finding.remedies
        if item.finding.location is not None and merges:
            identify = identify_change if item.check.merges else identify_copy
            change = identify(item.finding)
        groups.setdefault((item.check.code, change), []).append(item)
    return [
        replace(its[0], finding=merge_alike(_order_places([one.finding for one in its])))
        for its in _join_bare_advice([*groups.values()])
    ]


def _join_bare_advice(groups: list[list[_SortItem]]) -> list[list[_SortItem]]:
    """The same advice with and without an edit stands once, where the check merges."""
    kept: dict[Hashable, list[_SortItem]] = {}
    for number, group in enumerate(groups):
        check, finding = group[0].check, group[0].finding
        advice: Hashable = number
        if check.merges and finding.location is not None and finding.remedies:
            advice = (check.code, identify_advice(finding))
        known = kept.setdefault(advice, [])
        if known and _offers_edits(known) and _offers_edits(group):
            kept[number] = group  # another edit, as far as it is unsafe
        else:
            known += group
    return [*kept.values()]


def _offers_edits(items: Iterable[_SortItem]) -> bool:
    return any(offers_edits(item.finding) for item in items)


def _order_places(findings: Sequence[Finding]) -> list[Finding]:
    """Those of the first one's weight before others, and what trains before what tries a model."""
    first = findings[0].severity

    def stands_back(finding: Finding) -> tuple[bool, bool, bool]:
        path = finding.location.path if finding.location else ""
        tries = _TRIAL_FILE.search(path) is not None
        return finding.severity != first, tries, "train" not in path.rpartition("/")[2]

    return sorted(findings, key=stands_back)


def _make_item(check: Check[Any], finding: Finding) -> _SortItem:
    gain = finding.gain.value if finding.gain else 0.0
    saved = finding.gain.epoch_fraction if finding.gain else 0.0
    place = finding.location
    path = place.path if place else ""
    where = (path.count("/"), path, place.line, place.column) if place else (0,)
    less = _TEST_PENALTY if _TEST_PATH.search(path) else 0
    harm = finding.severity - less
    aside = bool(less or _SIDE_PROJECT_PATH.search(path))
    unasked = check.background and finding.severity is Severity.NOTE
    weight = (not check.leads, -harm, unasked, -saved)
    grade = (*weight, aside, -finding.confidence, -gain, check.code)
    everything = msgspec.json.encode(finding, order="deterministic")
    return _SortItem(check, finding, (*grade, where, finding.summary, everything))


def _group_symptoms(
    catalogue: Catalogue, items: list[_SortItem], consequences: Consequences
) -> Iterable[_TriageGroup]:
    """Fold every symptom under the first (gravest) finding of its root cause."""
    worst: dict[str, Severity] = {}
    for item in items:
        code = item.check.code
        worst[code] = max(worst.get(code, Severity.NOTE), item.finding.severity)
    after = {code: consequences.choose_causes(code, catalogue.checks[code].after) for code in worst}
    roots = {code: _find_root_cause(after, code, worst) for code in worst}
    symptoms: dict[str, list[_SortItem]] = {}
    for item in items:
        root = roots[item.check.code]
        if root != item.check.code:
            symptoms.setdefault(root, []).append(item)
    for item in items:
        code = item.check.code
        if roots[code] == code:
            yield _TriageGroup(item, tuple(symptoms.pop(code, ())))


def _find_root_cause(
    after: Mapping[str, Iterable[str]], code: str, worst: Mapping[str, Severity]
) -> str:
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
            for cause in after[code]
            if cause != code and worst.get(cause, 0) >= min(worst[code], Severity.SLOWS)
        ]
        if not causes:
            return code
        code = causes[0]
    return min(path[path.index(code) :])


def _rank_cause(rank: int, group: _TriageGroup) -> RankedFinding:
    check, finding = group.lead.check, group.lead.finding
    explains = tuple(sorted({item.check.code for item in group.symptoms}))
    why = f"{finding.severity.name.lower()}: {_CONSEQUENCES[finding.severity]}"
    if group.worst > finding.severity:
        why += f"; raised to {group.worst.name.lower()} by the findings it explains"
    if finding.location and _TEST_PATH.search(finding.location.path):
        why += "; in tests, so ranked lower"
    if explains:
        why += f"; a cause: explains {', '.join(explains)}"
    return RankedFinding(rank, check, finding, explains, "", why + _describe_confidence(finding))


def _rank_symptom(rank: int, item: _SortItem, cause: str) -> RankedFinding:
    why = f"folded under {cause}, which explains it"
    return RankedFinding(
        rank,
        item.check,
        item.finding,
        (),
        cause,
        why + _describe_confidence(item.finding),
    )


def _describe_confidence(finding: Finding) -> str:
    """How sure it is, and what its remedy is worth, where there is more to say."""
    text = ""
    if finding.confidence is not Confidence.CERTAIN:
        text += f"; {finding.confidence.name.lower()}, not certain"
    if finding.gain is not None:
        gain = finding.gain
        text += f"; gain {gain.value:g} {gain.unit} ({gain.basis})"
    return text
