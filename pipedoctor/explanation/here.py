"""Is the cause in a log true here? The check of the same name says so."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Finding, Severity, Verdict
from pipedoctor.explanation.example import filled
from pipedoctor.explanation.installed import by_version
from pipedoctor.explanation.measured import measured
from pipedoctor.explanation.model import Here, Treatment
from pipedoctor.explanation.where import by_system
from pipedoctor.facts import Facts, Habitat, Site, Slurm
from pipedoctor.facts.log import Log
from pipedoctor.facts.record import Malformed
from pipedoctor.judge import judge
from pipedoctor.log.signatures import Advice, Illness
from pipedoctor.remedy import Lasts, Place, Remedy
from pipedoctor.report.model import cure

_SITES: Mapping[str, Site] = {
    "bare": Site(system="linux"),
    "docker": Site(system="linux", container="docker"),
    "kubernetes": Site(system="linux", container="kubernetes"),
    "slurm": Site(system="linux", slurm=Slurm(job_id="")),
}
_NO_CHECK = "no check can tell from here; the log, or the running job, shows it"


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What this machine says of a cause."""

    here: Here
    why: str
    remedies: tuple[Treatment, ...]
    sources: tuple[str, ...] = ()


class _Places(msgspec.Struct, frozen=True):
    """What the page of an illness finds in this place, and in every other."""

    at: str
    here: tuple[Finding, ...]
    elsewhere: Mapping[str, tuple[Finding, ...]]


def check_of(catalogue: Catalogue, illness: Illness) -> Check[...] | None:
    """The check that judges machines for this illness, if there is one."""
    check = catalogue.find(illness.judged_by or illness.name)
    told = check is not None and check.needs.get(Log, False)
    return None if told else check


def page_of(catalogue: Catalogue, illness: Illness) -> Check[...] | None:
    """The check that is the page of this illness."""
    return catalogue.find(illness.name)


def place(facts: Facts) -> str:
    """The kind of place, as remedies name it; empty where nobody knows."""
    site = facts.get(Site)
    habitat = site.habitat if site else None
    return habitat.name.lower() if habitat and habitat is not Habitat.HOSTED else ""


def opinions(
    catalogue: Catalogue, illnesses: Iterable[Illness], facts: Facts, log: Log
) -> list[Opinion]:
    """One for each of the illnesses, in their order."""
    wanted = list(illnesses)
    checks = [check_of(catalogue, i) for i in wanted]
    pages = [page_of(catalogue, i) for i in wanted]
    codes = {check.code for check in (*checks, *pages) if check is not None}
    here = _verdicts(catalogue, facts.plus(log), codes)
    return [
        _opinion(
            illness,
            check,
            page,
            here,
            facts.plus(log),
            _elsewhere(catalogue, illness, facts, log, page),
        )
        for illness, check, page in zip(wanted, checks, pages, strict=True)
    ]


def _elsewhere(
    catalogue: Catalogue,
    illness: Illness,
    facts: Facts,
    log: Log,
    page: Check[...] | None,
) -> _Places:
    """What its page says in every place: of these facts, or of an ill machine's."""
    if page is None:
        return _Places(place(facts), (), {})
    code = {page.code}
    known = facts.plus(log)
    own = _verdicts(catalogue, known, code)[page.code].findings
    found: dict[str, tuple[Finding, ...]] = {}
    for name, site in _SITES.items():
        example = None if own else _example(illness, name, log)
        there = known.plus(site) if example is None else example.plus(log, site)
        settings = {} if example is None else {page.name: illness.ill_settings}
        verdicts = _verdicts(catalogue, there, code, settings)
        found[name] = verdicts[page.code].findings
    return _Places(place(facts), own, found)


def _example(illness: Illness, name: str, log: Log) -> Facts | None:
    """A machine in this kind of place that has the illness, as the log tells of it."""
    sections = illness.ill | illness.ill_at.get(name, {})
    told = filled(sections, lambda value: log.value(illness.cause, value))
    try:
        return Facts.from_record({"known": told, "unknown": {}}) if told else None
    except Malformed:  # what the log captured is no such value
        return None


def _verdicts(
    catalogue: Catalogue,
    facts: Facts,
    codes: set[str],
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Verdict]:
    verdicts = judge(
        catalogue, facts, chosen=lambda check: check.code in codes, settings=settings
    )
    return {verdict.code: verdict for verdict in verdicts}


def _opinion(
    illness: Illness,
    check: Check[...] | None,
    page: Check[...] | None,
    here: Mapping[str, Verdict],
    facts: Facts,
    places: _Places,
) -> Opinion:
    known = by_system(illness, facts)
    state, why = known or _state(illness, check, here, facts)
    places = replace(places, at=_at(state, places.at, facts))
    remedies = [*_treatments(places)]
    if check is not page or state != "confirmed":
        remedies = [replace(r, automatic=False, undo=()) for r in remedies]
    if check is not None and check is not page:
        findings = here[check.code].findings
        own = tuple(f for f in findings if _meant(illness, f))
        remedies += _treatments(_Places(places.at, own, {}))
    if not remedies:
        remedies = [_advice(advice, places.at) for advice in illness.remedies]
    return Opinion(
        here=state,
        why=why,
        remedies=tuple(sorted(_distinct(remedies), key=lambda t: not t.for_here)),
        sources=page.sources if page is not None else illness.sources,
    )


def _at(state: Here, ours: str, facts: Facts) -> str:
    """Where a remedy has to fit: where the log is from, unless it is so here."""
    log = facts.get(Log)
    told = log.place if log is not None and state != "confirmed" else ""
    return told if told and ours else ours


def _state(
    illness: Illness,
    check: Check[...] | None,
    here: Mapping[str, Verdict],
    facts: Facts,
) -> tuple[Here, str]:
    if check is None:
        log = facts.get(Log)
        name = log.value(illness.cause, "name") if log else ""
        return by_version(illness, name, facts) or ("unknown", _NO_CHECK)
    verdict = here[check.code]
    if verdict.skipped:
        return "unknown", f"{check.name} could not judge: {verdict.skipped}"
    grave = [f for f in verdict.findings if f.severity > Severity.NOTE]
    meant = [f for f in grave if _meant(illness, f)]
    if meant:
        return "confirmed", max(meant, key=lambda f: f.severity).summary
    if grave:
        return "unknown", f"{check.name} finds something else: {grave[0].summary}"
    if verdict.findings:
        return "unknown", f"worth a note only: {verdict.findings[0].summary}"
    return _silent(illness, check, facts)


def _silent(illness: Illness, check: Check[...], facts: Facts) -> tuple[Here, str]:
    """Its check has found nothing at all."""
    values = measured(check.name, facts)
    why = f"{check.name} finds nothing wrong on this machine"
    if illness.partly:
        return "unknown", f"{why}, but there are other reasons"
    return "ruled-out", f"{why}: {values}" if values else why


def _meant(illness: Illness, finding: Finding) -> bool:
    """Is it this illness that the check has found, and not another of its own?"""
    words = illness.judged_if
    said = (finding.summary, *finding.evidence.values())
    return not words or any(word in f"{text}" for word in words for text in said)


def _treatments(places: _Places) -> Iterable[Treatment]:
    at = places.at
    for remedy in _remedies(places.here):
        yield _treatment(remedy, (at,) if remedy.fits and at else (), for_here=True)
    where: dict[Remedy, tuple[str, ...]] = {}
    for name, found in places.elsewhere.items():
        for remedy in _remedies(found):
            where[remedy] = (*where.get(remedy, ()), name)
    for remedy, names in where.items():
        fits = () if len(names) == len(_SITES) else names
        yield _treatment(remedy, fits, for_here=not fits or at in {"", *fits})


def _remedies(findings: Iterable[Finding]) -> Iterable[Remedy]:
    for finding in findings:
        yield from finding.remedies


def _treatment(remedy: Remedy, fits: tuple[str, ...], *, for_here: bool) -> Treatment:
    fields = msgspec.structs.asdict(cure(remedy))
    return Treatment(**fields, fits=fits, for_here=for_here)


def _advice(advice: Advice, at: str) -> Treatment:
    remedy = Remedy(
        title=advice.title,
        argv=advice.argv,
        snippet=advice.snippet,
        lasts=Lasts.ALWAYS,
        place=Place[advice.place.upper()],
        fits=tuple(Habitat[name.upper()] for name in advice.fits),
        advice=True,
    )
    here = not advice.fits or at in {"", *advice.fits}
    return _treatment(remedy, advice.fits, for_here=here)


def _distinct(treatments: Iterable[Treatment]) -> Iterable[Treatment]:
    seen: set[tuple[str, str, str]] = set()
    for one in treatments:
        key = (one.title, one.shell, one.snippet)
        if key not in seen:
            seen.add(key)
            yield one
