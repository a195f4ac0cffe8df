"""The sentences and choices that every format of a comparison for people shares."""

from collections.abc import Iterator, Sequence

import msgspec

from pipedoctor.diff.answer import listed
from pipedoctor.diff.model import Diff, Difference, Folded, Gap, Group, Party, Value
from pipedoctor.report.words import clean
from pipedoctor.units import many

MOST = 10
"""Differences of one group that no ticket is known of and that are shown."""

HEADINGS: dict[Group, str] = {
    "judged": "Judged by checks",
    "version": "Versions, by how often they break pipelines",
    "limit": "Limits and resources",
    "setting": "Settings",
}
_ORIGINS = {
    "report": "a report",
    "text": "the text of a collector",
    "record": "a file of requirements",
    "here": "this machine, now",
    "kept": "this machine",
}
_WHEN = {"here": ",", "kept": " as it was,"}


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """Differences of one group that stand together."""

    group: Group
    heading: str
    shown: tuple[Difference, ...]
    left_out: int = 0


def chapters(diff: Diff, *, full: bool = False) -> Iterator[Chapter]:
    """The differences in their order, cut after the first few that hardly matter."""
    runs: list[list[Difference]] = []
    for one in diff.differences:
        if not runs or _run(runs[-1][-1]) != _run(one):
            runs.append([])
        runs[-1].append(one)
    for run in runs:
        shown = run if full or _matters(run[0]) else run[:MOST]
        yield Chapter(
            group=run[0].group,
            heading=_heading(run[0]),
            shown=tuple(shown),
            left_out=len(run) - len(shown),
        )


def _run(one: Difference) -> str:
    return _heading(one)


def _matters(one: Difference) -> bool:
    return one.finding is not None or bool(one.tickets)


def _heading(one: Difference) -> str:
    if one.finding is not None:
        note = one.finding.severity == "note"
        return "Worth a note" if note else HEADINGS["judged"]
    if one.tickets or one.group == "judged":
        return HEADINGS[one.group]
    return f"Other {one.group}s"


def first_line(diff: Diff) -> str:
    """The answer, and what to type where a check knows the cure."""
    if diff.command:
        return clean(f"{diff.answer}; remedy {where(diff)}: {diff.command}")
    return f"{diff.answer}."


def where(diff: Diff) -> str:
    """For whom the command is: ``there``, or of several ill sides ``in b.json``."""
    first = diff.differences[0]
    ill = [
        (value.shown, side.name)
        for value, side in zip(first.values, diff.sides, strict=True)
        if value.state == "known"
    ]
    said = first.finding.summary if first.finding else ""
    alike = [name for shown, name in ill if shown == said]
    return f"in {listed(alike)}" if len(ill) > 1 and alike else "there"


def plain(value: Value) -> str:
    """What one side has, before ``in a.json``."""
    return value.shown.removesuffix(" there") if value.state != "known" else value.shown


def party(side: Party) -> str:
    """``a report of 2026-01-01T00:00:00Z: Docker container, Debian 12``."""
    when = f"{_WHEN.get(side.origin, ' of')} {side.created}" if side.created else ""
    place = f": {side.place}" if side.place else ""
    return clean(f"{_ORIGINS[side.origin]}{when}{place}")


def remarks(diff: Diff, *, full: bool = False) -> Iterator[str]:
    """What else there is to say, a sentence each."""
    yield f"{many(diff.compared, 'fact')} compared."
    if diff.job:
        yield clean(f"All sides were judged with the DataLoader of {diff.job}.")
    if diff.shared:
        names = ", ".join(diff.shared)
        yield clean(f"On all sides, so no difference: {names}.")
    if diff.folded and not full:
        yield (
            f"{many(diff.trifles, 'difference')} folded: times, free memory,"
            " process numbers, and what follows from the above."
        )
    if diff.unknown and not full:
        yield from _unknown(diff)


def _unknown(diff: Diff) -> Iterator[str]:
    for number, side in enumerate(diff.sides):
        names = [gap.what for gap in diff.unknown if gap.side == number]
        if names:
            yield clean(f"Unknown in {side.name}: {_some(names)}.")


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST
    first = ", ".join(names[:MOST])
    return f"{first} and {more} more" if more > 0 else first


def trifle(one: Folded) -> str:
    """What was folded: ``memory.available``, and of how many more the same is true."""
    more = f", and {one.count - 1} more alike" if one.count > 1 else ""
    return clean(f"{one.title or one.field}{more}")


def gap(diff: Diff, one: Gap) -> str:
    """``gpu: unknown in a.json: no driver``."""
    return clean(f"{one.what}: unknown in {diff.sides[one.side].name}: {one.reason}")
