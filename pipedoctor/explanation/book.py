"""The book of signatures: of every installed pack, beside its checks."""

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from pipedoctor.attempt import Crash, attempt
from pipedoctor.log.signatures import Book, Illness, Spoilt, read
from pipedoctor.packs import Pack, installed_packs


def installed_book() -> Book:
    """Read what is installed; what is broken is left out, and the book says so."""
    return gather(installed_packs())


def gather(packs: Iterable[Pack]) -> Book:
    """The illnesses of these packs; the first that claims a cause has it."""
    found: dict[str, Illness] = {}
    spoilt: list[Spoilt] = []
    for pack in packs:
        done = attempt(lambda pack=pack: _of(pack))  # type: ignore[misc]
        if isinstance(done, Crash):
            spoilt.append(Spoilt(pack.label, done.reason))
            continue
        for one in done.value:
            if isinstance(one, Spoilt):
                spoilt.append(one)
            else:
                found.setdefault(one.cause, one)
    return Book(found.values(), spoilt)


def folders_of(pack: Pack) -> list[Path]:
    """Where the data of a pack lie; its package is not imported."""
    spec = importlib.util.find_spec(pack.package)
    return [*map(Path, spec.submodule_search_locations or ())] if spec else []


def _of(pack: Pack) -> list[Illness | Spoilt]:
    return [i for folder in folders_of(pack) for i in read(folder / "signatures")]
