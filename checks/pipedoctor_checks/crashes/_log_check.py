"""Checks that report what an error log shows, declared without a body."""

from collections.abc import Callable
from typing import TypeAlias

from pipedoctor.check import Check, Finding, Findings, Remedy, Severity, check, select_remedies
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log

ChooseRemedies: TypeAlias = Callable[[Log], tuple[Remedy, ...]]
LogCheck: TypeAlias = Check[[Log, Site | None]]


def log_check(
    code: str,
    title: str,
    *,
    summary: str,
    remedies: tuple[Remedy, ...] | ChooseRemedies,
    severity: Severity = Severity.BREAKS,
) -> Callable[[Callable[[], None]], LogCheck]:
    """
    Turn a function that only has a page into a check of logs.

    The name of the function is the name of the cause in the signatures of logs: the
    check reports a finding if the log matched one of them. What cures it may depend on
    what the log says: then `remedies` is a function of the log.
    """

    def wrap(page: Callable[[], None]) -> LogCheck:
        def examine(log: Log, site: Site | None, /) -> Findings:
            chosen = remedies(log) if callable(remedies) else remedies
            return report_log_cause(log, site, page.__name__, summary, *chosen, severity=severity)

        examine.__name__ = page.__name__
        examine.__qualname__ = page.__qualname__
        examine.__module__ = page.__module__
        examine.__doc__ = page.__doc__
        return check(code, title)(examine)

    return wrap


def report_log_cause(
    log: Log,
    site: Site | None,
    cause: str,
    summary: str,
    *remedies: Remedy,
    severity: Severity = Severity.BREAKS,
) -> Findings:
    """Report a cause if the log matched its signature."""
    if cause not in log.causes:
        return
    seen = log.find_seen(cause)
    values = {f"log.{key}": value for one in seen for key, value in one.values.items()}
    yield Finding(
        severity=severity,
        summary=summary,
        evidence={"log.line": seen[0].line if seen else 0, **values},
        remedies=select_remedies(site.launcher if site else None, *remedies),
    )
