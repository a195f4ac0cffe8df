"""Merge findings about loaders of one file that need the same change."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from pipedoctor.check import Finding, Remedy
from pipedoctor.facts import Source
from pipedoctor_checks._shared.loader_calls import loader_name


def merge_per_file(source: Source, findings: Iterable[Finding]) -> Iterator[Finding]:
    """
    Merge the findings of a file that differ only in the loader's name.

    Each summary begins with the loader's name, as `loader_name` returns it.
    """
    names = {loader_name(loader) for loader in source.loaders}
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for finding in findings:
        name = _find_loader_name(finding, names)
        groups.setdefault(_merge_key(name, finding), []).append((name, finding))
    for group in groups.values():
        yield _merge_group(group) if len(group) > 1 else group[0][1]


def _find_loader_name(finding: Finding, names: Iterable[str]) -> str:
    """The loader of a finding, by the name at the start of its summary."""
    known = (name for name in names if finding.summary.startswith(f"{name} "))
    return max(known, key=len, default="")


def _merge_key(name: str, finding: Finding) -> tuple[object, ...]:
    predicate = finding.summary.removeprefix(name)
    path = finding.location.path if finding.location else ""
    remedies = tuple((r.title, r.snippet, r.unsafe, r.kept) for r in finding.remedies)
    what = finding.severity, finding.confidence, finding.counterfactual
    return path, predicate, remedies, *what


def _merge_group(group: Sequence[tuple[str, Finding]]) -> Finding:
    first, finding = group[0]
    places = (place for _, one in group for place in (one.location, *one.also_at))
    location, *others = (place for place in dict.fromkeys(places) if place)
    predicate = finding.summary.removeprefix(first)
    remedies = zip(*(one.remedies for _, one in group), strict=True)
    return replace(
        finding,
        summary=f"{_format_names([name for name, _ in group])}{predicate}",
        location=location,
        also_at=tuple(others),
        together=tuple(pair for _, one in group for pair in one.together),
        remedies=tuple(map(_merge_remedies, remedies)),
    )


def _format_names(loaders: Sequence[str]) -> str:
    """``train_loader, like test_loader,``, or how many others there are."""
    first, *others = dict.fromkeys(loaders)
    if len(loaders) == 2 and others:  # noqa: PLR2004
        return f"{first}, like {others[0]},"
    count = len(loaders) - 1
    return f"{first}, like {count} other{'s' if count > 1 else ''},"


def _merge_remedies(remedies: Sequence[Remedy]) -> Remedy:
    """What each of them changes, each edit once."""
    edits = dict.fromkeys(edit for one in remedies for edit in one.edits)
    return replace(remedies[0], edits=tuple(edits))
