"""A fleet as JSON: contract `pipedoctor.fleet/1`."""

from pipedoctor.fleet.model import FleetReport
from pipedoctor.textsafe import encode_indented_json, encode_json

MIN_COMPACT_NODES = 2000
"""Nodes from which on one line a node is worth more than indentation."""


def render(report: FleetReport) -> bytes:
    """UTF-8, with a newline at the end; nothing in it that a terminal would obey."""
    if len(report.nodes) < MIN_COMPACT_NODES:
        return encode_indented_json(report)
    return encode_json(report) + b"\n"
