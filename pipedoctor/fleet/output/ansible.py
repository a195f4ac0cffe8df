"""An inventory for Ansible: the nodes that need each remedy."""

import re
from collections import defaultdict
from collections.abc import Mapping

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.output.node_lines import NO_NODE, render_omission

_NODE_NAME = re.compile(r"(?!(?i:all|ungrouped)$)[A-Za-z0-9][A-Za-z0-9._-]{0,252}")


def render(report: FleetReport) -> str:
    """An INI inventory: a group of nodes for each remedy, named after the finding."""
    groups: dict[str, list[str]] = defaultdict(list)
    odd: list[str] = []
    for name, nodes in _group_by_remedy(report).items():
        for node in nodes:
            (groups[_name_group(name)] if _NODE_NAME.fullmatch(node) else odd).append(node)
    lines = [render_omission(node, "Ansible") for node in dict.fromkeys(odd)]
    for name, nodes in sorted(groups.items()):
        lines += [f"[{name}]", *dict.fromkeys(nodes), ""]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else NO_NODE


def _group_by_remedy(report: FleetReport) -> Mapping[str, list[str]]:
    """By finding, or by property where no check has one, the nodes that need it."""
    found: dict[str, list[str]] = defaultdict(list)
    for outlier in report.outliers:
        found[outlier.finding or outlier.property].append(outlier.node)
    for finding in report.findings:
        found[finding.name] += finding.nodes
    return found


def _name_group(name: str) -> str:
    """A name that Ansible takes: letters, digits and underscores."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return plain if plain[:1].isalpha() else f"finding_{plain}"
