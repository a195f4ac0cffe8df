"""Is the cause in a log a matter of one package's version? The installed one tells."""

from pipedoctor.explanation.model import Here
from pipedoctor.facts import Distribution, Facts, Packages
from pipedoctor.log.signatures import Illness, Span
from pipedoctor.versions import numbers, reaches


def by_version(illness: Illness, name: str, facts: Facts) -> tuple[Here, str] | None:
    """What the installed version says of this illness, about the `name` in the log."""
    spans = [s for s in illness.installed if not s.names or name in s.names]
    packages = facts.get(Packages)
    if packages is None or not spans:
        return None
    found = [packages.find(package) for package in spans[0].packages]
    installed = [entry for entry in found if entry is not None]
    if len(installed) != 1 or not numbers(installed[0].version):
        return None
    return _state(installed[0], name if spans[0].names else "", spans)


def _state(entry: Distribution, name: str, spans: list[Span]) -> tuple[Here, str]:
    when = " or ".join(map(_words, spans))
    what = f"{name} is missing" if name else "this happens"
    why = f"{entry.name} {entry.version} is installed, and {what} {when}"
    if any(_within(entry.version, span.since, span.before) for span in spans):
        return "confirmed", why
    doubtful = any(
        _within(entry.version, span.since, span.well_from or span.before)
        for span in spans
    )
    return "unknown" if doubtful else "ruled-out", why


def _within(version: str, since: str, before: str) -> bool:
    late = reaches(version, since) if since else True
    return late and not (before and reaches(version, before))


def _words(span: Span) -> str:
    since = f"from {span.since} on" if span.since else ""
    before = f"before {span.before}" if span.before else ""
    return " and ".join(filter(None, (since, before)))
