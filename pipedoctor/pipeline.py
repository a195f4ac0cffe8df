"""The straight line from facts to a report: judge, narrow, accept, triage."""

import datetime as dt
import functools
import math
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from pipedoctor.check import Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.consequences import find_consequences
from pipedoctor.engine.consistent_plan import make_consistent
from pipedoctor.engine.flows import add_flows
from pipedoctor.engine.measurements import merge_measurements
from pipedoctor.engine.runner import CheckFilter, run_checks
from pipedoctor.engine.triage import triage
from pipedoctor.facts import Fact, Facts, Loader, Pipeline
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from pipedoctor.report.configuration import ReportedConfiguration
from pipedoctor.report.json import read_report
from pipedoctor.report.model import Report, build_report
from pipedoctor.source.discover.without_gc import pause_gc
from pipedoctor.suppress.accepted_risks import (
    AcceptedRisk,
    accept_risk,
    describe_expired,
)
from pipedoctor.suppress.suppress import FindingFilter, filter_findings


class CheckPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How to judge: which checks, with which thresholds, which risks are taken."""

    check_filter: CheckFilter = lambda _: True
    settings: Mapping[str, Mapping[str, Any]] = msgspec.field(
        default_factory=dict[str, Mapping[str, Any]]
    )
    accepted: Mapping[str, AcceptedRisk] = msgspec.field(default_factory=dict[str, AcceptedRisk])
    """By code."""
    finding_filter: FindingFilter = FindingFilter()
    measured: tuple[Fact, ...] = ()
    """Known before, as `bench` has measured it; judged with all the rest."""
    unmeasured: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    """By section: why there is no measurement of it."""
    configuration: tuple[ReportedConfiguration, ...] = ()
    """Which files say so."""
    redactor: Redactor = msgspec.field(default_factory=lambda: Redactor(RedactionLevel.NOTHING))


def judge_record(
    catalogue: Catalogue,
    data: bytes,
    loader: Loader | None,
    policy: CheckPolicy,
    *,
    until: float = math.inf,
) -> Report:
    """
    Judge the facts of a JSON report; nothing of this machine is looked at.

    What `loader` knows of the job replaces what the report says of it; `until` is on the
    monotonic clock. Raises Malformed where `data` is no report.
    """
    began = time.monotonic()
    facts, recorded = read_report(data)
    if loader is not None:
        facts = merge_job(facts, loader)
    return judge_facts(catalogue, facts, policy, began=began, until=until, recorded=recorded)


def judge_facts(
    catalogue: Catalogue,
    facts: Facts,
    policy: CheckPolicy,
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
    facts = merge_measurements(facts, policy.measured, policy.unmeasured)
    with pause_gc():
        facts = policy.redactor.redact_facts(facts, until=until)
    verdicts = [
        accept_risk(verdict, policy.accepted.get(verdict.code), now.date())
        for verdict in _judge_and_filter(catalogue, facts, policy, until)
    ]
    predictable = any(found.counterfactual for verdict in verdicts for found in verdict.findings)
    if predictable and facts.get(Pipeline) is not None:
        from pipedoctor.tune.compare.remedy_gain import add_gains  # noqa: PLC0415  (few runs measure)

        verdicts = add_gains(facts, verdicts)
    consequences = find_consequences(catalogue, facts, verdicts, policy.settings)
    report = build_report(
        catalogue,
        facts,
        verdicts,
        make_consistent(triage(catalogue, verdicts, consequences)),
        remarks=describe_expired(policy.accepted, now.date()),
        created=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=time.monotonic() - began,
        recorded=recorded,
        configuration=policy.configuration,
    )
    return _redact_texts(report, policy.redactor)


def _judge_and_filter(
    catalogue: Catalogue, facts: Facts, policy: CheckPolicy, until: float
) -> list[Verdict]:
    """What every check says, without what a comment, file or baseline leaves out."""
    found = run_checks(
        catalogue,
        facts,
        check_filter=policy.check_filter,
        settings=policy.settings,
        until=until,
    )
    return filter_findings(
        catalogue,
        facts,
        add_flows(found, facts),
        policy.finding_filter,
        check_filter=policy.check_filter,
        redact=policy.redactor.redact_text,
    )


def merge_job(facts: Facts, job: Loader) -> Facts:
    """The facts of a record, with what the command line says of the job instead."""
    recorded = facts.get(Loader) or Loader()
    stated = {name: getattr(job, name) for name in job.origin}
    origin = {**recorded.origin, **job.origin}
    return facts.merge(msgspec.structs.replace(recorded, **stated, origin=origin))


def _redact_texts(report: Report, redactor: Redactor) -> Report:
    """Redact messages and traces of crashed checks, broken packs, and the configuration."""
    text = functools.cache(redactor.redact_text)  # many are skipped for the same reason
    return msgspec.structs.replace(
        report,
        skipped=tuple(
            msgspec.structs.replace(s, reason=text(s.reason), trace=text(s.trace))
            for s in report.skipped
        ),
        broken=tuple(msgspec.structs.replace(b, reason=text(b.reason)) for b in report.broken),
        configuration=tuple(
            msgspec.structs.replace(
                source,
                path=text(source.path),
                obeyed={key: text(value) for key, value in source.obeyed.items()},
                not_obeyed={key: text(why) for key, why in source.not_obeyed.items()},
            )
            for source in report.configuration
        ),
    )
