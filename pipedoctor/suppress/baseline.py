"""A baseline: existing findings in code, so that only new ones count."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from pipedoctor.check import Location, Verdict
from pipedoctor.check.places import join_cell
from pipedoctor.facts import Facts, MalformedRecordError, Source
from pipedoctor.facts.silenced import Stale
from pipedoctor.report.model import Report
from pipedoctor.suppress.comments import UNUSED_IGNORE_CODE
from pipedoctor.suppress.places import drop_places

MAX_BASELINE_BYTES = 32 << 20
_FIRST_FINDING_LINE = 4
"""The line of the first finding in a file that `format_baseline` wrote."""


class BaselineFinding(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A finding that was there when the baseline was written."""

    path: str
    """Relative to the folder of the baseline; only for people."""
    code: str
    name: str
    print: str
    """Of its line, as in `facts.source.Mark`."""


class BaselineFile(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline as a file holds it."""

    schema: Literal["pipedoctor.baseline/1"] = "pipedoctor.baseline/1"
    findings: tuple[BaselineFinding, ...] = ()


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded baseline, and the files for which it can report stale entries."""

    path: str
    """As the user named it."""
    findings: tuple[BaselineFinding, ...] = ()
    is_canonical: bool = True
    """It has one line for each finding, as `format_baseline` writes it."""
    roots: tuple[str, ...] | None = None
    """PATHS, absolute; None: a record is judged, of all the code there is."""

    def covers(self, finding: BaselineFinding) -> bool:
        """Was the file of this finding to be examined?"""
        if self.roots is None:
            return True
        folder = os.path.dirname(os.path.abspath(self.path))  # noqa: PTH100, PTH120
        full = os.path.normpath(os.path.join(folder, finding.path))  # noqa: PTH118
        return any(full == r or full.startswith(r.rstrip("/") + "/") for r in self.roots)


def parse_baseline(data: bytes) -> tuple[BaselineFinding, ...]:
    """The findings in a baseline; raises MalformedRecordError with what is wrong."""
    try:
        return msgspec.json.decode(data, type=BaselineFile).findings
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        message = f"expected the output of --write-baseline: {reason}"
        raise MalformedRecordError(message) from None


def format_baseline(findings: Iterable[BaselineFinding]) -> bytes:
    """One line a finding, in order, so that two versions compare."""
    lines = ",\n".join(
        f"    {msgspec.json.encode(finding).decode()}" for finding in sorted(findings)
    )
    body = f"[\n{lines}\n  ]" if lines else "[]"
    head = '{\n  "schema": "pipedoctor.baseline/1",\n  "findings": '
    return f"{head}{body}\n}}\n".encode()


def apply_baseline(
    baseline: Baseline,
    verdicts: Sequence[Verdict],
    facts: Facts,
    redact: Callable[[str], str] = str,
) -> tuple[list[Verdict], tuple[Stale, ...]]:
    """
    Remove findings that are in the baseline, and list its stale entries.

    Equal findings on equal lines are counted: one more than the baseline has is new.
    """
    left = Counter((finding.code, finding.print) for finding in baseline.findings)
    prints = _index_fingerprints(facts.get(Source))

    def match_baseline(code: str, place: Location) -> bool:
        key = (code, _find_fingerprint(prints, code, place))
        is_match = left[key] > 0
        left[key] -= is_match
        return is_match

    remaining = [
        drop_places(
            verdict,
            lambda place, code=verdict.code: match_baseline(code, place),  # type: ignore[misc]
            f"accepted in {baseline.path}",
        )
        for verdict in verdicts
    ]
    stale = _find_stale(baseline, verdicts, left, facts.get(Source))
    return remaining, tuple(
        Stale(path=redact(s.path), line=s.line, told=redact(s.told)) for s in stale
    )


def collect_findings(report: Report, path: str) -> list[BaselineFinding]:
    """Every finding in code of a report, for a baseline that lies there."""
    record = {"known": report.facts.known, "unknown": report.facts.unknown}
    prints = _index_fingerprints(Facts.from_record(record).get(Source))
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    return [
        BaselineFinding(
            path=_relative_path(folder, place.path),
            code=entry.code,
            name=entry.name,
            print=_find_fingerprint(prints, entry.code, place),
        )
        for entry in report.findings
        if entry.location and entry.code != UNUSED_IGNORE_CODE
        for place in (entry.location, *entry.also_at)
    ]


def list_unjudged(old: Baseline, report: Report) -> list[BaselineFinding]:
    """Findings of the old baseline that this report did not judge; a new baseline keeps them."""
    blind = {skip.code for skip in report.skipped if not skip.accepted}
    return [k for k in old.findings if k.code in blind or not old.covers(k)]


def _relative_path(folder: str, path: str) -> str:
    full = os.path.abspath(path)  # noqa: PTH100
    exists = os.path.lexists(full.partition("#cell")[0])
    return os.path.relpath(full, folder).replace(os.sep, "/") if exists else path


def _index_fingerprints(source: Source | None) -> dict[tuple[str, int], str]:
    return {
        (join_cell(mark.path, mark.cell), mark.line): mark.print
        for mark in (source.marks if source else ())
    }


def _find_fingerprint(prints: Mapping[tuple[str, int], str], code: str, place: Location) -> str:
    """The fingerprint of the line; without one, of the file alone."""
    return prints.get((place.path, place.line)) or f"{code} in {place.path}"


def _find_stale(
    baseline: Baseline,
    verdicts: Iterable[Verdict],
    remaining_counts: Counter[tuple[str, str]],
    source: Source | None,
) -> Iterator[Stale]:
    """Only of checks that ran, in files that were read."""
    if source is None or any("any file after" in s.reason for s in source.skipped):
        return
    judged_codes = {verdict.code for verdict in verdicts if not verdict.skipped}
    unread = {skipped.path for skipped in source.skipped}
    for number, finding in enumerate(baseline.findings):
        key = (finding.code, finding.print)
        if (
            remaining_counts[key] <= 0
            or finding.code not in judged_codes
            or not baseline.covers(finding)
        ):
            continue
        if any(finding.path.endswith(path) for path in unread):
            continue
        remaining_counts[key] -= 1
        yield Stale(
            path=baseline.path,
            line=_FIRST_FINDING_LINE + number if baseline.is_canonical else 1,
            told=f"{finding.code} {finding.name} in {finding.path}",
        )
