"""Is the cause in a log true here? The check of the same name says so."""

from collections.abc import Iterable, Mapping

import msgspec

from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Finding, Severity, Verdict
from pipedoctor.explanation.model import PLACES, Here, Treatment
from pipedoctor.facts import Facts, Habitat, Site, Slurm
from pipedoctor.facts.log import Log
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


def check_of(catalogue: Catalogue, illness: Illness) -> Check[...] | None:
    """The check that judges machines for this illness, if there is one."""
    check = catalogue.find(illness.judged_by or illness.name)
    return None if check is None or Log in check.needs else check


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
    elsewhere = {
        name: _verdicts(catalogue, facts.plus(log, site), codes)
        for name, site in _SITES.items()
    }
    return [
        _opinion(illness, check, page, here, elsewhere, place(facts))
        for illness, check, page in zip(wanted, checks, pages, strict=True)
    ]


def _verdicts(
    catalogue: Catalogue, facts: Facts, codes: set[str]
) -> dict[str, Verdict]:
    verdicts = judge(catalogue, facts, chosen=lambda check: check.code in codes)
    return {verdict.code: verdict for verdict in verdicts}


def _opinion(
    illness: Illness,
    check: Check[...] | None,
    page: Check[...] | None,
    here: Mapping[str, Verdict],
    elsewhere: Mapping[str, Mapping[str, Verdict]],
    at: str,
) -> Opinion:
    state, why = _state(check, here)
    told = [c for c in (page, check) if c is not None]
    remedies = [t for c in told for t in _treatments(c.code, here, elsewhere, at)]
    remedies += [_advice(advice, at) for advice in illness.remedies if not remedies]
    sources = page.sources if page is not None else illness.sources
    return Opinion(
        here=state,
        why=why,
        remedies=tuple(sorted(_distinct(remedies), key=lambda t: not t.for_here)),
        sources=sources,
    )


def _state(check: Check[...] | None, here: Mapping[str, Verdict]) -> tuple[Here, str]:
    if check is None:
        return "unknown", _NO_CHECK
    verdict = here[check.code]
    if verdict.skipped:
        return "unknown", f"{check.name} could not judge: {verdict.skipped}"
    grave = [f for f in verdict.findings if f.severity > Severity.NOTE]
    if grave:
        return "confirmed", max(grave, key=lambda f: f.severity).summary
    if verdict.findings:
        return "unknown", f"worth a note only: {verdict.findings[0].summary}"
    return "ruled-out", f"{check.name} finds nothing wrong on this machine"


def _treatments(
    code: str,
    here: Mapping[str, Verdict],
    elsewhere: Mapping[str, Mapping[str, Verdict]],
    at: str,
) -> Iterable[Treatment]:
    for remedy in _remedies(here[code].findings):
        yield _treatment(remedy, (at,) if remedy.fits and at else (), for_here=True)
    for name in PLACES:
        for remedy in _remedies(elsewhere[name][code].findings):
            fits = tuple(habitat.name.lower() for habitat in remedy.fits)
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
