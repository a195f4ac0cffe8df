"""
The fixed rules: did a tool report a fault? Pure; only the standard library.

A peer reports a fault when its output has a line that the clean machine does not
bring, that is about the fault, and when this line or one beside it says that
something is wrong. Without such a word it only shows a fact. In doubt it reports.
"""

import json
import re
from collections.abc import Iterable
from enum import Enum

WRONG = re.compile(
    r"warn|error|fail|\bnot\b|n't\b|\bno\b|none|mismatch|conflict|\btoo\b|missing"
    r"|incompat|unsupported|issue|problem|⚠|✗|❌|risk|exceed|\blow\b|small|critical"
    r"|hidden|empty|degraded|invalid|broken|time(d)? ?out|unavailable|blocker|require"
    r"|outdated|older|below|only\b",
    re.IGNORECASE,
)
LOADER = "ERROR: ld.so"  # what ld.so says to every program is not the tool's word
VARYING = re.compile(r"\d+\.\d+ ?s\b|\d{4}-\d\d-\d\d[T ][\d:.,+Z]*|\b0x[0-9a-f]+\b")
CRASH = "Traceback (most recent call last)"
REACH = 2
"""Lines above and below in which the word may stand that something is wrong."""


class ToolResponse(Enum):
    """How a tool responded to a fault; the value is the cell of the table."""

    REPORTS = "**yes**"
    NOTES = "note"
    SHOWS = "shows"
    SILENT = "·"
    CRASHES = "crash"
    HANGS = "hangs"
    REFUSED = "?"


def judge_peer(subject: str, clean: str, faulty: str, *, code: int | None) -> ToolResponse:
    """Judge a peer by what it prints on the clean and on the ill machine."""
    if code is None:
        return ToolResponse.HANGS
    known = {_strip_varying(line) for line in clean.splitlines()}
    lines = [line for line in faulty.splitlines() if LOADER not in line]
    if CRASH in faulty and code:
        return ToolResponse.CRASHES
    about = re.compile(subject, re.IGNORECASE)
    new = [n for n, line in enumerate(lines) if _strip_varying(line) not in known]
    hits = [n for n in new if about.search(lines[n])]
    if any(_has_problem_near(lines, n, set(new)) for n in hits):
        return ToolResponse.REPORTS
    return ToolResponse.SHOWS if hits else ToolResponse.SILENT


def _strip_varying(line: str) -> str:
    """Without what differs from run to run."""
    return VARYING.sub("", line).strip()


def _has_problem_near(lines: list[str], at: int, new: set[int]) -> bool:
    near = range(max(at - REACH, 0), min(at + REACH + 1, len(lines)))
    return any(n in new and WRONG.search(lines[n]) for n in near)


def judge_pipedoctor(names: Iterable[str], output: str, *, code: int | None) -> ToolResponse:
    """Judge pipedoctor by the names in its report in JSON; a note is only a note."""
    if code is None:
        return ToolResponse.HANGS
    try:
        report = json.loads(output)
    except ValueError:
        return ToolResponse.CRASHES
    wanted = set(names)
    found = {f["severity"] for f in report["findings"] if f["name"] in wanted}
    if found - {"note"}:
        return ToolResponse.REPORTS
    return ToolResponse.NOTES if found else ToolResponse.SILENT


def find_alarms(output: str, alarm: re.Pattern[str], never: re.Pattern[str]) -> list[str]:
    """The lines in which a tool says that something is wrong, without colors."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    return [
        " ".join(line.split()) for line in plain if alarm.search(line) and not never.search(line)
    ]


def find_leaks(output: str, secrets: Iterable[str]) -> list[str]:
    """Which of these words stand in the output."""
    return [secret for secret in secrets if secret in output]
