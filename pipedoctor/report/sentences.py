"""The sentences that every format for people shares."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from pipedoctor.check import Gain, Lasts, Place
from pipedoctor.check.model import FlowStep
from pipedoctor.facts import LiveJob, Site
from pipedoctor.facts.applicability import NOT_SELECTED
from pipedoctor.facts.record import SECTIONS
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.report.model import (
    Report,
    ReportedFinding,
    ReportedRemedy,
    SeverityCounts,
    SkippedCheck,
)
from pipedoctor.textsafe import HIDDEN, escape_character, escape_surrogates
from pipedoctor.units import MiB, format_count, format_size

DetailLevel = Literal["brief", "normal", "full"]
SkipKind = Literal["unjudged", "accepted", "inapplicable"]
SKIP_TITLES: Mapping[SkipKind, str] = {
    "unjudged": "Could not be judged",
    "accepted": "Accepted",
    "inapplicable": "Not applicable",
}
"""Whether a check could not be judged, did judge, or has nothing to judge."""

_UNPRINTABLE = compile_lazily(f"[\x00-\x1f{HIDDEN}\ufff9-\ufffb\U000e0000-\U000e007f]")
_SIZE_NAME = compile_lazily(
    r"(?:^|[._])(?<!inodes_)(?:size|bytes|memory|limit|room|needed|free|used|available|total)$"
)
"""Names of sizes; some are counts as well, but not such large ones as inodes."""
MIN_GAIN = 0.005
"""A fraction that is not rounded to nothing."""
_FITS_PREFIX = "fits."
"""Of names of what would be small enough."""
_MAX_TEXT = 70
_MAX_ITEMS = 4

_SEVERITY_PHRASES = {
    "breaks": ("breaks the job", "break the job"),
    "risks": ("can crash it", "can crash it"),
    "slows": ("slows it", "slow it"),
}


def clean_text(text: object) -> str:
    r"""Write out whatever a terminal would obey or hide: ``\x1b``, ``\u202e``."""
    return _UNPRINTABLE.sub(escape_character, escape_surrogates(str(text)))


def describe_place(report: Report) -> str:
    """Say which kind of place was examined: ``docker container, Debian 12``, or which job."""
    known = report.facts.known.get("site")
    watched = report.facts.known.get("live")
    site = msgspec.convert(known, Site) if known else None
    if site is None and watched:
        job = msgspec.convert(watched, LiveJob)
        return f"PID {job.pid}, watched for {job.seconds:.0f} s"
    if site is None:
        return "A place that could not be examined"
    name = f"{site.description}, {site.distribution}" if site.distribution else site.description
    return clean_text(name[:1].upper() + name[1:])


def describe_verdict(report: Report) -> str:
    """Say the result in one sentence, without its full stop."""
    found = count_findings(report.summary)
    if found:
        return found
    if report.has_nothing_to_judge:
        return "nothing to judge"
    if not report.has_verdicts:
        return "nothing could be judged"
    notes = report.summary.note
    also = f", {notes} note{'s' if notes > 1 else ''}" if notes else ""
    late = sum(skip.is_late for skip in report.skipped)
    if late > len(report.healthy):
        judged = format_count(len(report.healthy), "check")
        return f"no problems found by {judged}{also}; {late} could not be judged in time"
    if any(finding.name == "bottleneck-unknown" for finding in report.findings):
        return f"the bottleneck is not known{also}"
    return f"no problems found{also}"


def count_findings(summary: SeverityCounts) -> str:
    """``1 finding breaks the job, 2 slow it, 1 note``; empty: nothing above a note."""
    clauses: list[str] = []
    for grade, (one, more) in _SEVERITY_PHRASES.items():
        number: int = getattr(summary, grade)
        if number:
            noun = "" if clauses else f" finding{'s' if number > 1 else ''}"
            verb = more if number > 1 else one
            clauses.append(f"{number}{noun} {verb}".replace(" it", _name_job(clauses)))
    if clauses and summary.note:
        clauses.append(f"{summary.note} note{'s' if summary.note > 1 else ''}")
    return ", ".join(clauses)


def _name_job(clauses: Sequence[str]) -> str:
    return " it" if clauses else " the job"


def describe_remedy_place(remedy: ReportedRemedy) -> str:
    """``on this machine, until the next reboot``."""
    return f"{Place[remedy.place.upper()].value}, {Lasts[remedy.lasts.upper()].value}"


def format_evidence(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values, in short: sizes in units, long lists and texts cut."""
    return [
        (clean_text(name), format_value(name, value))
        for name, value in evidence.items()
        if value not in ("", None)
    ]


def describe_evidence(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The same with names in words: ``num workers that fit``, not ``fits.num_workers``."""
    return [(_describe_name(name), value) for name, value in format_evidence(evidence)]


def _describe_name(name: str) -> str:
    """The name of a fact in words."""
    fits = name.startswith(_FITS_PREFIX)
    words = re.sub(r"[._]+", " ", name.removeprefix(_FITS_PREFIX))
    return f"{words} that fit" if fits else words


def format_value(name: str, value: Any, *, most: int = _MAX_ITEMS, longest: int = _MAX_TEXT) -> str:
    """Say one value: a size in units, at most so many items and so long a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= MiB and _SIZE_NAME.search(name):
        return format_size(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        value = [f"{key} {item}" for key, item in items]
    if isinstance(value, (list, tuple)):
        row = cast("list[Any]", value)
        first = ", ".join(truncate_text(item, longest) for item in row[:most])
        left = len(row) - most
        return f"{first} and {left} more" if left > 0 else first or "none"
    return truncate_text(value, longest)


def truncate_text(value: object, longest: int) -> str:
    """Cut off what is too long, and clean it."""
    text = clean_text(value)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def describe_gain(gain: Gain) -> str:
    """``Saves 31% of epoch time, 42 s of each (22% to 38%, modelled)``."""
    of = gain.unit.removeprefix("fraction of ")
    percent = of != gain.unit
    value, low, high = (
        f"{number:.0%}" if percent else f"{number:.4g}"
        for number in (gain.value, gain.low, gain.high)
    )
    what = f"{value} of {of}" if percent else f"{value} {of}"
    if gain.seconds is not None and gain.seconds > 0:
        what += f", {_format_seconds(gain.seconds)} of each"
    verb = "Saves" if gain.value >= MIN_GAIN else "Saves nothing:"
    return clean_text(f"{verb} {what} ({low} to {high}, {gain.basis})")


def _format_seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{value:.2g} s"  # noqa: PLR2004


def format_location(entry: ReportedFinding) -> str:
    """``train.py:12``, or empty."""
    spot = entry.location
    return clean_text(f"{spot.path}:{spot.line}") if spot else ""


def format_flow(flow: Sequence[FlowStep]) -> str:
    """``made at data.py:31 -> returned by build() at train.py:80 -> iterated at train.py:88``."""
    steps = (f"{one.text} at {one.location.path}:{one.location.line}" for one in flow)
    return clean_text(" -> ".join(steps))


def count_verdicts(report: Report, most: int) -> str:
    """
    ``41 healthy; 12 could not be judged (6: --quick; ...)``, with the commonest reasons.

    What nobody asked for, or is not there, is no gap, and not counted.
    """
    accepted = sum(skip.accepted for skip in report.skipped)
    gaps = sum(len(skips) for _, skips in group_skips(report))
    clauses = [f"{len(report.healthy)} healthy"] if report.healthy else []
    clauses += [f"{accepted} accepted"] if accepted else []
    why = f" ({summarize_skips(report, most)})" if most and gaps else ""
    if not report.has_verdicts:
        clauses = [] if gaps else _describe_inapplicable(report, most or _MAX_ITEMS)
    clauses += [f"{gaps} could not be judged{why}"] if gaps else []
    return "; ".join(filter(None, clauses))


def _describe_inapplicable(report: Report, most: int) -> list[str]:
    """``29 not applicable (PATHS hold no code that uses torch)``."""
    groups = group_skips(report, "inapplicable")
    number = sum(len(skips) for _, skips in groups)
    why = summarize_skips(report, most, "inapplicable")
    return [f"{number} not applicable ({why.removeprefix(f'{number}: ')})"] if groups else []


def list_skips(report: Report) -> list[tuple[str, list[tuple[str, list[SkippedCheck]]]]]:
    """``3 not applicable``: each kind that there is, and its checks by their reason."""
    kinds = ((title, group_skips(report, kind)) for kind, title in SKIP_TITLES.items())
    return [
        (f"{sum(len(skips) for _, skips in rows)} {title[:1].lower()}{title[1:]}", rows)
        for title, rows in kinds
        if rows
    ]


def summarize_skips(report: Report, most: int, kind: SkipKind = "unjudged") -> str:
    """Why checks could not be judged, the commonest reason first: ``7: --quick; ...``."""
    found = _join_sections([(why, len(skips)) for why, skips in group_skips(report, kind)])
    clauses = [f"{n}: {clean_text(why)}" if n > 1 else clean_text(why) for why, n in found[:most]]
    left = sum(number for _, number in found[most:])
    return "; ".join([*clauses, f"{left} for other reasons"] if left else clauses)


def _join_sections(counts: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """One reason that several sections have is one row, without their names."""
    rows: dict[str, list[tuple[str, int]]] = {}
    for why, number in counts:
        section, _, rest = why.partition(": ")
        rows.setdefault(rest if section in SECTIONS else why, []).append((why, number))
    joined = [
        (rest if len(same) > 1 else same[0][0], sum(number for _, number in same))
        for rest, same in rows.items()
    ]
    return sorted(joined, key=lambda row: -row[1])


def group_skips(
    report: Report, kind: SkipKind = "unjudged"
) -> list[tuple[str, list[SkippedCheck]]]:
    """
    Skipped checks of a kind by their reason, the commonest first.

    What was not selected is of no kind: only JSON names it.
    """
    found: dict[str, list[SkippedCheck]] = {}
    for skip in report.skipped:
        its = "accepted" if skip.accepted else "unjudged" if skip.applicable else "inapplicable"
        if its == kind and skip.reason != NOT_SELECTED:
            found.setdefault(skip.reason, []).append(skip)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def format_checks(skips: Sequence[SkippedCheck]) -> str:
    """``PDR710 slow-storage, PDR717 cache-the-data-set``."""
    return clean_text(", ".join(f"{skip.code} {skip.name}" for skip in skips))


def list_unread(report: Report) -> list[tuple[str, str]]:
    """Files in PATHS that were not read as code, and why."""
    known = report.facts.known.get("source", {})
    return [(file["path"], file["reason"]) for file in known.get("skipped", ())]


def describe_unread(report: Report, most: int) -> str:
    """``2 files of code were not read: ...``; empty where there is no more to say."""
    files = list_unread(report)
    if not files:
        known = report.facts.known.get("source", {"files": 1})
        return "" if known["files"] else "PATHS hold no code that uses torch."
    verb = "was" if len(files) == 1 else "were"
    clauses = [clean_text(f"{path}: {reason}") for path, reason in files[:most]]
    left = [f"{len(files) - most} more"] if len(files) > most else []
    listed = "; ".join([*clauses, *left])
    return f"{format_count(len(files), 'file')} of code {verb} not read: {listed}."


def describe_origin(report: Report) -> str:
    """What was judged instead of this machine: a record, or a text in words."""
    text = report.recorded.startswith("the ")
    return report.recorded if text else f"a record of {report.recorded}"


def describe_time(report: Report) -> str:
    """``Examined 2026-01-31T12:00:00Z by pipedoctor 0.1.0``; a record: from what."""
    verb = "Judged" if report.recorded else "Examined"
    source = f", from {describe_origin(report)}" if report.recorded else ""
    return f"{verb} {report.created} by pipedoctor {report.tool.version}{source}"
