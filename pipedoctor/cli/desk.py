"""By which standards what was typed is judged: checks, thresholds, names to hide."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from pipedoctor.aliases import Memory
from pipedoctor.catalogue import Catalogue
from pipedoctor.cli import narrowing, output
from pipedoctor.cli.measured import measured
from pipedoctor.cli.priced import Measurement
from pipedoctor.config import Config, Options
from pipedoctor.examine import Standards, judged, reexamine
from pipedoctor.facts import Facts, Loader
from pipedoctor.narrow.narrow import Narrowing
from pipedoctor.redact import Level, Redactor
from pipedoctor.report.model import Report
from pipedoctor.selection import selection
from pipedoctor.who import Who


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Where facts are judged."""

    catalogue: Catalogue
    standards: Standards
    form: str
    """The format that the report will have."""
    baseline: Narrowing | None = None
    """Which findings count once the baseline is written, where it is."""

    def load(self) -> None:
        """Import now what judging and printing need."""
        len(self.catalogue.checks)
        import_module(f"pipedoctor.report.{self.form}")

    def judge(
        self, facts: Facts, price: Measurement, who: Who, began: float, until: float
    ) -> Report:
        """Judge what was collected here; both times are on the monotonic clock."""
        self.standards.redactor.meet(who)
        standards = _priced(self.standards, price)
        return self._counted(
            lambda: judged(self.catalogue, facts, standards, began=began, until=until),
            standards,
            began,
        )

    def rejudge(self, data: bytes, loader: Loader | None) -> Report:
        """Judge the facts of a record."""
        return self._counted(
            lambda: reexamine(self.catalogue, data, loader, self.standards),
            self.standards,
            time.monotonic(),
        )

    def _counted(
        self, first: Callable[[], Report], standards: Standards, began: float
    ) -> Report:
        """Where the baseline is written, judge the same facts again with it."""
        report = first()
        if self.baseline is None:
            return report
        again = replace(standards, narrowing=narrowing.rewrite(self.baseline, report))
        record = {"known": report.facts.known, "unknown": report.facts.unknown}
        facts = Facts.from_record(record)
        return judged(
            self.catalogue, facts, again, began=began, recorded=report.recorded
        )


def desk(
    typed: Mapping[str, Any],
    config: Config,
    catalogue: Catalogue,
    redactor: Redactor | None,
) -> Desk:
    """Raises UnknownName, and UsageError for files that cannot be read."""
    wanted = narrowing.narrowing(typed, config)
    writing = bool(typed.get("write_baseline"))
    options = config.options
    standards = Standards(
        chosen=selection(catalogue, options.select, options.ignore),
        settings=config.settings,
        accepted=config.accepted,
        narrowing=Narrowing(rules=wanted.rules) if writing else wanted,
        redactor=redactor or _redactor(options, typed),
        measured=measured(typed.get("measured", ())),
    )
    return Desk(
        catalogue=catalogue,
        standards=standards,
        form=options.format,
        baseline=wanted if writing else None,
    )


def _redactor(options: Options, typed: Mapping[str, Any]) -> Redactor:
    level = Level.ALL
    if options.no_redact:
        level = Level.NOTHING
    elif output.on_terminal(typed.get("output")):
        level = Level.SECRETS
    return Redactor(level, memory=_memory(options, typed))


def _memory(options: Options, typed: Mapping[str, Any]) -> Memory | None:
    """The book of aliases, for reports that are kept; opening it takes its time."""
    if not options.keep or typed.get("record"):
        return None
    from pipedoctor.book import Book

    return Book()


def _priced(standards: Standards, price: Measurement) -> Standards:
    """With the pipeline of --measure; it takes its own time, not the deadline's."""
    if price.pipeline is None:
        return replace(standards, unmeasured=price.unmeasured)
    return replace(standards, measured=(*standards.measured, price.pipeline))
