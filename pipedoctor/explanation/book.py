"""The book of signatures: of every installed pack, beside its checks."""

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from pipedoctor.attempt import Crash, attempt
from pipedoctor.log.signatures import Book, Illness, read
from pipedoctor.packs import Pack, installed_packs


def installed_book() -> Book:
    """Read what is installed; a broken pack is left out."""
    return gather(installed_packs())


def gather(packs: Iterable[Pack]) -> Book:
    """The illnesses of these packs; the first that claims a cause has it."""
    found: dict[str, Illness] = {}
    for pack in packs:
        done = attempt(lambda pack=pack: _of(pack))  # type: ignore[misc]
        for illness in () if isinstance(done, Crash) else done.value:
            found.setdefault(illness.cause, illness)
    return Book(found.values())


def _of(pack: Pack) -> list[Illness]:
    spec = importlib.util.find_spec(pack.package)
    folders = (spec.submodule_search_locations or []) if spec else []
    return [i for folder in folders for i in read(Path(folder) / "signatures")]
