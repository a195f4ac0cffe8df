"""The sentences and choices that every format of a comparison for people shares."""

from collections.abc import Iterator, Sequence

import msgspec

from pipedoctor.diff.headline import join_names
from pipedoctor.diff.model import (
    ComparedSide,
    Diff,
    Difference,
    DifferenceGroup,
    FoldedDifference,
    UnknownItem,
)
from pipedoctor.report.sentences import clean_text
from pipedoctor.units import format_count

MAX_SHOWN = 10
"""Differences of one group that no ticket is known of and that are shown."""

GROUP_HEADINGS: dict[DifferenceGroup, str] = {
    "judged": "Judged by checks",
    "version": "Versions, by how often they break pipelines",
    "limit": "Limits and resources",
    "setting": "Settings",
}
_ORIGIN_NAMES = {
    "report": "a report",
    "text": "the output of an environment collector",
    "record": "a requirements file",
    "here": "this machine, now",
    "kept": "this machine",
}
_TIME_PREFIXES = {"here": ",", "kept": " as of"}


class DiffChapter(msgspec.Struct, frozen=True, kw_only=True):
    """Differences of one group that stand together."""

    group: DifferenceGroup
    heading: str
    shown: tuple[Difference, ...]
    left_out: int = 0


def split_chapters(diff: Diff, *, full: bool = False) -> Iterator[DiffChapter]:
    """The differences in their order, cut after the first few that hardly matter."""
    runs: list[list[Difference]] = []
    for one in diff.differences:
        if not runs or _get_run_key(runs[-1][-1]) != _get_run_key(one):
            runs.append([])
        runs[-1].append(one)
    for run in runs:
        shown = run if full or _is_important(run[0]) else run[:MAX_SHOWN]
        yield DiffChapter(
            group=run[0].group,
            heading=_choose_heading(run[0]),
            shown=tuple(shown),
            left_out=len(run) - len(shown),
        )


def _get_run_key(one: Difference) -> str:
    return _choose_heading(one)


def _is_important(one: Difference) -> bool:
    return one.finding is not None or bool(one.tickets)


def _choose_heading(one: Difference) -> str:
    if one.finding is not None:
        note = one.finding.severity == "note"
        return "Notes" if note else GROUP_HEADINGS["judged"]
    if one.tickets or one.group == "judged":
        return GROUP_HEADINGS[one.group]
    return f"Other {one.group}s"


def write_first_line(diff: Diff) -> str:
    """The answer, and what to type where a check knows the cure."""
    if diff.command:
        return clean_text(f"{diff.answer}; remedy {describe_target(diff)}: {diff.command}")
    return f"{diff.answer}."


def describe_target(diff: Diff) -> str:
    """The sides that the command is for: ``for b.json``."""
    first = diff.differences[0]
    affected = [
        (value.shown, side.name)
        for value, side in zip(first.values, diff.sides, strict=True)
        if value.state == "known"
    ]
    summary = first.finding.summary if first.finding else ""
    same_summary = [name for shown, name in affected if shown == summary]
    return f"for {join_names(same_summary or [name for _, name in affected])}"


def describe_side(side: ComparedSide) -> str:
    """``a report of 2026-01-01T00:00:00Z: Docker container, Debian 12``."""
    when = f"{_TIME_PREFIXES.get(side.origin, ' of')} {side.created}" if side.created else ""
    place = f": {side.place}" if side.place else ""
    return clean_text(f"{_ORIGIN_NAMES[side.origin]}{when}{place}")


def write_remarks(diff: Diff, *, full: bool = False) -> Iterator[str]:
    """What else there is to say, a sentence each."""
    yield f"{format_count(diff.compared, 'fact')} compared."
    if diff.job:
        yield clean_text(f"All sides were judged with the DataLoader of {diff.job}.")
    if diff.shared:
        names = ", ".join(diff.shared)
        yield clean_text(f"Found on all sides, so not a difference: {names}.")
    if diff.folded and not full:
        yield (
            f"{format_count(diff.folded_count, 'difference')} hidden: times, free memory,"
            " process IDs, and consequences of the above."
        )
    if diff.unknown and not full:
        yield from _write_unknown(diff)


def _write_unknown(diff: Diff) -> Iterator[str]:
    for number, side in enumerate(diff.sides):
        names = [gap.what for gap in diff.unknown if gap.side == number]
        if names:
            yield clean_text(f"Unknown in {side.name}: {_shorten_list(names)}.")


def _shorten_list(names: Sequence[str]) -> str:
    more = len(names) - MAX_SHOWN
    first = ", ".join(names[:MAX_SHOWN])
    return f"{first} and {more} more" if more > 0 else first


def describe_folded(one: FoldedDifference) -> str:
    """What was folded: ``memory.available``, and of how many more the same is true."""
    more = f", and {one.count - 1} similar" if one.count > 1 else ""
    return clean_text(f"{one.title or one.field}{more}")


def describe_gap(diff: Diff, one: UnknownItem) -> str:
    """``gpu: unknown in a.json: no driver``."""
    return clean_text(f"{one.what}: unknown in {diff.sides[one.side].name}: {one.reason}")
