"""Lines to paste that drain nodes in Slurm."""

import shlex

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.node_lines import render_lines


def render(report: FleetReport) -> str:
    """A line of `scontrol` for each node to drain."""
    return render_lines(report, _render_line, "Slurm")


def _render_line(node: str, reason: str) -> str:
    change = (f"NodeName={node}", "State=DRAIN", f"Reason={reason}")
    return shlex.join(("scontrol", "update", *change))
