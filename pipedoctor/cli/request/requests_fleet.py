"""What each command of `fleet` is asked for: one struct a command."""

import msgspec

from pipedoctor.cli.request.requests import OutputRequest


class FleetJudgementRequest(OutputRequest, frozen=True, kw_only=True):
    """How a fleet is judged and written, whoever has collected its reports."""

    fail_on: str = "breaks"
    redact_nodes: bool = False


class FleetShowRequest(FleetJudgementRequest, frozen=True, kw_only=True):
    """`fleet show`."""

    places: tuple[str, ...]
    """Folders and URLs of reports."""
    expect: str | None = None
    """Nodes that should have reported: a list of hosts, a file of names or a number."""
    golden: str | None = None
    """The record of a healthy node."""
    since: str | None = None
    history: str | None = None
    """The file of the history; None: the one in the state folder."""


class FleetRunRequest(FleetJudgementRequest, frozen=True, kw_only=True):
    """`fleet run`."""

    address: str
    """The head of a Ray cluster."""
    fleet_dir: str
    deadline: float
    """Seconds for all nodes together."""
    data: tuple[str, ...] = ()
    quick: bool = False
    probe: bool = False


class FleetRecordRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`fleet record`."""

    report: str
    output: str
    no_redact: bool = False


class FleetKeepRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`fleet keep`."""

    places: tuple[str, ...]
    history: str | None = None


class FleetDiffRequest(OutputRequest, frozen=True, kw_only=True):
    """`fleet diff`."""

    before: str
    after: str


class FleetQueryRequest(OutputRequest, frozen=True, kw_only=True):
    """`fleet query`."""

    sql: str
    history: str | None = None
