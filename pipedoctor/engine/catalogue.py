"""Every check that is installed: ours and those of third parties, by one door."""

import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.check import Check
from pipedoctor.engine.packs import Pack, find_packs
from pipedoctor.facts import Fact
from pipedoctor.facts.record import WORLD_TABLES
from pipedoctor.facts.world import World
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.runtime.attempt import Crash, attempt

_OUR_PACK = "pipedoctor"
_CODE_PATTERN = compile_lazily(r"[A-Z]{2,8}[0-9]{1,6}")


class BrokenPack(msgspec.Struct, frozen=True):
    """A pack, or one module of it, that could not be loaded."""

    pack: str
    reason: str
    trace: str = ""


@dataclass(frozen=True)
class Catalogue:
    """Checks by code, tables about the world, and what would not load."""

    checks: Mapping[str, Check[Any]]
    tables: tuple[World, ...] = field(default_factory=tuple)
    broken: tuple[BrokenPack, ...] = field(default_factory=tuple)
    by_name: Mapping[str, Check[Any]] = field(init=False)

    def __post_init__(self) -> None:
        names = {check.name: check for check in self.checks.values()}
        object.__setattr__(self, "by_name", names)

    def find_check(self, name: str) -> Check[Any] | None:
        """Look a check up by its code or its name, in any case and with ``_``."""
        return self.checks.get(name.upper()) or self.by_name.get(name.lower().replace("_", "-"))


class _InstalledCatalogue(Catalogue):
    """All packs that are installed, loaded when somebody first asks for a part."""

    def __init__(self, reading: Collection[type[Fact]]) -> None:
        """Nothing yet: so the machine is being read while checks are loaded."""
        self.__dict__["_reading"] = reading

    def __getattr__(self, part: str) -> Any:
        if part not in {"checks", "tables", "broken", "by_name"}:
            raise AttributeError(part)
        self.__dict__.update(vars(load_packs(find_packs(), reading=self.__dict__["_reading"])))
        return self.__dict__[part]


def get_catalogue(reading: Collection[type[Fact]] = ()) -> Catalogue:
    """
    The catalogue of all installed packs; of checks only those `reading` one of these facts.

    A broken pack is listed and stops no other.
    """
    return _InstalledCatalogue(reading)


def load_packs(
    packs: Iterable[Pack], only: Collection[str] = (), reading: Collection[type[Fact]] = ()
) -> Catalogue:
    """
    Load these packs, in order: the first that claims a code or a name has it.

    `only` names modules (``shm_too_small``): no other is imported. `reading`: without
    the checks that read none of these facts, and tables that none of the others reads.
    """
    checks: dict[str, Check[Any]] = {}
    broken: list[BrokenPack] = []
    tables: dict[str, World] = {}
    taken: dict[str, str] = {}
    with contextlib.redirect_stdout(sys.stderr):  # stdout belongs to the report
        for pack in packs:
            for check in _load_checks(pack, broken, only, reading):
                if reading and not any(need in reading for need in check.needs):
                    continue
                rival = taken.get(check.code) or taken.get(check.name)
                if rival:
                    reason = f"{check.code} {check.name} is already taken by {rival}"
                    broken.append(BrokenPack(pack.label, reason))
                    continue
                checks[check.code] = replace(check, pack=pack.label)
                taken[check.code] = taken[check.name] = pack.label
            needed = {need for check in checks.values() for need in check.needs} if reading else ()
            for section, table in _load_tables(pack, broken, needed):
                tables.setdefault(section, table)
    return Catalogue(dict(sorted(checks.items())), tuple(tables.values()), tuple(broken))


def _load_checks(
    pack: Pack,
    broken: list[BrokenPack],
    only: Collection[str],
    reading: Collection[type[Fact]],
) -> Iterator[Check[Any]]:
    """Every check of a package: one module, one check, both of the same name."""
    top = attempt(lambda: importlib.import_module(pack.package))
    if isinstance(top, Crash):
        reason = f"{pack.package}: {top.reason}"
        broken.append(BrokenPack(pack.label, reason, top.trace))
        return
    folders: list[str] = list(getattr(top.value, "__path__", []))
    modules = list(_list_modules(pack.package, folders))
    if not modules:
        broken.append(BrokenPack(pack.label, f"{pack.package}: contains no check"))
    for package, name in modules:
        if only and name not in only:
            continue
        if reading and pack.label == _OUR_PACK and not _mentions(package, name, folders, reading):
            continue
        found = attempt(lambda p=package, n=name: _load_check(p, n))  # type: ignore[misc]
        if isinstance(found, Crash):
            reason = f"{package}.{name}: {found.reason}"
            broken.append(BrokenPack(pack.label, reason, found.trace))
        else:
            yield found.value


def _mentions(
    package: str, name: str, folders: Iterable[str], facts: Collection[type[Fact]]
) -> bool:
    """
    Does the source of a module mention one of these facts? Where there is none: perhaps.

    Without these names it cannot read them: importing 200 modules costs much more than
    reading them. Others may call facts as they like: only ours are judged like that.
    """
    names = [fact.__name__.encode() for fact in facts]
    for folder in folders:
        with contextlib.suppress(OSError):  # pathlib takes as long as the rest of it
            path = "/".join((folder, *package.split(".")[1:], f"{name}.py"))
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                text = file.read()
            return any(word in text for word in names)
    return True


def _list_modules(package: str, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """
    Packages and modules of checks: those directly in a pack, and those of its families.

    A family is a folder; names that begin with ``_`` are no checks.
    """
    for folder in paths:
        for name, is_package in sorted(_list_names(folder)):
            if name.startswith("_"):
                continue
            if is_package:
                yield from _list_modules(f"{package}.{name}", [str(Path(folder) / name)])
            else:
                yield package, name


def _list_names(folder: str) -> set[tuple[str, bool]]:
    """Modules and packages (True) of a folder or an archive; their sources alone, if all have."""
    with contextlib.suppress(OSError):  # not a folder: an archive
        names = [entry.name for entry in os.scandir(folder)]
        modules = {(name[:-3], False) for name in names if name.endswith(".py")}
        folders = [name for name in names if "." not in name and name != "__pycache__"]
        if len(modules) + len(folders) == len(names) - names.count("__pycache__"):
            inits = {name: Path(folder, name, "__init__.py") for name in folders}
            return modules | {(name, True) for name, init in inits.items() if init.is_file()}
    return {(found.name, found.ispkg) for found in pkgutil.iter_modules([folder])}


def _load_check(package: str, name: str) -> Check[Any]:
    """The check of a module, or a TypeError that says what is wrong with it."""
    check = getattr(importlib.import_module(f"{package}.{name}"), name, None)
    if not isinstance(check, Check):
        message = f"module {name} must hold a check called {name}"
        raise TypeError(message)
    if check.name != name.replace("_", "-"):
        message = f"the check of module {name} is named {check.name}"
        raise TypeError(message)
    if not _CODE_PATTERN.fullmatch(check.code):
        message = f"{check.code!r} is not a code: expected capital letters, then digits"
        raise TypeError(message)
    needs: list[object] = list(check.needs)  # whatever a stranger wrote there
    for need in needs:
        if not (isinstance(need, type) and issubclass(need, Fact)):
            message = f"{need!r} is not a kind of fact"
            raise TypeError(message)
    return check


def _load_tables(
    pack: Pack, broken: list[BrokenPack], only: Collection[type[Fact]]
) -> Iterator[tuple[str, World]]:
    """The tables that a package brings along, or `only` these; a bad one is listed."""
    package = sys.modules.get(pack.package)
    folders = [Path(folder) / "world" for folder in getattr(package, "__path__", [])]
    for section, kind in WORLD_TABLES.items():
        if only and kind not in only:
            continue
        for file in (folder / f"{section}.json" for folder in folders):
            read = attempt(lambda f=file, k=kind: _read_table(f, k))  # type: ignore[misc]
            if isinstance(read, Crash):
                reason = f"{pack.package}/world/{file.name}: {read.reason}"
                broken.append(BrokenPack(pack.label, reason, read.trace))
            elif read.value is not None:
                yield section, read.value


def _read_table(file: Path, kind: type[World]) -> World | None:
    return msgspec.json.decode(file.read_bytes(), type=kind) if file.is_file() else None
