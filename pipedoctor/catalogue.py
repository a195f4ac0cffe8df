"""Every check that is installed: ours and those of third parties, by one door."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from typing import Any

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.check import Check
from pipedoctor.facts.record import TABLES
from pipedoctor.facts.world import World

GROUP = "pipedoctor.checks"


@dataclass(frozen=True)
class Broken:
    """A pack, or one module of it, that could not be loaded."""

    pack: str
    reason: str
    trace: str = ""


@dataclass(frozen=True)
class Catalogue:
    """Checks by code, tables about the world, and what would not load."""

    checks: Mapping[str, Check[Any]]
    tables: tuple[World, ...] = ()
    broken: tuple[Broken, ...] = ()
    by_name: Mapping[str, Check[Any]] = field(init=False)

    def __post_init__(self) -> None:
        names = {check.name: check for check in self.checks.values()}
        object.__setattr__(self, "by_name", names)

    def find(self, name: str) -> Check[Any] | None:
        """Look a check up by its code or its name, in any case and with ``_``."""
        return self.checks.get(name.upper()) or self.by_name.get(
            name.lower().replace("_", "-")
        )


def installed() -> Catalogue:
    """Load every pack of the entry-point group; a broken one stops nobody else."""
    return gather(sorted(entry_points(group=GROUP), key=_ours_first))


def gather(packs: list[EntryPoint]) -> Catalogue:
    """Load these packs, in order: the first that claims a code or a name has it."""
    checks: dict[str, Check[Any]] = {}
    broken: list[Broken] = []
    tables: dict[str, World] = {}
    taken: dict[str, str] = {}
    for pack in packs:
        label = pack.dist.name if pack.dist else pack.name
        for check in _load(pack.value, label, broken):
            rival = taken.get(check.code) or taken.get(check.name)
            if rival:
                reason = f"{check.code} {check.name} is already taken by {rival}"
                broken.append(Broken(label, reason))
                continue
            checks[check.code] = replace(check, pack=label)
            taken[check.code] = taken[check.name] = label
        tables |= _tables(pack.value, label, broken)
    return Catalogue(
        dict(sorted(checks.items())), tuple(tables.values()), tuple(broken)
    )


def _ours_first(pack: EntryPoint) -> tuple[bool, str, str]:
    return pack.value != "pipedoctor_checks", pack.name, pack.value


def _load(package: str, label: str, broken: list[Broken]) -> Iterator[Check[Any]]:
    """Every check of a package: one module, one check, both of the same name."""
    top = attempt(lambda: importlib.import_module(package))
    if isinstance(top, Crash):
        broken.append(Broken(label, f"{package}: {top.reason}", top.trace))
        return
    modules = pkgutil.iter_modules(getattr(top.value, "__path__", []))
    names = sorted(m.name for m in modules if not m.ispkg and m.name[0] != "_")
    for name in names:
        found = attempt(lambda name=name: _one(package, name))  # type: ignore[misc]
        if isinstance(found, Crash):
            broken.append(
                Broken(label, f"{package}.{name}: {found.reason}", found.trace)
            )
        else:
            yield found.value


def _one(package: str, name: str) -> Check[Any]:
    check = getattr(importlib.import_module(f"{package}.{name}"), name, None)
    if not isinstance(check, Check):
        message = f"module {name} must hold a check called {name}"
        raise TypeError(message)
    assert check.needs is not None  # noqa: S101  (its signature can be read)
    return check


def _tables(package: str, label: str, broken: list[Broken]) -> dict[str, World]:
    tables: dict[str, World] = {}
    for section, kind in TABLES.items():
        read = attempt(lambda s=section, k=kind: _table(package, s, k))  # type: ignore[misc]
        if isinstance(read, Crash):
            broken.append(
                Broken(label, f"{package}/world/{section}.json: {read.reason}")
            )
        elif read.value is not None:
            tables[section] = read.value
    return tables


def _table(package: str, section: str, kind: type[World]) -> World | None:
    file = files(package) / "world" / f"{section}.json"
    return msgspec.json.decode(file.read_bytes(), type=kind) if file.is_file() else None
