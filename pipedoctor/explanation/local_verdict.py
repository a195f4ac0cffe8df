"""Is the cause in a log true here? The check of the same name says so."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from pipedoctor.check import Check, Finding, Severity, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.runner import run_checks
from pipedoctor.explanation.advice import choose_advice, stands_alone
from pipedoctor.explanation.example_machine import fill_placeholders
from pipedoctor.explanation.installed_version import judge_by_version
from pipedoctor.explanation.local_evidence import describe_evidence
from pipedoctor.explanation.local_remedies import (
    EXAMPLE_SITES,
    PlaceFindings,
    build_advice,
    build_remedies,
    order_remedies,
)
from pipedoctor.explanation.logged_versions import (
    add_default_build,
    add_logged_versions,
    find_captured,
)
from pipedoctor.explanation.model import LocalState, SuggestedRemedy
from pipedoctor.explanation.other_machine import find_other_machine, judge_by_system
from pipedoctor.explanation.target_of_log import find_target
from pipedoctor.facts import SECTIONS, Facts, Launcher, Loader, Site
from pipedoctor.facts.log import Log
from pipedoctor.facts.record import MalformedRecordError
from pipedoctor.log.signatures import FailureMode
from pipedoctor.report.target_shell import TargetShell

_NO_CHECK_REASON = "no check can determine this on an idle machine; see the log or the running job"


class LocalVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What this machine says of a cause."""

    here: LocalState
    why: str
    remedies: tuple[SuggestedRemedy, ...]
    sources: tuple[str, ...] = ()
    assumed: str = ""
    """What the remedies assume of a job that is not known."""


def find_check(catalogue: Catalogue, failure: FailureMode) -> Check[...] | None:
    """The check that judges machines for this illness, if there is one."""
    check = catalogue.find_check(failure.judged_by or failure.name)
    needs_log = check is not None and check.needs.get(Log, False)
    return None if needs_log else check


def find_page(catalogue: Catalogue, failure: FailureMode) -> Check[...] | None:
    """The check that is the page of this illness."""
    return catalogue.find_check(failure.name)


def _find_cure(catalogue: Catalogue, failure: FailureMode, log: Log) -> Check[...] | None:
    """The check of another illness that causes this one, as the log has it."""
    seen = log.find_ids(failure.cause)
    names = (check for signature, check in failure.cured_by.items() if signature in seen)
    return next((catalogue.find_check(name) for name in names), None)


def name_place(facts: Facts) -> str:
    """The kind of place, as remedies name it; empty where nobody knows."""
    site = facts.get(Site)
    launcher = site.launcher if site else None
    return launcher.name.lower() if launcher and launcher is not Launcher.HOSTED else ""


def judge_causes(
    catalogue: Catalogue, failures: Iterable[FailureMode], facts: Facts, log: Log
) -> list[LocalVerdict]:
    """One for each of the illnesses, in their order."""
    log = add_default_build(log, catalogue.tables)
    wanted = list(failures)
    checks = [find_check(catalogue, i) for i in wanted]
    pages = [find_page(catalogue, i) for i in wanted]
    cures = [_find_cure(catalogue, i, log) for i in wanted]
    codes = {check.code for check in (*checks, *pages, *cures) if check is not None}
    here = _run_checks(catalogue, facts.merge(log), codes)
    return [
        _judge_cause(
            failure,
            check,
            page,
            here,
            facts.merge(log),
            _judge_places(catalogue, failure, facts, log, cure or page),
        )
        for failure, check, page, cure in zip(wanted, checks, pages, cures, strict=True)
    ]


def _judge_places(
    catalogue: Catalogue,
    failure: FailureMode,
    facts: Facts,
    log: Log,
    page: Check[...] | None,
) -> PlaceFindings:
    """What its page says in every place: of these facts, or of an ill machine's."""
    if page is None:
        return PlaceFindings(name_place(facts), (), {})
    code = {page.code}
    merged = facts.merge(log)
    own = _run_checks(catalogue, merged, code)[page.code].findings
    elsewhere = find_other_machine(log, name_place(facts))
    findings: dict[str, tuple[Finding, ...]] = {}
    job = [fact for fact in (merged.get(Loader),) if fact is not None]
    for name, site in EXAMPLE_SITES.items():
        example = _build_example(failure, name, log, merged) if elsewhere or not own else None
        site_facts = merged.merge(site) if example is None else example.merge(*job, log, site)
        settings = {} if example is None else {page.name: failure.ill_settings}
        verdicts = _run_checks(catalogue, site_facts, code, settings)
        findings[name] = verdicts[page.code].findings
    return PlaceFindings(name_place(facts), own, findings)


def _build_example(failure: FailureMode, name: str, log: Log, facts: Facts) -> Facts | None:
    """A machine in this kind of place that has the illness, as the log tells of it."""
    seen = log.find_ids(failure.cause)
    sections = failure.ill | failure.ill_at.get(name, {})
    for signature, others in failure.ill_if.items():
        sections = sections | others if signature in seen else sections
    filled = fill_placeholders(sections, lambda name: _look_up(name, failure.cause, log, facts))
    try:
        example = Facts.from_record({"known": filled, "unknown": {}}) if filled else None
    except MalformedRecordError:  # what the log captured is no such value
        return None
    return None if example is None else add_logged_versions(example, log)


def _look_up(key: str, cause: str, log: Log, facts: Facts) -> str:
    """A value that the log captured; one with a dot is of this machine."""
    section, dot, field = key.partition(".")
    if not dot:
        return find_captured(log, cause, key)
    value: object = facts.get(SECTIONS[section])
    for name in field.split("."):
        value = getattr(value, name, None)
    return "" if value is None else str(value)


def _run_checks(
    catalogue: Catalogue,
    facts: Facts,
    codes: set[str],
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Verdict]:
    verdicts = run_checks(
        catalogue,
        facts,
        check_filter=lambda check: check.code in codes,
        settings=settings,
    )
    return {verdict.code: verdict for verdict in verdicts}


def _judge_cause(
    failure: FailureMode,
    check: Check[...] | None,
    page: Check[...] | None,
    verdicts: Mapping[str, Verdict],
    facts: Facts,
    places: PlaceFindings,
) -> LocalVerdict:
    known = judge_by_system(failure, facts)
    state, why = known or _decide_state(failure, check, verdicts, facts)
    ours = places.at
    if state == "confirmed" and (origin := find_other_machine(facts.get(Log), ours)):
        state, why = "unknown", f"the log is from {origin}, not from this machine, where {why}"
    places = _move_to_place(places, _choose_place(failure, state, places.at, facts))
    target = find_target(state, facts, here=places.at in {"", ours})
    remedies = _suggest_first(failure, facts.get(Log), places, target)
    if check is not page or state != "confirmed":
        remedies = [replace(r, automatic=False, undo=()) for r in remedies]
    if check is not None and check is not page:
        findings = verdicts[check.code].findings
        own = tuple(f for f in findings if _is_same_failure(failure, f))
        remedies += build_remedies(PlaceFindings(places.at, own, {}), target)
    if not any(remedy.for_here for remedy in remedies):
        advice = choose_advice(failure, facts.get(Log), leads=False)
        remedies += build_advice(advice, places.at, target)
    return LocalVerdict(
        here=state,
        why=why,
        remedies=order_remedies(remedies),
        sources=page.sources if page is not None else failure.sources,
        assumed=_find_assumption(places),
    )


def _suggest_first(
    failure: FailureMode, log: Log | None, places: PlaceFindings, target: TargetShell
) -> list[SuggestedRemedy]:
    """What takes more from the log leads those of the check, or stands in place of them."""
    first = build_advice(choose_advice(failure, log, leads=True), places.at, target)
    alone = stands_alone(failure, log)
    return [*first, *(() if alone else build_remedies(places, target))]


def _find_assumption(places: PlaceFindings) -> str:
    """What the findings that remedies come from assume of the job."""
    groups = (places.here, *places.elsewhere.values())
    return next((f.assumed for group in groups for f in group if f.assumed), "")


def _choose_place(failure: FailureMode, state: LocalState, ours: str, facts: Facts) -> str:
    """
    Where a remedy has to fit: where the log is from, unless it is so here.

    A log that does not say is most likely from the usual place of its illness.
    """
    log = facts.get(Log) or Log()
    told = log.place if state != "confirmed" else ""
    known = ours != "bare" or state == "confirmed" or "notebook" in log.names
    usual = "" if known else failure.usual_place
    return (told or usual or ours) if ours else ours


def _move_to_place(places: PlaceFindings, at: str) -> PlaceFindings:
    """In another place than ours, its page finds there what it finds in such a place."""
    return places if at == places.at else replace(places, at=at, here=places.elsewhere.get(at, ()))


def _decide_state(
    failure: FailureMode,
    check: Check[...] | None,
    verdicts: Mapping[str, Verdict],
    facts: Facts,
) -> tuple[LocalState, str]:
    if check is None:
        log = facts.get(Log)
        name = log.find_value(failure.cause, "name") if log else ""
        return judge_by_version(failure, name, facts) or ("unknown", _NO_CHECK_REASON)
    verdict = verdicts[check.code]
    if verdict.skipped:
        return "unknown", f"{check.name} could not judge: {verdict.skipped}"
    grave = [f for f in verdict.findings if f.severity > Severity.NOTE]
    matching = [f for f in grave if _is_same_failure(failure, f)]
    if matching:
        return "confirmed", max(matching, key=lambda f: f.severity).summary
    if grave:
        return "unknown", f"{check.name} reports a different problem: {grave[0].summary}"
    if verdict.findings:
        return "unknown", f"only a note: {verdict.findings[0].summary}"
    return _explain_silence(failure, check, facts)


def _explain_silence(
    failure: FailureMode, check: Check[...], facts: Facts
) -> tuple[LocalState, str]:
    """Its check has found nothing at all."""
    values = describe_evidence(check.name, facts)
    why = f"{check.name} finds no problem on this machine"
    if failure.partly:
        return "unknown", f"{why}, but other causes are possible"
    return "ruled-out", f"{why}: {values}" if values else why


def _is_same_failure(failure: FailureMode, finding: Finding) -> bool:
    """Is it this illness that the check has found, and not another of its own?"""
    words = failure.judged_if
    texts = (finding.summary, *finding.evidence.values())
    return not words or any(word in f"{text}" for word in words for text in texts)
