"""Facts of two sides that tests of a comparison share."""

from typing import TypeVar

from msgspec.structs import replace

from pipedoctor.diff.model import Diff
from pipedoctor.facts import Fact, Loader, Packages
from tests.diff.conftest import machine

MiB = 1 << 20
F = TypeVar("F", bound=Fact)
JOB = Loader(num_workers=8, batch_bytes=128 * MiB)


def fields(diff: Diff) -> list[str]:
    return [one.field for one in diff.differences]


def of(kind: type[F]) -> F:
    found = machine().get(kind)
    assert found is not None
    return found


def packages(**versions: str) -> Packages:
    """The same packages, of these some in other versions; an empty one is gone."""
    entries = (
        replace(e, version=versions.get(e.name.replace("-", "_"), e.version))
        for e in of(Packages).entries
    )
    return Packages(entries=tuple(entry for entry in entries if entry.version))
