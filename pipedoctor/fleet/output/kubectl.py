"""Lines to paste that cordon nodes in Kubernetes."""

import shlex

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.node_lines import render_lines


def render(report: FleetReport) -> str:
    """A line of `kubectl cordon` for each node, and why in a comment."""
    return render_lines(report, _render_line, "Kubernetes")


def _render_line(node: str, reason: str) -> str:
    """The comment is quoted: a shell that knows none at its prompt reads it as one word."""
    return f"{shlex.join(('kubectl', 'cordon', node))}  # {shlex.quote(reason)}"
