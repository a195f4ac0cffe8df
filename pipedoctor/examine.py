"""The straight line from facts to a report: judge, narrow, accept, triage."""

import datetime as dt
import functools
import math
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from pipedoctor.acceptance import Accepted, accept, expired
from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Verdict
from pipedoctor.facts import Fact, Facts, Loader, Pipeline
from pipedoctor.judge import Chosen, judge
from pipedoctor.measured import joined
from pipedoctor.narrow.narrow import Narrowing, narrow
from pipedoctor.redact import Level, Redactor
from pipedoctor.report.json import read
from pipedoctor.report.model import Report, build
from pipedoctor.triage import triage


class Standards(msgspec.Struct, frozen=True, kw_only=True):
    """How to judge: which checks, with which thresholds, which risks are taken."""

    chosen: Chosen = lambda _: True
    settings: Mapping[str, Mapping[str, Any]] = msgspec.field(
        default_factory=dict[str, Mapping[str, Any]]
    )
    accepted: Mapping[str, Accepted] = msgspec.field(
        default_factory=dict[str, Accepted]
    )
    """By code."""
    narrowing: Narrowing = Narrowing()
    measured: tuple[Fact, ...] = ()
    """Known before, as `bench` has measured it; judged with all the rest."""
    unmeasured: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """By section: why there is no measurement of it."""
    redactor: Redactor = msgspec.field(default_factory=lambda: Redactor(Level.NOTHING))


def reexamine(
    catalogue: Catalogue, data: bytes, loader: Loader | None, standards: Standards
) -> Report:
    """
    Judge the facts of a JSON report; nothing of this machine is looked at.

    What `loader` knows of the job replaces what the report says of it. Raises
    Malformed where `data` is no report.
    """
    began = time.monotonic()
    facts, recorded = read(data)
    if loader is not None:
        facts = facts.plus(_joined(facts.get(Loader) or Loader(), loader))
    return judged(catalogue, facts, standards, began=began, recorded=recorded)


def judged(
    catalogue: Catalogue,
    facts: Facts,
    standards: Standards,
    *,
    began: float,
    until: float = math.inf,
    recorded: str = "",
) -> Report:
    """
    Judge facts, whoever collected them; both times are on the monotonic clock.

    They are redacted first: whatever is said of them is redacted by construction.
    """
    now = dt.datetime.now(tz=dt.timezone.utc)
    facts = joined(facts, standards.measured, standards.unmeasured)
    facts = standards.redactor.facts(facts)
    verdicts = [
        accept(verdict, standards.accepted.get(verdict.code), now.date())
        for verdict in _counting(catalogue, facts, standards, until)
    ]
    if facts.get(Pipeline) is not None:
        from pipedoctor.tune.price import priced  # noqa: PLC0415  (few runs measure)

        verdicts = priced(facts, verdicts)
    report = build(
        catalogue,
        facts,
        verdicts,
        triage(catalogue, verdicts),
        remarks=expired(standards.accepted, now.date()),
        created=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=time.monotonic() - began,
        recorded=recorded,
    )
    return _discreet(report, standards.redactor)


def _counting(
    catalogue: Catalogue, facts: Facts, standards: Standards, until: float
) -> list[Verdict]:
    """What every check says, without what a comment, file or baseline leaves out."""
    found = judge(
        catalogue,
        facts,
        chosen=standards.chosen,
        settings=standards.settings,
        until=until,
    )
    return narrow(
        catalogue,
        facts,
        found,
        standards.narrowing,
        chosen=standards.chosen,
        redact=standards.redactor.text,
    )


def _joined(known: Loader, given: Loader) -> Loader:
    """The loader of a record, with what the command line says of it instead."""
    said = {name: getattr(given, name) for name in given.origin}
    return msgspec.structs.replace(
        known, **said, origin={**known.origin, **given.origin}
    )


def _discreet(report: Report, redactor: Redactor) -> Report:
    """What crashed says where: the one text that does not come from facts."""
    text = functools.cache(redactor.text)  # many are skipped for the same reason
    return msgspec.structs.replace(
        report,
        skipped=tuple(
            msgspec.structs.replace(s, reason=text(s.reason), trace=text(s.trace))
            for s in report.skipped
        ),
        broken=tuple(
            msgspec.structs.replace(b, reason=text(b.reason)) for b in report.broken
        ),
    )
