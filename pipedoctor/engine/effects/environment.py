"""The facts as they would be with other environment variables."""

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from pipedoctor.facts import (
    Fact,
    Facts,
    Interpreter,
    Packages,
    PathFact,
    Paths,
    Threads,
    TorchBuild,
    TorchImport,
)
from pipedoctor.facts.threads import THREAD_VARIABLES
from pipedoctor.units import parse_count


def change_variables(facts: Facts, variables: Mapping[str, str]) -> Iterator[Fact]:
    """The facts that these variables decide; an empty value unsets one."""
    yield from _change_threads(facts, variables)
    if folder := variables.get("TMPDIR"):
        yield from _move_temporary_files(facts, folder)
    if variables.get("PYTHONPATH") == "":
        yield from _leave_folders(facts, lambda place: place.pythonpath)
    if variables.get("PYTHONNOUSERSITE"):
        yield from _leave_folders(facts, lambda place: (place.user_site,))


def _change_threads(facts: Facts, variables: Mapping[str, str]) -> Iterator[Fact]:
    asked = {
        name: count
        for name, value in variables.items()
        if name in THREAD_VARIABLES and (count := parse_count(value)) is not None
    }
    if asked:
        known = facts.get(Threads) or Threads()
        odd = {name: text for name, text in known.odd.items() if name not in asked}
        yield replace(known, asked={**known.asked, **asked}, odd=odd)


def _move_temporary_files(facts: Facts, folder: str) -> Iterator[Fact]:
    """Temporary files go to a place that was examined; of another nothing is known."""
    paths = facts.get(Paths)
    target = paths and next((one for one in paths.entries if one.path == folder), None)
    if not paths or not target:
        return
    moved: PathFact = replace(target, role="tmp", named_by="TMPDIR")
    others = tuple(one for one in paths.entries if one.role != "tmp" and one != target)
    yield replace(paths, entries=(*others, moved))


def _leave_folders(
    facts: Facts, choose: Callable[[Interpreter], tuple[str, ...]]
) -> Iterator[Fact]:
    """Python looks no longer into these folders."""
    place, packages = facts.get(Interpreter), facts.get(Packages)
    if place is None:
        return
    folders = choose(place)
    yield replace(
        place,
        path=tuple(one for one in place.path if one not in folders),
        pythonpath=tuple(one for one in place.pythonpath if one not in folders),
        user_site="" if place.user_site in folders else place.user_site,
    )
    if packages is not None:
        rest = tuple(one for one in packages.entries if one.location not in folders)
        changed = replace(packages, entries=rest)
        yield changed
        yield from _import_torch_of(changed, facts)


def _import_torch_of(packages: Packages, facts: Facts) -> Iterator[Fact]:
    """The torch that is imported then; what a build contains is not asked again."""
    torch, entry = facts.get(TorchBuild), packages.find("torch")
    if torch is not None and entry is not None and torch.location != entry.location:
        yield replace(torch, version=entry.version.partition("+")[0], location=entry.location)
    known = facts.get(TorchImport)
    if known is not None and known.version:
        same = entry is not None and entry.version == known.version
        said = {} if same else {"warnings": (), "error": ""}
        yield replace(known, version=entry.version if entry else "", file="", **said)
