"""What configuration files say, typed and joined with the command line."""

import math
import os
import typing
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from pipedoctor.cli.request.check_options import CheckOptions, CommandLineOptions
from pipedoctor.cli.request.config_files import (
    ConfigError,
    ConfigFile,
    find_config,
    find_user_config,
)
from pipedoctor.cli.request.config_sources import describe_sources
from pipedoctor.engine.selection import UnknownNameError, resolve_codes, suggest_check, suggest_name
from pipedoctor.report.configuration import ReportedConfiguration, describe_not_obeyed
from pipedoctor.runtime.files import FileTimeoutError
from pipedoctor.runtime.probe import Outcome
from pipedoctor.suppress.accepted_risks import AcceptedRisk
from pipedoctor.suppress.per_file import FileIgnore
from pipedoctor.units import parse_size

if TYPE_CHECKING:
    from pipedoctor.check import Check
    from pipedoctor.engine.catalogue import Catalogue

LIST_OPTIONS = ("select", "ignore", "data", "exclude", "extend-exclude")
TABLE_KEYS = ("accept", "per-file-ignores")
"""What may stand in a file beside options and thresholds."""

_MAX_BYTES_IN_FLIGHT = 1 << 60
"""In flight; beyond it the numbers of a report would no longer be JSON's."""


NO_FILE = ConfigFile()


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that files and the command line say about how to examine."""

    options: CheckOptions = CheckOptions()
    settings: dict[str, dict[str, Any]] = {}
    accepted: dict[str, AcceptedRisk] = {}
    """By code."""
    file_ignores: tuple[FileIgnore, ...] = ()
    """Checks that are ignored in some files."""
    sources: tuple[ReportedConfiguration, ...] = ()
    """Which files these came from, and what in them is not obeyed."""
    hung_reads: tuple[Outcome, ...] = ()
    """Where a configuration was looked for in vain: the path does not answer."""


def load_config(
    command_line: CommandLineOptions,
    load_catalogue: Callable[[], "Catalogue"],
    *,
    path: str | None = None,
    no_config: bool = False,
) -> Config:
    """
    Read the files that count, say on stderr what in them is not obeyed, and join them.

    `path` is read instead of all others. A folder that does not answer has no
    configuration, unless `path` names it. Raises `ConfigError`.
    """
    file = user_file = NO_FILE
    hung: tuple[Outcome, ...] = ()
    try:
        if not no_config:
            file = find_config(path)
            user_file = find_user_config() if path is None else NO_FILE
    except FileTimeoutError as error:
        if path is not None:
            message = f"--config {path}: cannot be read: {error}"
            raise ConfigError(message) from error
        click.echo(f"pipedoctor: configuration not read: {error}", err=True)
        hung = (error.outcome,) if error.outcome else ()
    config = merge_config(file, command_line, load_catalogue, user_file)
    for source in config.sources:
        if source.not_obeyed:
            from pipedoctor.report.sentences import clean_text

            click.echo(f"pipedoctor: {clean_text(describe_not_obeyed(source))}", err=True)
    return msgspec.structs.replace(config, hung_reads=hung)


def merge_config(
    file: ConfigFile,
    command_line: CommandLineOptions,
    load_catalogue: Callable[[], "Catalogue"],
    user_file: ConfigFile = NO_FILE,
) -> Config:
    """
    Join files with what the command line says, which wins; raises `ConfigError`.

    What `file` says wins over `user_file`. `load_catalogue` is called where a file names
    checks, and not before.
    """
    options: dict[str, Any] = {}
    settings: dict[str, dict[str, Any]] = {}
    accepted: dict[str, AcceptedRisk] = {}
    rules: tuple[FileIgnore, ...] = ()
    for source in (user_file, file):
        of_file, thresholds = _parse_options(source, load_catalogue)
        options |= of_file
        for check, values in thresholds.items():
            settings[check] = settings.get(check, {}) | values
        accepted |= _parse_accepted_risks(source, load_catalogue)
        rules += _parse_file_ignores(source, load_catalogue)
    merged = command_line.override(msgspec.convert(options, CheckOptions))
    _refuse_implausible(merged)
    return Config(
        options=merged,
        settings=settings,
        accepted=accepted,
        file_ignores=rules,
        sources=describe_sources(file, user_file, command_line.names),
    )


def _parse_options(
    file: ConfigFile, load_catalogue: Callable[[], "Catalogue"]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Options and thresholds of one file; raises `ConfigError` for a key that is neither."""
    known = CheckOptions.__struct_encode_fields__
    options: dict[str, Any] = {}
    settings: dict[str, dict[str, Any]] = {}
    for key, value in file.table.items():
        if key in known:
            options[key] = _parse_option(file, key, value)
        elif (check := load_catalogue().by_name.get(key)) is not None:
            settings[key] = _parse_thresholds(file, check, value)
        elif key not in TABLE_KEYS:
            choices = (*known, *load_catalogue().by_name, *TABLE_KEYS)
            raise _make_error(file, key, "no option or check has this name", choices)
    return options, settings


def _refuse_implausible(options: CheckOptions) -> None:
    """Raise `ConfigError` where the numbers together exceed any real machine."""
    counts = (options.workers, options.prefetch, options.ranks)
    if math.prod(n or 1 for n in (*counts, options.batch_bytes)) > _MAX_BYTES_IN_FLIGHT:
        message = "so many batches of this size exceed the memory of any machine"
        raise ConfigError(message)


def _parse_option(file: ConfigFile, key: str, value: Any) -> Any:
    """One option of a file, as `CheckOptions` holds it; folders count from the file."""
    if key == "batch-bytes" and isinstance(value, str):
        try:
            value = parse_size(value)
        except ValueError as error:
            raise _make_error(file, key, str(error)) from None
    if key in LIST_OPTIONS and isinstance(value, str):
        value = [value]
    try:
        checked = msgspec.convert({key: _require_finite(value)}, CheckOptions)
    except msgspec.ValidationError as error:
        raise _make_error(file, key, str(error).partition(" - at")[0]) from None
    if key == "data":
        return [str(Path(file.path).parent / path) for path in checked.data]
    if key in {"baseline", "cache-dir"}:
        return str(Path(file.path).parent / value)
    return value


def _require_finite(value: Any) -> Any:
    """TOML has ``nan``, which passes every bound, and ``inf``."""
    if isinstance(value, float) and not math.isfinite(value):
        message = f"{value} is not a number that can be compared"
        raise msgspec.ValidationError(message)
    return value


def _parse_thresholds(file: ConfigFile, check: "Check[Any]", value: Any) -> dict[str, Any]:
    """Thresholds of one check, typed as its signature says."""
    if not isinstance(value, dict):
        raise _make_error(file, check.name, "must be a table of thresholds")
    hints = typing.get_type_hints(check.examine)
    settled: dict[str, Any] = {}
    for name, threshold in cast("dict[str, Any]", value).items():
        full = f"{check.name}.{name}"
        if name not in check.settings:
            raise _make_error(file, full, "no such threshold", check.settings)
        try:
            settled[name] = msgspec.convert(_require_finite(threshold), hints[name])
        except msgspec.ValidationError as error:
            raise _make_error(file, full, str(error)) from None
    return settled


def _parse_accepted_risks(
    file: ConfigFile, load_catalogue: Callable[[], "Catalogue"]
) -> dict[str, AcceptedRisk]:
    try:
        risks = msgspec.convert(file.table.get("accept", []), list[AcceptedRisk])
    except msgspec.ValidationError as error:
        raise _make_error(file, "accept", str(error)) from None
    accepted: dict[str, AcceptedRisk] = {}
    for risk in risks:
        catalogue = load_catalogue()
        check = catalogue.find_check(risk.name)
        if check is None:
            message = f"no check is called {risk.name!r}"
            close = suggest_check(catalogue, risk.name)
            raise _make_error(file, "accept.name", message + close)
        accepted[check.code] = risk
    return accepted


def _parse_file_ignores(
    file: ConfigFile, load_catalogue: Callable[[], "Catalogue"]
) -> tuple[FileIgnore, ...]:
    key = "per-file-ignores"
    try:
        table = msgspec.convert(file.table.get(key, {}), dict[str, list[str]])
    except msgspec.ValidationError as error:
        raise _make_error(file, key, str(error)) from None
    prefix = _relative_prefix(Path(file.path).parent) if table else ""
    rules: list[FileIgnore] = []
    for pattern, names in table.items():
        try:
            meant = frozenset(resolve_codes(load_catalogue(), names))
        except UnknownNameError as error:
            raise _make_error(file, f"{key}.{pattern}", str(error)) from None
        rules.append(FileIgnore(pattern=pattern, codes=meant, prefix=prefix))
    return tuple(rules)


def _relative_prefix(folder: Path) -> str:
    """How the working directory is called from there: ``sub/``, or empty."""
    try:
        way = Path(os.path.relpath(Path.cwd(), folder)).as_posix()
    except (OSError, ValueError):
        return ""  # it was removed, or is on another drive
    return "" if way == "." else f"{way}/"


def _make_error(
    file: ConfigFile, key: str, message: str, choices: typing.Iterable[str] = ()
) -> ConfigError:
    last = key.rpartition(".")[2]
    close = suggest_name(last, choices) if choices else ""
    if not file.prefix and key == "tool":
        close = "; omit `tool.pipedoctor` in this file"
    return ConfigError(f"{file.path}: {file.prefix}{key}: {message}{close}")
