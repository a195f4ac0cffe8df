"""Illnesses that only a log shows: what it told us, and what to do where."""

from pipedoctor.check import Finding, Findings, Severity
from pipedoctor.facts import Habitat, Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Lasts, Place, Remedy, fitting


def advise(
    title: str,
    *,
    argv: tuple[str, ...] = (),
    snippet: str = "",
    fits: tuple[Habitat, ...] = (),
    place: Place = Place.LAUNCHER,
) -> Remedy:
    """Tell a human what to do: nothing of this is run."""
    return Remedy(
        title=title,
        argv=argv,
        snippet=snippet,
        fits=fits,
        place=place,
        lasts=Lasts.ALWAYS,
        advice=True,
    )


def told(
    log: Log,
    site: Site | None,
    cause: str,
    summary: str,
    *remedies: Remedy,
    severity: Severity = Severity.BREAKS,
) -> Findings:
    """Speak where the log was found to speak of this cause."""
    if cause not in log.causes:
        return
    seen = log.of(cause)
    values = {f"log.{key}": value for one in seen for key, value in one.values.items()}
    yield Finding(
        severity=severity,
        summary=summary,
        evidence={"log.line": seen[0].line if seen else 0, **values},
        remedies=fitting(site.habitat if site else None, *remedies),
    )
