"""The straight line: collect, judge, triage, report."""

import datetime as dt
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipedoctor.catalogue import Catalogue
from pipedoctor.collect.lanes import Watch
from pipedoctor.collect.plan import Inquiry, collect
from pipedoctor.facts import Facts
from pipedoctor.judge import Chosen, judge
from pipedoctor.report.model import Report, build
from pipedoctor.triage import triage

MARGIN = 1.0
"""Seconds of the deadline kept back for judging and printing."""
PRINTING = 0.3
"""Seconds of these for printing alone."""


@dataclass(frozen=True, kw_only=True)
class Standards:
    """How to judge: which checks, with which thresholds."""

    chosen: Chosen = lambda _: True
    settings: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict[str, Mapping[str, Any]]
    )


def examine(
    catalogue: Catalogue,
    inquiry: Inquiry,
    standards: Standards,
    *,
    deadline: float,
    watch: Watch = lambda _: None,
) -> Report:
    """Look at this machine and judge it; answers within `deadline` seconds."""
    began = time.monotonic()
    facts = collect(inquiry, deadline=max(0.2, deadline - MARGIN), watch=watch)
    until = began + deadline - PRINTING
    return judged(catalogue, facts, standards, began=began, until=until)


def judged(
    catalogue: Catalogue,
    facts: Facts,
    standards: Standards,
    *,
    began: float,
    until: float = math.inf,
) -> Report:
    """Judge facts, whoever collected them; both times are on the monotonic clock."""
    verdicts = judge(
        catalogue,
        facts,
        chosen=standards.chosen,
        settings=standards.settings,
        until=until,
    )
    now = dt.datetime.now(tz=dt.timezone.utc)
    return build(
        catalogue,
        facts,
        verdicts,
        triage(catalogue, verdicts),
        created=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=time.monotonic() - began,
    )
