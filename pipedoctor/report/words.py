"""The sentences that every format for people shares."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from pipedoctor.check import Gain
from pipedoctor.facts import Site
from pipedoctor.legible import legible
from pipedoctor.remedy import Lasts, Place
from pipedoctor.report.model import Counts, Cure, Entry, Report, Skip
from pipedoctor.units import MiB, human, many

Detail = Literal["brief", "normal", "full"]

_ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SIZE = re.compile(
    r"(?:^|[._])(?<!inodes_)(?:size|bytes|memory|limit|room|needed|free|used|available|total)$"
)
"""Names of sizes; some are counts as well, but not such large ones as inodes."""
LEAST_GAIN = 0.005
"""A fraction that is not rounded to nothing."""
_LONGEST = 70
_MOST = 4

_FOUND = {
    "breaks": ("breaks the job", "break the job"),
    "risks": ("can crash it", "can crash it"),
    "slows": ("slows it", "slow it"),
}


def clean(text: object) -> str:
    r"""Write out whatever a terminal would obey or hide: ``\x1b``, ``\u202e``."""
    return _ODD.sub(_escaped, legible(str(text)))


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def place(report: Report) -> str:
    """Say which kind of place was examined: ``docker container, Debian 12``."""
    known = report.facts.known.get("site")
    site = msgspec.convert(known, Site) if known else None
    if site is None:
        return "A place that could not be examined"
    name = f"{site.name}, {site.distribution}" if site.distribution else site.name
    return clean(name[:1].upper() + name[1:])


def verdict(report: Report) -> str:
    """Say the result in one sentence, without its full stop."""
    found = counted(report.summary)
    if found:
        return found
    if not report.judged:
        return "nothing could be judged"
    notes = report.summary.note
    also = f", {notes} note{'s' if notes > 1 else ''}" if notes else ""
    return f"nothing wrong was found{also}"


def counted(summary: Counts) -> str:
    """``1 finding breaks the job, 2 slow it, 1 note``; empty: nothing above a note."""
    said: list[str] = []
    for grade, (one, more) in _FOUND.items():
        number: int = getattr(summary, grade)
        if number:
            noun = "" if said else f" finding{'s' if number > 1 else ''}"
            verb = more if number > 1 else one
            said.append(f"{number}{noun} {verb}".replace(" it", _job(said)))
    if said and summary.note:
        said.append(f"{summary.note} note{'s' if summary.note > 1 else ''}")
    return ", ".join(said)


def _job(said: Sequence[str]) -> str:
    return " it" if said else " the job"


def where(cure: Cure) -> str:
    """``on this machine, until the next reboot``."""
    return f"{Place[cure.place.upper()].value}, {Lasts[cure.lasts.upper()].value}"


def evidence(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values, in short: sizes in units, long lists and texts cut."""
    return [
        (clean(name), said(name, value))
        for name, value in found.items()
        if value not in ("", None)
    ]


def said(name: str, value: Any, *, most: int = _MOST, longest: int = _LONGEST) -> str:
    """Say one value: a size in units, at most so many items and so long a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= MiB and _SIZE.search(name):
        return human(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        value = [f"{key} {item}" for key, item in items]
    if isinstance(value, (list, tuple)):
        row = cast("list[Any]", value)
        first = ", ".join(_cut(item, longest) for item in row[:most])
        left = len(row) - most
        return f"{first} and {left} more" if left > 0 else first or "none"
    return _cut(value, longest)


def _cut(value: object, longest: int) -> str:
    text = clean(value)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def gained(gain: Gain) -> str:
    """``Saves 31% of epoch time, 42 s of each (22% to 38%, modelled)``."""
    of = gain.unit.removeprefix("fraction of ")
    percent = of != gain.unit
    value, low, high = (
        f"{number:.0%}" if percent else f"{number:.4g}"
        for number in (gain.value, gain.low, gain.high)
    )
    what = f"{value} of {of}" if percent else f"{value} {of}"
    if gain.seconds is not None and gain.seconds > 0:
        what += f", {_seconds(gain.seconds)} of each"
    verb = "Saves" if gain.value >= LEAST_GAIN else "Saves nothing:"
    return clean(f"{verb} {what} ({low} to {high}, {gain.basis})")


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{value:.2g} s"  # noqa: PLR2004


def place_of(entry: Entry) -> str:
    """``train.py:12``, or empty."""
    spot = entry.location
    return clean(f"{spot.path}:{spot.line}") if spot else ""


def reasons(report: Report, most: int) -> str:
    """Why checks were skipped, the commonest reason first: ``7 not selected; ...``."""
    found = [(why, len(skips)) for why, skips in by_reason(report)]
    said = [f"{n} {clean(why)}" if n > 1 else clean(why) for why, n in found[:most]]
    left = sum(number for _, number in found[most:])
    return "; ".join([*said, f"{left} for other reasons"] if left else said)


def by_reason(report: Report) -> list[tuple[str, list[Skip]]]:
    """Skipped checks by their reason, the commonest first."""
    found: dict[str, list[Skip]] = {}
    for skip in report.skipped:
        found.setdefault(skip.reason, []).append(skip)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def named(skips: Sequence[Skip]) -> str:
    """``PDR710 slow-storage, PDR717 cache-the-data-set``."""
    return clean(", ".join(f"{skip.code} {skip.name}" for skip in skips))


def unread(report: Report) -> list[tuple[str, str]]:
    """Files in PATHS that were not read as code, and why."""
    known = report.facts.known.get("source", {})
    return [(file["path"], file["reason"]) for file in known.get("skipped", ())]


def not_read(report: Report, most: int) -> str:
    """``2 files of code were not read: ...``; empty where there is no more to say."""
    files = unread(report)
    if not files:
        known = report.facts.known.get("source", {"files": 1})
        return "" if known["files"] else "PATHS hold no code that uses torch."
    verb = "was" if len(files) == 1 else "were"
    said = [clean(f"{path}: {reason}") for path, reason in files[:most]]
    left = [f"{len(files) - most} more"] if len(files) > most else []
    told = "; ".join([*said, *left])
    return f"{many(len(files), 'file')} of code {verb} not read: {told}."


def origin(report: Report) -> str:
    """What was judged instead of this machine: a record, or a text in words."""
    text = report.recorded.startswith("the ")
    return report.recorded if text else f"a record of {report.recorded}"


def when(report: Report) -> str:
    """``Examined 2026-01-31T12:00:00Z by pipedoctor 0.1.0``; a record: from what."""
    verb = "Judged" if report.recorded else "Examined"
    source = f", from {origin(report)}" if report.recorded else ""
    return f"{verb} {report.created} by pipedoctor {report.tool.version}{source}"


def fixable(report: Report) -> list[str]:
    """Names of the findings that `pipedoctor fix` can cure here, in their order."""
    if report.recorded:
        return []
    names = (e.name for e in report.findings if any(c.automatic for c in e.remedies))
    return list(dict.fromkeys(names))
