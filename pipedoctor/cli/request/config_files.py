"""
Find and read configuration files, and keep of each what it may decide.

A file that is found beside the code is data of whoever wrote the project: it may set how
findings are judged, never what is executed, where is written, what is read outside the
project or what is left unredacted. These keys count from the command line, from the user's
own file and from the one that `--config` names.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.report.configuration import ConfigurationOrigin
from pipedoctor.runtime import file_trust, files, regular_file
from pipedoctor.runtime.probe import Announce

CONFIG_FILE_NAMES = ("pipedoctor.toml", "pyproject.toml")
MAX_CONFIG_BYTES = 1 << 20

PROJECT_KEYS = frozenset(
    (
        *("workers", "batch-bytes", "prefetch", "ranks", "data"),
        *("quick", "deadline", "jobs", "no-cache", "no-gitignore", "exclude", "extend-exclude"),
        *("select", "ignore", "fail-on", "baseline", "format", "quiet", "verbose", "no-color"),
    )
)
"""Options that a discovered file may set: they judge, or choose how results are shown."""
WITHHELD_KEYS = {
    "python": "it names a program to run",
    "env": "it names a program to run",
    "no-redact": "it would leave reports unredacted",
    "keep": "it would save reports",
    "cache-dir": "it names a folder to write to",
}
"""Options that a discovered file may not set, and why."""
_CONFINED_KEYS = ("data", "baseline")
"""Paths that a discovered file may only name below its own folder."""
_MOST_OF_KEY = {"deadline": 600, "jobs": 64}
"""A project may neither keep us waiting for ever, nor start thousands of processes."""
_MAX_INTEGER = (1 << 63) - 1
"""What TOML asks of every reader."""
_HINT = "name the file with --config to obey it"


class ConfigError(Exception):
    """A configuration that cannot be used; the message names file, key and reason."""


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration file as it was found."""

    path: str = ""
    prefix: str = ""
    """What stands before its keys: ``tool.pipedoctor.``, or nothing."""
    table: dict[str, Any] = {}
    """The keys that may be obeyed."""
    origin: ConfigurationOrigin = "named"
    not_obeyed: dict[str, str] = {}
    """Why a key is not obeyed; an empty key: the whole file."""


def find_config(path: str | None = None) -> ConfigFile:
    """
    Read this file, or the nearest one upward from the working directory.

    Raises `ConfigError`, or `FileTimeoutError` where a folder does not answer.
    """
    if path is not None:
        return _read_in_lane(path, lambda: _read_named(path), f"{path}: ")
    return _read_in_lane("configuration", _find_nearest)


def find_user_config() -> ConfigFile:
    """Read the user's own file, ``$XDG_CONFIG_HOME/pipedoctor/config.toml``; raises as above."""
    return _read_in_lane("the user's configuration", _read_user_file)


def _read_in_lane(name: str, reader: Any, at: str = "") -> ConfigFile:
    def work(announce: Announce) -> dict[str, Any]:
        announce(f"read {name}")
        return msgspec.structs.asdict(reader() or ConfigFile())

    if name.startswith(files.OWN_DESCRIPTORS):
        found = reader()  # a descriptor of this process, which no child has
        return cast("ConfigFile", found)
    try:
        return msgspec.convert(files.run_with_timeout(name, work), ConfigFile)
    except files.FileTimeoutError:
        raise
    except UnreadableError as error:
        message = f"{at}{error}"
        raise ConfigError(message) from None


def _read_named(path: str) -> ConfigFile:
    try:
        if path.startswith(files.OWN_DESCRIPTORS):
            data = files.load_file(path, MAX_CONFIG_BYTES + 1)
        else:
            data = regular_file.read_whole(path, MAX_CONFIG_BYTES)
    except OSError as error:
        raise UnreadableError(files.describe_error(error)) from error
    table, prefix = parse_table(Path(path), data, "")
    return ConfigFile(path=path, prefix=prefix, table=table)


def _find_nearest() -> ConfigFile | None:
    try:
        here = Path.cwd()
    except OSError:
        return None  # it was removed; the check of paths says so
    for folder in (here, *here.parents):
        for name in CONFIG_FILE_NAMES:
            found = _read_discovered(folder / name)
            if found is not None:
                return found
    return None


def _read_user_file() -> ConfigFile | None:
    """The user's file counts where nobody else can write it, or a folder above it."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117  (else it is to be ignored, by its specification)
        base = os.path.join(os.environ.get("HOME", ""), ".config")  # noqa: PTH118
    if not os.path.isabs(base):  # noqa: PTH117
        return None
    path = Path(base, "pipedoctor", "config.toml")
    users = file_trust.list_trusted_users()
    try:
        data, reason = file_trust.read_judged(path, users, MAX_CONFIG_BYTES + 1, all_folders=True)
    except regular_file.NotRegularError as error:
        reason, data = f"it is {error.strerror}", b""
    except OSError:
        return None
    if len(data) > MAX_CONFIG_BYTES:
        reason = f"it is larger than {MAX_CONFIG_BYTES >> 20} MiB"
    if reason:
        return ConfigFile(path=str(path), origin="user", not_obeyed={"": reason})
    table, prefix = parse_table(path, data, f"{path}: ")
    return ConfigFile(path=str(path), prefix=prefix, table=table, origin="user")


def _read_discovered(path: Path) -> ConfigFile | None:
    """A file of a project; None where it is absent or says nothing about us."""
    users = file_trust.list_trusted_users(sudo=True)
    try:
        data, reason = file_trust.read_judged(path, users, MAX_CONFIG_BYTES + 1)
    except regular_file.NotRegularError as error:
        return _refuse_file(path, f"it is {error.strerror}")
    except OSError:
        return None
    if path.name == "pyproject.toml" and b"pipedoctor" not in data:
        return None
    if reason:
        return _refuse_file(path, f"{reason}; {_HINT}")
    if len(data) > MAX_CONFIG_BYTES:
        message = f"{path}: larger than {MAX_CONFIG_BYTES >> 20} MiB"
        raise UnreadableError(message)
    table, prefix = parse_table(path, data, f"{path}: ")
    if not table and path.name == "pyproject.toml":
        return None
    obeyed, not_obeyed = _confine(path.parent, table)
    return ConfigFile(
        path=str(path), prefix=prefix, table=obeyed, origin="project", not_obeyed=not_obeyed
    )


def _refuse_file(path: Path, reason: str) -> ConfigFile:
    return ConfigFile(path=str(path), origin="project", not_obeyed={"": reason})


def _confine(folder: Path, table: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Divide a discovered table into what may be obeyed, and the rest with its reasons."""
    refused = {key: WITHHELD_KEYS[key] for key in table if key in WITHHELD_KEYS}
    for key in _CONFINED_KEYS:
        outside = next(_list_outside(folder, table.get(key)), None)
        if outside is not None:
            refused[key] = f"{outside} is not below {folder}"
    for key, most in _MOST_OF_KEY.items():
        value = table.get(key)
        if isinstance(value, int | float) and value > most:
            refused[key] = f"more than {most}"
    return {key: value for key, value in table.items() if key not in refused}, refused


def _list_outside(folder: Path, value: object) -> Iterator[str]:
    """Paths that lead out of a folder, after links are resolved."""
    names = cast("list[object]", value) if isinstance(value, list) else [value]
    top = os.path.realpath(folder)
    for name in names:
        if not isinstance(name, str):
            continue  # of another type: its own error says so
        try:
            real = os.path.realpath(folder / name)
        except (OSError, ValueError):
            yield name
            continue
        if real != top and not real.startswith(top.rstrip(os.sep) + os.sep):
            yield name


def parse_table(path: Path, data: bytes, at: str) -> tuple[dict[str, Any], str]:
    """Our table in a file, and what stands before its keys; raises UnreadableError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
        _refuse_long_integers(table)
    except (ValueError, RecursionError) as error:
        message = f"{at}not TOML: {error}"
        raise UnreadableError(message) from error
    if path.name != "pyproject.toml":
        return table, ""
    return _get_table(_get_table(table, "tool"), "pipedoctor"), "tool.pipedoctor."


def _refuse_long_integers(value: object) -> None:
    """Raise ValueError where an integer has more than 64 bits: nothing can hold it."""
    if isinstance(value, int) and abs(value) > _MAX_INTEGER:
        message = "an integer of more than 64 bits"
        raise ValueError(message)
    if isinstance(value, dict | list):
        entries = cast("dict[str, object] | list[object]", value)
        for entry in entries.values() if isinstance(entries, dict) else entries:
            _refuse_long_integers(entry)


def _get_table(table: dict[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
