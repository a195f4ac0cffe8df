"""A fleet as it may be shown: values without private names, nodes as the user wants."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, cast
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from pipedoctor.fleet.ingest import parse_node_name
from pipedoctor.fleet.model import FleetReport, Outlier
from pipedoctor.privacy.redactor import Redactor

TextRedactor = Callable[..., str]
_VERSION_SECTIONS = frozenset(("packages", "conda", "libraries", "image_stack"))
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def redact_report(report: FleetReport, redactor: Redactor, *, nodes: bool) -> FleetReport:
    """
    The same fleet with private values taken out; with `nodes` their names as well.

    Names of nodes are the answer, so without `nodes` they stay, whatever they hold.
    """
    text = cache(redactor.redact_text)
    report = replace(
        report,
        outliers=tuple(_redact_outlier(one, text) for one in report.outliers),
        findings=tuple(replace(f, title=text(f.title)) for f in report.findings),
        skipped=tuple(replace(s, reason=text(s.reason)) for s in report.skipped),
        unreadable=tuple(replace(u, reason=text(u.reason)) for u in report.unreadable),
    )
    return _replace_nodes(report) if nodes else report


def _redact_outlier(one: Outlier, text: TextRedactor) -> Outlier:
    field = _get_field_name(one.property)
    value, majority = (
        _redact_value(one.value, text, field),
        _redact_value(one.majority, text, field),
    )
    name, colon, sentence = one.summary.partition(": ")
    for before, after in ((one.value, value), (one.majority, majority)):
        if isinstance(before, str) and before:
            sentence = sentence.replace(before, str(after))
    return replace(one, value=value, majority=majority, summary=f"{name}{colon}{sentence}")


def _get_field_name(name: str) -> str:
    """What kind of value it is: a version with four numbers is no address."""
    section, _, rest = name.partition(".")
    if section in _VERSION_SECTIONS and rest not in {"missing", "unmet", "pillow_broken"}:
        return "version"
    return name.rpartition(".")[2]


def _redact_value(value: Any, text: TextRedactor, field: str) -> Any:
    return text(value, field) if isinstance(value, str) else value


def _replace_nodes(report: FleetReport) -> FleetReport:
    """Each name replaced by a number, the same wherever it stands."""
    aliases = _build_aliases(_list_node_names(report))

    def spell(text: str) -> str:
        return aliases.get(text) or _WORD.sub(lambda match: aliases.get(match[0], match[0]), text)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return spell(value)
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {
                key: _redact_file_name(item, aliases) if key in {"file", "by"} else walk(item)
                for key, item in items
            }
        if isinstance(value, (list, tuple)):
            return [walk(item) for item in cast("list[Any]", value)]
        return value

    return msgspec.convert(walk(msgspec.to_builtins(report)), FleetReport)


def _list_node_names(report: FleetReport) -> Iterable[str]:
    yield from (one.node for one in report.nodes)
    yield from report.missing
    yield from (one.node for one in report.superseded)
    for unreadable in report.unreadable:
        yield parse_node_name(unreadable.file.rpartition("/")[2])


def _build_aliases(names: Iterable[str]) -> Mapping[str, str]:
    """``node-0417``: by the order of the names, each as wide as the last."""
    ordered = sorted(set(names))
    width = max(4, len(str(len(ordered))))
    return {name: f"node-{at:0{width}}" for at, name in enumerate(ordered, 1)}


def _redact_file_name(path: str, aliases: Mapping[str, str]) -> str:
    """The name of a file with the alias of its node, and without its folder."""
    name = path.rpartition("/")[2]
    node = parse_node_name(name)
    rest = name.removeprefix(quote(node, safe=""))
    rest = rest if rest != name else name[len(name.partition("--")[0]) :]
    return f"{aliases.get(node, 'node')}{rest if rest.startswith('--') else '.json'}"
