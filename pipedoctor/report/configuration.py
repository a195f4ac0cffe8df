"""Which configuration a report obeyed, what that silenced, and what was not obeyed."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

_MAX_KEYS = 12
_MAX_VALUE_CHARS = 80

ConfigurationOrigin = Literal["project", "user", "named"]
"""Found in a project, the user's own file, or named by --config."""


class ReportedConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration file and what became of its keys; values as JSON, cut where long."""

    path: str
    origin: ConfigurationOrigin
    obeyed: dict[str, str] = {}
    silences: tuple[str, ...] = ()
    """Keys of `obeyed` that can leave out findings, lower them, or what is redacted."""
    not_obeyed: dict[str, str] = {}
    """The reason by key; an empty key: the whole file."""


def describe_configuration(sources: tuple[ReportedConfiguration, ...]) -> Iterator[str]:
    """Write one to three sentences a file, in plain text."""
    for source in sources:
        changing = {key: source.obeyed[key] for key in source.silences if key in source.obeyed}
        rest = {key: value for key, value in source.obeyed.items() if key not in changing}
        if changing:
            yield f"{source.path} silences or weighs findings: {_list_values(changing)}."
        if rest:
            yield f"{source.path} sets {_list_values(rest)}."
        if source.not_obeyed:
            yield describe_not_obeyed(source)


def describe_not_obeyed(source: ReportedConfiguration) -> str:
    """``/x/pyproject.toml: not obeyed: python (it names a program to run)``."""
    whole = source.not_obeyed.get("")
    if whole is not None:
        return f"{source.path}: not obeyed: {whole}."
    keys = [f"{key} ({why})" for key, why in source.not_obeyed.items()]
    return f"{source.path}: not obeyed: {_join_keys(keys)}."


def format_value(value: object) -> str:
    """Write a value of TOML as JSON in one line, cut where it is long."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}..."


def _list_values(values: Mapping[str, str]) -> str:
    return _join_keys([f"{key} = {value}" for key, value in values.items()])


def _join_keys(texts: list[str]) -> str:
    more = len(texts) - _MAX_KEYS
    return ", ".join([*texts[:_MAX_KEYS], *([f"{more} more"] if more > 0 else [])])
