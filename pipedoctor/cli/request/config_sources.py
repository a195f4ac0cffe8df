"""What each configuration file contributed, for the report."""

from collections.abc import Iterator
from typing import Any

import msgspec

from pipedoctor.cli.request.config_files import ConfigFile
from pipedoctor.report.configuration import ReportedConfiguration, format_value
from pipedoctor.suppress.accepted_risks import AcceptedRisk

SILENCING_KEYS = frozenset(
    (
        *("select", "ignore", "exclude", "extend-exclude", "per-file-ignores", "accept"),
        *("baseline", "fail-on", "quick", "no-redact"),
    )
)
"""Options that leave out findings, lower what they cause, or leave names unredacted."""


def describe_sources(
    file: ConfigFile, user_file: ConfigFile, option_names: frozenset[str]
) -> tuple[ReportedConfiguration, ...]:
    """Describe each file that was read; keys that something else overrode are left out."""
    by_command_line = {name.replace("_", "-") for name in option_names}
    sources: list[ReportedConfiguration] = []
    for source, overridden in (
        (user_file, {*file.table, *by_command_line}),
        (file, by_command_line),
    ):
        obeyed = {
            key: value
            for name, content in source.table.items()
            if name not in overridden or _is_table(content) or name == "accept"
            for key, value in _flatten(name, content)
        }
        not_obeyed = {k: why for k, why in source.not_obeyed.items() if k not in by_command_line}
        if obeyed or not_obeyed:
            silencing = tuple(key for key in obeyed if "." in key or key in SILENCING_KEYS)
            sources.append(
                ReportedConfiguration(
                    path=source.path,
                    origin=source.origin,
                    obeyed=obeyed,
                    silences=silencing,
                    not_obeyed=not_obeyed,
                )
            )
    return tuple(sources)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _flatten(name: str, content: Any) -> Iterator[tuple[str, str]]:
    """A threshold a key, ``shm-too-small.headroom``; of accepted risks the names."""
    if name == "accept":
        risks = msgspec.convert(content, list[AcceptedRisk])
        yield name, format_value([risk.name for risk in risks])
    elif _is_table(content) and name != "per-file-ignores":
        for key, value in content.items():
            yield f"{name}.{key}", format_value(value)
    else:
        yield name, format_value(content)
