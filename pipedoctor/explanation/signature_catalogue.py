"""The book of signatures: of every installed pack, beside its checks."""

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from pipedoctor.engine.packs import Pack, find_packs
from pipedoctor.log.signatures import (
    FailureMode,
    RejectedSignature,
    SignatureCatalogue,
    read_failure_modes,
)
from pipedoctor.runtime.attempt import Crash, attempt


def load_signatures() -> SignatureCatalogue:
    """
    Read the signatures of all installed packs.

    Broken ones are listed as rejected.
    """
    return read_packs(find_packs())


def read_packs(packs: Iterable[Pack]) -> SignatureCatalogue:
    """The illnesses of these packs; the first that claims a cause has it."""
    modes: dict[str, FailureMode] = {}
    spoilt: list[RejectedSignature] = []
    for pack in packs:
        done = attempt(lambda pack=pack: _read_pack(pack))  # type: ignore[misc]
        if isinstance(done, Crash):
            spoilt.append(RejectedSignature(pack.label, done.reason))
            continue
        for one in done.value:
            if isinstance(one, RejectedSignature):
                spoilt.append(one)
            else:
                modes.setdefault(one.cause, one)
    return SignatureCatalogue(modes.values(), spoilt)


def find_pack_folders(pack: Pack) -> list[Path]:
    """Where the data of a pack lie; its package is not imported."""
    spec = importlib.util.find_spec(pack.package)
    return [*map(Path, spec.submodule_search_locations or ())] if spec else []


def _read_pack(pack: Pack) -> list[FailureMode | RejectedSignature]:
    return [
        i for folder in find_pack_folders(pack) for i in read_failure_modes(folder / "signatures")
    ]
