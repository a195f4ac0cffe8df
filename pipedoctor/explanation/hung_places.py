"""Places of this machine that did not answer while a log was explained."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pipedoctor.explanation.local_verdict import LocalVerdict
from pipedoctor.facts import DataSets, Facts, Paths
from pipedoctor.units import format_seconds

if TYPE_CHECKING:
    from pipedoctor.check import Check


def list_unresponsive(facts: Facts) -> tuple[str, ...]:
    """``/data (data) does not answer: stat hung for 2.0 s``, each place once."""
    paths, datasets = facts.get(Paths), facts.get(DataSets)
    found = {
        entry.path: (entry.role, entry.hang)
        for entry in (paths.entries if paths else ())
        if entry.hang is not None
    }
    for entry in datasets.entries if datasets else ():
        if entry.hang is not None:
            found.setdefault(entry.path, ("data", entry.hang))
    return tuple(
        f"{path} ({role}) does not answer: {hang.doing} hung for {format_seconds(hang.seconds)}"
        for path, (role, hang) in found.items()
    )


def doubt_verdict(
    verdict: LocalVerdict, check: "Check[...] | None", unresponsive: tuple[str, ...]
) -> LocalVerdict:
    """The verdict, where nothing is ruled out by a check that could not see every place."""
    if verdict.here != "ruled-out" or check is None or not unresponsive:
        return verdict
    if not (check.needs.get(Paths) or check.needs.get(DataSets)):
        return verdict
    return replace(verdict, here="unknown", why=f"not all places answered: {unresponsive[0]}")
