"""The run of a report as SARIF."""

import json
from typing import Any

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.report.model import (
    Report,
)
from pipedoctor.report.sarif import render

CHECKS = get_catalogue().checks


def run(report: Report, code: int = 1) -> dict[str, Any]:
    """The only run of the log."""
    log = json.loads(render(report, CHECKS, code))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    only: dict[str, Any] = log["runs"][0]
    return only
