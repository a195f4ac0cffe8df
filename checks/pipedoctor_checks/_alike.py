"""Loaders of one file that want the same: one finding for all of them."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from pipedoctor.check import Finding
from pipedoctor.facts import Source
from pipedoctor.remedy import Remedy
from pipedoctor_checks._loader import called


def alike(source: Source, findings: Iterable[Finding]) -> Iterator[Finding]:
    """
    One finding for those of a file that say the same, but for the loader's name.

    Each summary begins with what `called` says of its loader.
    """
    names = {called(loader) for loader in source.loaders}
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for finding in findings:
        name = _named(finding, names)
        groups.setdefault(_cause(name, finding), []).append((name, finding))
    for group in groups.values():
        yield _together(group) if len(group) > 1 else group[0][1]


def _named(finding: Finding, names: Iterable[str]) -> str:
    """The loader of a finding, by the name that its summary begins with."""
    known = (name for name in names if finding.summary.startswith(f"{name} "))
    return max(known, key=len, default="")


def _cause(name: str, finding: Finding) -> tuple[object, ...]:
    said = finding.summary.removeprefix(name)
    path = finding.location.path if finding.location else ""
    remedies = tuple((r.title, r.snippet, r.unsafe, r.kept) for r in finding.remedies)
    what = finding.severity, finding.confidence, finding.counterfactual
    return path, said, remedies, *what


def _together(group: Sequence[tuple[str, Finding]]) -> Finding:
    first, finding = group[0]
    places = (place for _, one in group for place in (one.location, *one.also_at))
    location, *others = (place for place in dict.fromkeys(places) if place)
    said = finding.summary.removeprefix(first)
    remedies = zip(*(one.remedies for _, one in group), strict=True)
    return replace(
        finding,
        summary=f"{_names([name for name, _ in group])}{said}",
        location=location,
        also_at=tuple(others),
        remedies=tuple(map(_remedy, remedies)),
    )


def _names(loaders: Sequence[str]) -> str:
    """``train_loader, like test_loader,``, or how many others there are."""
    first, *others = dict.fromkeys(loaders)
    if len(loaders) == 2 and others:  # noqa: PLR2004
        return f"{first}, like {others[0]},"
    count = len(loaders) - 1
    return f"{first}, like {count} other{'s' if count > 1 else ''},"


def _remedy(remedies: Sequence[Remedy]) -> Remedy:
    """What each of them changes, each edit once."""
    edits = dict.fromkeys(edit for one in remedies for edit in one.edits)
    return replace(remedies[0], edits=tuple(edits))
