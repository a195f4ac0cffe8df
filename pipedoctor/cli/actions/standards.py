"""By which standards what was typed is judged: checks, thresholds, names to hide."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import click
from msgspec.structs import replace

from pipedoctor.cli import formats
from pipedoctor.cli.actions import privacy
from pipedoctor.cli.actions.measure_target import TargetMeasurement
from pipedoctor.cli.request import suppression_options
from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.cli.request.config import Config
from pipedoctor.cli.request.requests import CheckRequest
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.selection import select_checks
from pipedoctor.facts import Fact, Facts, Loader, MalformedRecordError, UnreadableError
from pipedoctor.pipeline import CheckPolicy, judge_facts, judge_record
from pipedoctor.privacy.aliases import AliasMemory
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import Redactor
from pipedoctor.report.model import Report
from pipedoctor.runtime import files
from pipedoctor.suppress.suppress import FindingFilter


@dataclass(frozen=True, kw_only=True)
class FactsJudge:
    """Judges facts by one policy and, with --write-baseline, writes the baseline."""

    catalogue: Catalogue
    policy: CheckPolicy
    form: str
    """The format that the report will have."""
    baseline_filter: FindingFilter | None = None
    """Which findings count once the baseline is written, where it is."""

    def preload(self) -> None:
        """Import now what judging and printing need."""
        len(self.catalogue.checks)
        formats.preload(formats.Subject.REPORT, self.form)

    def judge(
        self,
        facts: Facts,
        measurement: TargetMeasurement,
        who: UserIdentity,
        began: float,
        until: float,
    ) -> Report:
        """Judge what was collected here; both times are on the monotonic clock."""
        self.policy.redactor.set_identity(who)
        standards = _with_measurement(self.policy, measurement)
        return self._judge_with_baseline(
            lambda: judge_facts(self.catalogue, facts, standards, began=began, until=until),
            standards,
            began,
        )

    def rejudge(self, data: bytes, loader: Loader | None, until: float) -> Report:
        """Judge the facts of a record, until then on the monotonic clock."""
        return self._judge_with_baseline(
            lambda: judge_record(self.catalogue, data, loader, self.policy, until=until),
            self.policy,
            time.monotonic(),
        )

    def _judge_with_baseline(
        self, first: Callable[[], Report], policy: CheckPolicy, began: float
    ) -> Report:
        """Where the baseline is written, judge the same facts again with it."""
        report = first()
        if self.baseline_filter is None:
            return report
        again = replace(
            policy,
            finding_filter=suppression_options.rewrite_baseline(self.baseline_filter, report),
        )
        record = {"known": report.facts.known, "unknown": report.facts.unknown}
        facts = Facts.from_record(record)
        return judge_facts(self.catalogue, facts, again, began=began, recorded=report.recorded)


def build_judge(
    request: CheckRequest,
    config: Config,
    catalogue: Catalogue,
    redactor: Redactor | None,
) -> FactsJudge:
    """
    The judge these options ask for.

    Raises UnknownNameError, and UsageError for unreadable files.
    """
    wanted = suppression_options.build_finding_filter(request, config)
    writing = request.write_baseline
    options = config.options
    standards = CheckPolicy(
        check_filter=select_checks(catalogue, options.select, options.ignore),
        settings=config.settings,
        accepted=config.accepted,
        configuration=config.sources,
        finding_filter=FindingFilter(rules=wanted.rules) if writing else wanted,
        redactor=redactor or _make_redactor(options, request),
        measured=_read_measurements(request.measured),
    )
    return FactsJudge(
        catalogue=catalogue,
        policy=standards,
        form=options.format,
        baseline_filter=wanted if writing else None,
    )


def _read_measurements(paths: Iterable[str]) -> tuple[Fact, ...]:
    """What files of `bench --format json` hold, the last of each kind; raises UsageError."""
    found: dict[str, Fact] = {}
    for path in paths:
        from pipedoctor.bench import document

        try:
            facts = document.read_measurements(files.load_file(path, document.MAX_BYTES + 1))
        except UnreadableError as error:
            message = f"--measured {path}: cannot be read: {error}"
            raise click.UsageError(message) from None
        except MalformedRecordError as error:
            message = f"--measured {path}: {error}"
            raise click.UsageError(message) from None
        found |= {fact.section: fact for fact in facts}
    return tuple(found.values())


def _make_redactor(options: CheckOptions, request: CheckRequest) -> Redactor:
    level = privacy.choose_level(request.output, no_redact=options.no_redact)
    return Redactor(level, memory=_open_alias_book(options, request))


def _open_alias_book(options: CheckOptions, request: CheckRequest) -> AliasMemory | None:
    """The book of aliases, for reports that are kept; opening it takes its time."""
    if not options.keep or request.record:
        return None
    from pipedoctor.privacy.alias_book import AliasStore

    return AliasStore()


def _with_measurement(policy: CheckPolicy, measurement: TargetMeasurement) -> CheckPolicy:
    """With the pipeline of --measure; it takes its own time, not the deadline's."""
    if measurement.pipeline is None:
        return replace(policy, unmeasured=measurement.unmeasured)
    return replace(policy, measured=(*policy.measured, measurement.pipeline))
