"""Reports of nodes as tests need them, and what `fleet show` says of folders."""

from pathlib import Path
from typing import Any

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.fleet.expected import ExpectedNodes
from pipedoctor.fleet.golden import build_reference, load_golden_node
from pipedoctor.fleet.ingest import ingest_reports, open_folders
from pipedoctor.fleet.judge import judge_fleet
from pipedoctor.fleet.model import FleetReport

Report = dict[str, Any]
CATALOGUE = get_catalogue()
GIB = 1 << 30


def report(name: str = "", /, created: str = "2026-01-01T00:00:00Z", **known: Any) -> Report:
    """The least that is a report of a node."""
    if name:
        known["node"] = {"name": name}
    return {
        "schema": "pipedoctor.report/1",
        "created": created,
        "facts": {"known": known, "unknown": {}},
    }


def judged(
    *folders: Path, expected: ExpectedNodes | None = None, golden: Path | None = None
) -> FleetReport:
    """What `fleet show` says of these folders."""
    ingested = ingest_reports(open_folders([str(folder) for folder in folders]))
    record = load_golden_node(str(golden)) if golden else None
    return judge_fleet(
        CATALOGUE,
        ingested,
        expected_nodes=expected,
        reference=build_reference(record, ingested.nodes) if record else None,
        began=0.0,
    )
