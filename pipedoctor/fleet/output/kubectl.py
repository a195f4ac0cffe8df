"""Lines to paste that cordon nodes in Kubernetes."""

import re

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.node_lines import render_lines

_NODE_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


def render(report: FleetReport) -> str:
    """A line of `kubectl cordon` for each node, and why in a comment."""
    return render_lines(report, _NODE_NAME, _render_line, "Kubernetes")


def _render_line(node: str, reason: str) -> str:
    return f"kubectl cordon {node}  # {reason}"
