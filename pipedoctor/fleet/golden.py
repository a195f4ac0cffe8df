"""A recorded healthy node: written by `fleet record`, read by `fleet show --golden`."""

from collections.abc import Sequence

import msgspec

from pipedoctor.facts import Facts, MalformedRecordError, Node, UnreadableError
from pipedoctor.facts.fleet import ReferenceNode
from pipedoctor.fleet.decoding import ReportDecoder
from pipedoctor.fleet.grouping import group_nodes
from pipedoctor.fleet.ingest import NodeReport, parse_node_name
from pipedoctor.fleet.reports import MAX_REPORT_BYTES, UnreadableReportError
from pipedoctor.privacy.redactor import Redactor
from pipedoctor.report.json import read_report
from pipedoctor.runtime import files
from pipedoctor.textsafe import encode_indented_json

SCHEMA = "pipedoctor.report/1"


class RecordError(Exception):
    """A report cannot serve as a record; the message names it and says why."""


def load_report(path: str) -> bytes:
    """The bytes of a report; raises RecordError."""
    try:
        data = files.load_file(path, MAX_REPORT_BYTES + 1)
    except UnreadableError as error:
        message = f"{path}: cannot be read: {error}"
        raise RecordError(message) from None
    if len(data) > MAX_REPORT_BYTES:
        message = f"{path}: larger than {MAX_REPORT_BYTES >> 20} MiB"
        raise RecordError(message)
    return data


def load_golden_node(path: str) -> NodeReport:
    """The node of a record, or of any report; raises RecordError."""
    try:
        report = ReportDecoder().decode(load_report(path))
    except UnreadableReportError as error:
        message = f"{path}: {error}"
        raise RecordError(message) from None
    file = path.rpartition("/")[2]
    return NodeReport(report.node or parse_node_name(file), file, report)


def build_reference(golden: NodeReport, nodes: Sequence[NodeReport]) -> ReferenceNode:
    """The record as checks take it: with the group of the nodes that it stands for."""
    peers = next(
        members
        for members in group_nodes([golden, *nodes]).values()
        if any(one is golden for one in members)
    )
    mine = {one.node for one in peers if one is not golden}
    names = (
        name
        for name, members in group_nodes(nodes).items()
        if any(one.node in mine for one in members)
    )
    values = {key: value for row in golden.report.rows.values() for key, value in row}
    return ReferenceNode(node=golden.node, group=next(names, ""), values=values)


def build_record(data: bytes, file: str, redactor: Redactor) -> bytes:
    """A report as a record: its facts alone, redacted; raises RecordError."""
    try:
        facts, created = read_report(data)
    except MalformedRecordError as error:
        message = f"{file}: {error}"
        raise RecordError(message) from None
    known = facts.get(Node)
    node = known.name if known else parse_node_name(file.rpartition("/")[2])
    clean: Facts = redactor.redact_facts(facts).merge(Node(name=node))
    whole = {"schema": SCHEMA, "created": created, "facts": clean.to_record()}
    return encode_indented_json(msgspec.to_builtins(whole))
