"""Settings from `[tool.pipedoctor]` of pyproject.toml or from pipedoctor.toml."""

import math
import os
import sys
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import msgspec

from pipedoctor.acceptance import Accepted
from pipedoctor.collect import files
from pipedoctor.collect.probe import Announce
from pipedoctor.facts import Loader, Unreadable
from pipedoctor.narrow.perfile import FileIgnore
from pipedoctor.selection import UnknownName, codes, suggestion
from pipedoctor.units import parse_size

if TYPE_CHECKING:
    from pipedoctor.catalogue import Catalogue
    from pipedoctor.check import Check

NAMES = ("pipedoctor.toml", "pyproject.toml")
LISTS = ("select", "ignore", "data", "exclude", "extend-exclude")
TABLES = ("accept", "per-file-ignores")
"""What may stand in a file beside options and thresholds."""
LARGEST = 1 << 20

Format = Literal["text", "json", "markdown", "html", "sarif", "junit", "github"]
Threshold = Literal["breaks", "risks", "slows", "note", "never"]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 16)]
Bytes = Annotated[int, msgspec.Meta(ge=0)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1, le=1 << 16)]
_MOST_BYTES = 1 << 60
"""In flight; beyond it the numbers of a report would no longer be JSON's."""


class Unfit(Exception):  # noqa: N818  (what the file is)
    """A configuration that cannot be used; the message names file, key and reason."""


class Options(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """Options of `check` that may stand in a file, by their long names."""

    data: tuple[str, ...] = ()
    python: str | None = None
    env: str | None = None
    workers: Count | None = None
    batch_bytes: Bytes | None = None
    prefetch: AtLeastOne | None = None
    ranks: AtLeastOne | None = None
    quick: bool = False
    jobs: AtLeastOne | None = None
    cache_dir: str | None = None
    no_cache: bool = False
    no_gitignore: bool = False
    deadline: Annotated[float, msgspec.Meta(ge=1)] = 15.0
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Threshold = "breaks"
    format: Format = "text"
    no_redact: bool = False
    keep: bool = False
    baseline: str | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @property
    def loader(self) -> Loader | None:
        """What is known of the job's DataLoader; None when nothing is."""
        given = {
            "num_workers": ("--workers", self.workers),
            "prefetch_factor": ("--prefetch", self.prefetch),
            "batch_bytes": ("--batch-bytes", self.batch_bytes),
            "ranks": ("--ranks", self.ranks),
        }
        known = {key: value for key, (_, value) in given.items() if value is not None}
        origin = {key: given[key][0] for key in known}
        return msgspec.convert({**known, "origin": origin}, Loader) if known else None


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration file as it was found."""

    path: str = ""
    prefix: str = ""
    """What stands before its keys: ``tool.pipedoctor.``, or nothing."""
    table: dict[str, Any] = {}


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that files and the command line say about how to examine."""

    options: Options = Options()
    settings: dict[str, dict[str, Any]] = {}
    accepted: dict[str, Accepted] = {}
    """By code."""
    rules: tuple[FileIgnore, ...] = ()
    """Checks that are ignored in some files."""


def find(path: str | None = None) -> File:
    """
    Read this file, or the nearest one upward from the working directory.

    Raises `Unfit`, or `Silent` where the working directory does not answer.
    """

    def work(announce: Announce) -> dict[str, Any]:
        announce("read the configuration")
        found = _nearest() if path is None else _read(Path(path), explicit=True)
        return msgspec.structs.asdict(found or File())

    try:
        return msgspec.convert(files.patiently(path or "configuration", work), File)
    except files.Silent:
        raise
    except Unreadable as error:
        raise Unfit(f"{path}: {error}" if path else str(error)) from None


def configure(file: File, given: Mapping[str, Any], catalogue: "Catalogue") -> Config:
    """Join a file with what the command line says, which wins; raises `Unfit`."""
    known = {field.encode_name for field in msgspec.structs.fields(Options)}
    options: dict[str, Any] = {}
    settings: dict[str, dict[str, Any]] = {}
    for key, value in file.table.items():
        if key in known:
            options[key] = _option(file, key, value)
        elif (check := catalogue.by_name.get(key)) is not None:
            settings[key] = _settings(file, check, value)
        elif key not in TABLES:
            choices = (*known, *catalogue.by_name, *TABLES)
            raise _unfit(file, key, "no option or check of this name", choices)
    accepted = _accepted(file, catalogue)
    merged = msgspec.convert({**options, **given}, Options)
    _refuse_absurd(merged)
    rules = _rules(file, catalogue)
    return Config(options=merged, settings=settings, accepted=accepted, rules=rules)


def _refuse_absurd(options: Options) -> None:
    """Each number alone may be meant; all of them together are a slip."""
    counts = (options.workers, options.prefetch, options.ranks)
    if math.prod(n or 1 for n in (*counts, options.batch_bytes)) > _MOST_BYTES:
        message = "so many batches of so many bytes are more than any machine has"
        raise Unfit(message)


def _nearest() -> File | None:
    try:
        here = Path.cwd()
    except OSError:
        return None  # it was removed; the check of paths says so
    for folder in (here, *here.parents):
        for name in NAMES:
            found = _read(folder / name, explicit=False)
            if found is not None:
                return found
    return None


def _read(path: Path, *, explicit: bool) -> File | None:
    """A file of ours; None where it is absent or says nothing about us."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        if explicit:
            raise Unreadable(files.why(error)) from error
        return None
    if not explicit and path.name == "pyproject.toml" and b"pipedoctor" not in data:
        return None
    at = "" if explicit else f"{path}: "
    if len(data) > LARGEST:
        message = f"{at}larger than {LARGEST >> 20} MiB"
        raise Unreadable(message)
    return _table(path, data, at)


def _table(path: Path, data: bytes, at: str) -> File | None:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415  (only where there is a file)
    else:
        import tomli as tomllib  # noqa: PLC0415
    try:
        table: dict[str, Any] = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        message = f"{at}not TOML: {error}"
        raise Unreadable(message) from error
    if path.name != "pyproject.toml":
        return File(path=str(path), table=table)
    ours = _inside(_inside(table, "tool"), "pipedoctor")
    return File(path=str(path), prefix="tool.pipedoctor.", table=ours) if ours else None


def _inside(table: dict[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _option(file: File, key: str, value: Any) -> Any:
    """One option of a file, as `Options` holds it; folders count from the file."""
    if key == "batch-bytes" and isinstance(value, str):
        try:
            value = parse_size(value)
        except ValueError as error:
            raise _unfit(file, key, str(error)) from None
    if key in LISTS and isinstance(value, str):
        value = [value]
    try:
        checked = msgspec.convert({key: value}, Options)
    except msgspec.ValidationError as error:
        raise _unfit(file, key, str(error).partition(" - at")[0]) from None
    if key == "data":
        return [str(Path(file.path).parent / path) for path in checked.data]
    if key in {"baseline", "cache-dir"}:
        return str(Path(file.path).parent / value)
    return value


def _settings(file: File, check: "Check[Any]", value: Any) -> dict[str, Any]:
    """Thresholds of one check, typed as its signature says."""
    if not isinstance(value, dict):
        raise _unfit(file, check.name, "must be a table of thresholds")
    hints = typing.get_type_hints(check.examine)
    settled: dict[str, Any] = {}
    for name, given in cast("dict[str, Any]", value).items():
        full = f"{check.name}.{name}"
        if name not in check.settings:
            raise _unfit(file, full, "no such threshold", check.settings)
        try:
            settled[name] = msgspec.convert(given, hints[name])
        except msgspec.ValidationError as error:
            raise _unfit(file, full, str(error)) from None
    return settled


def _accepted(file: File, catalogue: "Catalogue") -> dict[str, Accepted]:
    try:
        risks = msgspec.convert(file.table.get("accept", []), list[Accepted])
    except msgspec.ValidationError as error:
        raise _unfit(file, "accept", str(error)) from None
    accepted: dict[str, Accepted] = {}
    for risk in risks:
        check = catalogue.find(risk.name)
        if check is None:
            message = f"no check is called {risk.name!r}"
            close = suggestion(risk.name, catalogue.by_name)
            raise _unfit(file, "accept.name", message + close)
        accepted[check.code] = risk
    return accepted


def _rules(file: File, catalogue: "Catalogue") -> tuple[FileIgnore, ...]:
    key = "per-file-ignores"
    try:
        table = msgspec.convert(file.table.get(key, {}), dict[str, list[str]])
    except msgspec.ValidationError as error:
        raise _unfit(file, key, str(error)) from None
    prefix = _from(Path(file.path).parent) if table else ""
    rules: list[FileIgnore] = []
    for pattern, names in table.items():
        try:
            meant = frozenset(codes(catalogue, names))
        except UnknownName as error:
            raise _unfit(file, f"{key}.{pattern}", str(error)) from None
        rules.append(FileIgnore(pattern=pattern, codes=meant, prefix=prefix))
    return tuple(rules)


def _from(folder: Path) -> str:
    """How the working directory is called from there: ``sub/``, or empty."""
    try:
        way = Path(os.path.relpath(Path.cwd(), folder)).as_posix()
    except (OSError, ValueError):
        return ""  # it was removed, or is on another drive
    return "" if way == "." else f"{way}/"


def _unfit(
    file: File, key: str, message: str, choices: typing.Iterable[str] = ()
) -> Unfit:
    last = key.rpartition(".")[2]
    close = suggestion(last, choices) if choices else ""
    if not file.prefix and key == "tool":
        close = "; in this file leave out `tool.pipedoctor`"
    return Unfit(f"{file.path}: {file.prefix}{key}: {message}{close}")
