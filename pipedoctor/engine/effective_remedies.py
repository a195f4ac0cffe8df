"""A remedy is offered only if its check, asked again after it, would be quiet."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from pipedoctor.check import Check, Finding, Remedy, Severity, Verdict
from pipedoctor.check.remedy_steps import as_step, group_steps
from pipedoctor.engine.effects import predict_facts
from pipedoctor.facts import Facts
from pipedoctor.facts.log import Log

Judge = Callable[[Facts], Sequence[Finding]]
Predict = Callable[[tuple[Remedy, ...]], Facts | None]


def keep_effective_remedies(
    check: Check[...], facts: Facts, verdict: Verdict, settings: Mapping[str, Any]
) -> Verdict:
    """
    The same verdict without remedies that would leave the finding as it is.

    What a remedy changes is applied to the facts, and the check is asked again. Those
    that suffice stay; where none does, the first two that suffice together; where
    these are missing, too, those after which the finding is milder. Remedies of which
    nobody can compute what they change stay, and those of what only a log tells: the
    facts are not of the machine that wrote it.
    """
    if not any(finding.remedies for finding in verdict.findings):
        return verdict
    if Log in check.needs and not check.run(facts.without(Log), **settings).findings:
        return verdict

    @cache
    def apply(steps: tuple[Remedy, ...]) -> Facts | None:
        return _apply(facts, steps)

    judged: dict[int, Sequence[Finding]] = {}

    def judge(changed: Facts) -> Sequence[Finding]:
        """Ask the check once about facts that many findings would come to."""
        if id(changed) not in judged:
            judged[id(changed)] = check.run(changed, **settings).findings
        return judged[id(changed)]

    kept = tuple(_filter_remedies(one, verdict.findings, apply, judge) for one in verdict.findings)
    return Verdict(verdict.code, kept)


def _filter_remedies(
    finding: Finding, all_findings: Sequence[Finding], apply: Predict, judge: Judge
) -> Finding:
    steps = [*group_steps(finding.remedies)]
    changed = [apply(step) for step in steps]
    if all(one is None for one in changed):
        return finding
    before = _count_alike(finding, all_findings)

    def get_remaining_severity(facts: Facts) -> Severity | None:
        """The severity that is left of the finding; None: it is gone."""
        alike = [one for one in judge(facts) if _is_alike(one, finding)]
        return None if len(alike) < before else max(one.severity for one in alike)

    left = [finding.severity if one is None else get_remaining_severity(one) for one in changed]
    chosen = [
        step
        for step, one, grade in zip(steps, changed, left, strict=True)
        if one is None or grade is None
    ]
    if any(one is not None and grade is None for one, grade in zip(changed, left, strict=True)):
        return _with_remedies(finding, chosen)
    modelled = [step for step, one in zip(steps, changed, strict=True) if one is not None]
    pair = _find_sufficient_pair(modelled, apply, get_remaining_severity)
    milder = [
        step
        for step, one, grade in zip(steps, changed, left, strict=True)
        if one is None or (grade is not None and grade < finding.severity)
    ]
    return _with_remedies(finding, [*pair, *(chosen if pair else milder)])


def _apply(facts: Facts, steps: Sequence[Remedy]) -> Facts | None:
    for remedy in steps:
        changed = predict_facts(facts, remedy)
        if changed is None:
            return None
        facts = changed
    return facts


def _is_alike(one: Finding, other: Finding) -> bool:
    """Are both about the same thing: the place, and what the evidence names?"""
    return one.location == other.location and _name_subject(one) == _name_subject(other)


def _name_subject(finding: Finding) -> tuple[object, ...]:
    subject = ("folder", "mount.point", "name", "package", "path")
    return tuple(finding.evidence.get(key) for key in subject)


def _count_alike(finding: Finding, findings: Sequence[Finding]) -> int:
    return sum(_is_alike(one, finding) for one in findings)


def _find_sufficient_pair(
    steps: Sequence[tuple[Remedy, ...]],
    apply: Predict,
    get_remaining_severity: Callable[[Facts], Severity | None],
) -> list[tuple[Remedy, ...]]:
    for first, second in combinations(steps, 2):
        after = apply((*first, *second))
        if after is not None and get_remaining_severity(after) is None:
            return [(*first, as_step(second[0]), *second[1:])]
    return []


def _with_remedies(finding: Finding, steps: Sequence[tuple[Remedy, ...]]) -> Finding:
    remedies = tuple(remedy for step in steps for remedy in step)
    return finding if remedies == finding.remedies else replace(finding, remedies=remedies)
