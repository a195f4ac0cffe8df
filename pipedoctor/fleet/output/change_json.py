"""What an upgrade did to a fleet, as JSON: contract `pipedoctor.fleet-diff/1`."""

from pipedoctor.fleet.change import FleetChange
from pipedoctor.textsafe import encode_indented_json


def render(change: FleetChange) -> bytes:
    """UTF-8, with a newline at the end; nothing in it that a terminal would obey."""
    return encode_indented_json(change)
