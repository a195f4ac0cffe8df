"""A baseline: findings in code that are known, so that only new ones count."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from pipedoctor.check import Location, Verdict
from pipedoctor.facts import Facts, Malformed, Source
from pipedoctor.facts.silenced import Stale
from pipedoctor.narrow.places import thin
from pipedoctor.report.model import Report
from pipedoctor.silence import UNUSED

LARGEST = 32 << 20
_HEAD = 4
"""The line of the first finding in a file that we wrote."""


class Known(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A finding that was there when the baseline was written."""

    path: str
    """From the folder of the baseline; only for people."""
    code: str
    name: str
    print: str
    """Of its line, as in `facts.source.Mark`."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline as a file holds it."""

    schema: Literal["pipedoctor.baseline/1"] = "pipedoctor.baseline/1"
    findings: tuple[Known, ...] = ()


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline as it is used, and for which files it can say what is gone."""

    path: str
    """As the user named it."""
    findings: tuple[Known, ...] = ()
    ours: bool = True
    """It has a line for each finding, as we write it."""
    roots: tuple[str, ...] | None = None
    """PATHS, absolute; None: a record is judged, of all the code there is."""

    def covers(self, known: Known) -> bool:
        """Was the file of this finding to be examined?"""
        if self.roots is None:
            return True
        folder = os.path.dirname(os.path.abspath(self.path))  # noqa: PTH100, PTH120
        full = os.path.normpath(os.path.join(folder, known.path))  # noqa: PTH118
        return any(
            full == r or full.startswith(r.rstrip("/") + "/") for r in self.roots
        )


def read(data: bytes) -> tuple[Known, ...]:
    """What a baseline knows; raises Malformed with what is wrong."""
    try:
        return msgspec.json.decode(data, type=Written).findings
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        message = f"expected what --write-baseline writes: {reason}"
        raise Malformed(message) from None


def write(findings: Iterable[Known]) -> bytes:
    """One line a finding, in order, so that two versions compare."""
    lines = ",\n".join(
        f"    {msgspec.json.encode(known).decode()}" for known in sorted(findings)
    )
    body = f"[\n{lines}\n  ]" if lines else "[]"
    head = '{\n  "schema": "pipedoctor.baseline/1",\n  "findings": '
    return f"{head}{body}\n}}\n".encode()


def settle(
    baseline: Baseline,
    verdicts: Sequence[Verdict],
    facts: Facts,
    redact: Callable[[str], str] = str,
) -> tuple[list[Verdict], tuple[Stale, ...]]:
    """
    Leave out what is known, and name what is known and not there any more.

    Equal findings on equal lines are counted: one more than are known is new.
    """
    left = Counter((known.code, known.print) for known in baseline.findings)
    prints = _prints(facts.get(Source))

    def known(code: str, place: Location) -> bool:
        key = (code, _print(prints, code, place))
        there = left[key] > 0
        left[key] -= there
        return there

    settled = [
        thin(
            verdict,
            lambda place, code=verdict.code: known(code, place),  # type: ignore[misc]
            f"accepted in {baseline.path}",
        )
        for verdict in verdicts
    ]
    stale = _stale(baseline, verdicts, left, facts.get(Source))
    return settled, tuple(
        Stale(path=redact(s.path), line=s.line, told=redact(s.told)) for s in stale
    )


def of(report: Report, path: str) -> list[Known]:
    """Every finding in code of a report, for a baseline that lies there."""
    record = {"known": report.facts.known, "unknown": report.facts.unknown}
    prints = _prints(Facts.from_record(record).get(Source))
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    return [
        Known(
            path=_from(folder, place.path),
            code=entry.code,
            name=entry.name,
            print=_print(prints, entry.code, place),
        )
        for entry in report.findings
        if entry.location and entry.code != UNUSED
        for place in (entry.location, *entry.also_at)
    ]


def kept(old: Baseline, report: Report) -> list[Known]:
    """What stays in a baseline that is written again: what was not looked at now."""
    blind = {skip.code for skip in report.skipped if not skip.accepted}
    return [k for k in old.findings if k.code in blind or not old.covers(k)]


def _from(folder: str, path: str) -> str:
    full = os.path.abspath(path)  # noqa: PTH100
    there = os.path.lexists(full.partition("#cell")[0])
    return os.path.relpath(full, folder).replace(os.sep, "/") if there else path


def _prints(source: Source | None) -> dict[tuple[str, int], str]:
    return {
        (f"{m.path}#cell{m.cell}" if m.cell else m.path, m.line): m.print
        for m in (source.marks if source else ())
    }


def _print(prints: Mapping[tuple[str, int], str], code: str, place: Location) -> str:
    """Of a line that nobody marked, the file alone: better than to know nothing."""
    return prints.get((place.path, place.line)) or f"{code} in {place.path}"


def _stale(
    baseline: Baseline,
    verdicts: Iterable[Verdict],
    left: Counter[tuple[str, str]],
    source: Source | None,
) -> Iterator[Stale]:
    """Only of checks that judged, in files that were read."""
    if source is None or any("any file after" in s.reason for s in source.skipped):
        return
    judged = {verdict.code for verdict in verdicts if not verdict.skipped}
    unread = {skipped.path for skipped in source.skipped}
    for number, known in enumerate(baseline.findings):
        key = (known.code, known.print)
        if left[key] <= 0 or known.code not in judged or not baseline.covers(known):
            continue
        if any(known.path.endswith(path) for path in unread):
            continue
        left[key] -= 1
        yield Stale(
            path=baseline.path,
            line=_HEAD + number if baseline.ours else 1,
            told=f"{known.code} {known.name} in {known.path}",
        )
