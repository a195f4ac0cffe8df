"""Lines to paste that drain nodes in Slurm."""

import re
import shlex

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.node_lines import render_lines

_NODE_NAME = re.compile(r"(?!(?i:ALL)$)[A-Za-z0-9][A-Za-z0-9._-]{0,252}")


def render(report: FleetReport) -> str:
    """A line of `scontrol` for each node to drain."""
    return render_lines(report, _NODE_NAME, _render_line, "Slurm")


def _render_line(node: str, reason: str) -> str:
    change = (f"NodeName={node}", "State=DRAIN", f"Reason={reason}")
    return shlex.join(("scontrol", "update", *change))
