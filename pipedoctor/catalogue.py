"""Every check that is installed: ours and those of third parties, by one door."""

import contextlib
import importlib
import pkgutil
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.check import Check
from pipedoctor.facts import Fact
from pipedoctor.facts.record import TABLES
from pipedoctor.facts.world import World
from pipedoctor.packs import Pack, installed_packs

_CODE = re.compile(r"[A-Z]{2,8}[0-9]{1,6}")


class Broken(msgspec.Struct, frozen=True):
    """A pack, or one module of it, that could not be loaded."""

    pack: str
    reason: str
    trace: str = ""


@dataclass(frozen=True)
class Catalogue:
    """Checks by code, tables about the world, and what would not load."""

    checks: Mapping[str, Check[Any]]
    tables: tuple[World, ...] = field(default_factory=tuple)
    broken: tuple[Broken, ...] = field(default_factory=tuple)
    by_name: Mapping[str, Check[Any]] = field(init=False)

    def __post_init__(self) -> None:
        names = {check.name: check for check in self.checks.values()}
        object.__setattr__(self, "by_name", names)

    def find(self, name: str) -> Check[Any] | None:
        """Look a check up by its code or its name, in any case and with ``_``."""
        return self.checks.get(name.upper()) or self.by_name.get(
            name.lower().replace("_", "-")
        )


class _Installed(Catalogue):
    """All packs that are installed, loaded when somebody first asks for a part."""

    def __init__(self) -> None:
        """Nothing yet: so the machine is being read while checks are loaded."""

    def __getattr__(self, part: str) -> Any:
        if part not in {"checks", "tables", "broken", "by_name"}:
            raise AttributeError(part)
        self.__dict__.update(vars(gather(installed_packs())))
        return self.__dict__[part]


def installed() -> Catalogue:
    """Every installed pack; a broken one is listed and stops nobody else."""
    return _Installed()


def gather(packs: Iterable[Pack], only: Collection[str] = ()) -> Catalogue:
    """
    Load these packs, in order: the first that claims a code or a name has it.

    `only` names modules (``shm_too_small``): no other is imported.
    """
    checks: dict[str, Check[Any]] = {}
    broken: list[Broken] = []
    tables: dict[str, World] = {}
    taken: dict[str, str] = {}
    with contextlib.redirect_stdout(sys.stderr):  # stdout belongs to the report
        for pack in packs:
            for check in _load(pack, broken, only):
                rival = taken.get(check.code) or taken.get(check.name)
                if rival:
                    reason = f"{check.code} {check.name} is already taken by {rival}"
                    broken.append(Broken(pack.label, reason))
                    continue
                checks[check.code] = replace(check, pack=pack.label)
                taken[check.code] = taken[check.name] = pack.label
            for section, table in _tables(pack, broken):
                tables.setdefault(section, table)
    return Catalogue(
        dict(sorted(checks.items())), tuple(tables.values()), tuple(broken)
    )


def _load(
    pack: Pack, broken: list[Broken], only: Collection[str]
) -> Iterator[Check[Any]]:
    """Every check of a package: one module, one check, both of the same name."""
    top = attempt(lambda: importlib.import_module(pack.package))
    if isinstance(top, Crash):
        reason = f"{pack.package}: {top.reason}"
        broken.append(Broken(pack.label, reason, top.trace))
        return
    modules = pkgutil.iter_modules(getattr(top.value, "__path__", []))
    names = sorted(m.name for m in modules if not m.ispkg and m.name[0] != "_")
    if not names:
        broken.append(Broken(pack.label, f"{pack.package}: no module, no check"))
    for name in [name for name in names if name in only] if only else names:
        found = attempt(lambda name=name: _one(pack.package, name))  # type: ignore[misc]
        if isinstance(found, Crash):
            reason = f"{pack.package}.{name}: {found.reason}"
            broken.append(Broken(pack.label, reason, found.trace))
        else:
            yield found.value


def _one(package: str, name: str) -> Check[Any]:
    """The check of a module, or a TypeError that says what is wrong with it."""
    check = getattr(importlib.import_module(f"{package}.{name}"), name, None)
    if not isinstance(check, Check):
        message = f"module {name} must hold a check called {name}"
        raise TypeError(message)
    if check.name != name.replace("_", "-"):
        message = f"the check of module {name} calls itself {check.name}"
        raise TypeError(message)
    if not _CODE.fullmatch(check.code):
        message = f"{check.code!r} is no code: capital letters, then digits"
        raise TypeError(message)
    needs: list[object] = list(check.needs)  # whatever a stranger wrote there
    for need in needs:
        if not (isinstance(need, type) and issubclass(need, Fact)):
            message = f"{need!r} is no kind of fact"
            raise TypeError(message)
    return check


def _tables(pack: Pack, broken: list[Broken]) -> Iterator[tuple[str, World]]:
    """The tables that a package brings along; a bad one is listed."""
    package = sys.modules.get(pack.package)
    folders = [Path(folder) / "world" for folder in getattr(package, "__path__", [])]
    for section, kind in TABLES.items():
        for file in (folder / f"{section}.json" for folder in folders):
            read = attempt(lambda f=file, k=kind: _table(f, k))  # type: ignore[misc]
            if isinstance(read, Crash):
                reason = f"{pack.package}/world/{file.name}: {read.reason}"
                broken.append(Broken(pack.label, reason, read.trace))
            elif read.value is not None:
                yield section, read.value


def _table(file: Path, kind: type[World]) -> World | None:
    return msgspec.json.decode(file.read_bytes(), type=kind) if file.is_file() else None
