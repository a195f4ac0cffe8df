"""Is the cause in a log a matter of one package's version? The installed one tells."""

from pipedoctor.explanation.model import LocalState
from pipedoctor.facts import Distribution, Facts, Packages
from pipedoctor.log.signatures import FailureMode, VersionRange
from pipedoctor.versions import is_at_least, parse_version


def judge_by_version(
    failure: FailureMode, name: str, facts: Facts
) -> tuple[LocalState, str] | None:
    """What the installed version says of this illness, about the `name` in the log."""
    spans = [s for s in failure.installed if not s.names or name in s.names]
    packages = facts.get(Packages)
    if packages is None or not spans:
        return None
    entries = [packages.find(package) for package in spans[0].packages]
    installed = [entry for entry in entries if entry is not None]
    if len(installed) != 1 or not parse_version(installed[0].version):
        return None
    return _judge_version(installed[0], name if spans[0].names else "", spans)


def _judge_version(
    entry: Distribution, name: str, spans: list[VersionRange]
) -> tuple[LocalState, str]:
    when = " or ".join(map(_describe_range, spans))
    what = f"{name} is missing" if name else "this happens"
    why = f"{entry.name} {entry.version} is installed, and {what} {when}"
    if any(_is_within(entry.version, span.since, span.before) for span in spans):
        return "confirmed", why
    doubtful = any(
        _is_within(entry.version, span.since, span.well_from or span.before) for span in spans
    )
    return "unknown" if doubtful else "ruled-out", why


def _is_within(version: str, since: str, limit: str) -> bool:
    late = is_at_least(version, since) if since else True
    return late and not (limit and is_at_least(version, limit))


def _describe_range(span: VersionRange) -> str:
    since = f"in {span.since} or newer" if span.since else ""
    before = f"before {span.before}" if span.before else ""
    return " and ".join(filter(None, (since, before)))
