"""Take off a line what others put around it: colors, times, ranks, JSON."""

import re
from collections.abc import Iterator

import msgspec

from pipedoctor.log.records import unwrap_record

ANSI = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]"
    r"|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])"
)
_EXCEPTION_NAME = r"(?:[A-Za-z_]\w{0,40}\.){0,4}[A-Z]\w{0,60}(?:Error|Exception)\b"
_BEFORE_TRACEBACK = rf"(?=Traceback \(most| {{2}}File \"| {{4,12}}\S|\[rank\d|{_EXCEPTION_NAME})"
"""What begins behind a prefix that could be anything."""
_TIME = re.compile(
    r"\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?:Z| ?[+-]\d\d:?\d\d)?\]?"
    r"(?: std(?:err|out) [FP] | [0-9a-f]{2}[OE][ +]| ?[:|,-] ?| )?"
)
_CLOCK = re.compile(r"\[?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:\] ?| )")
_SYSLOG = re.compile(
    r"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S{1,100} "
    r"[^\s:\[]{1,60}(?:\[\d{1,8}\])?: ?"
)
_RANK = re.compile(
    r"\[(?:rank|default|Rank |RANK )(\d{1,6})\]:? ?"
    r"|\[\d{1,4},(?:mpirank:)?(\d{1,6})(?:,[\w-]{1,40})?\]<std(?:err|out)>: ?"
    r"| {0,5}(\d{1,5}): (?=\s{0,12}File | {4,12}\S|Traceback|\[|\w)"
    r"|\((?:\w{1,40} )?(?P<pid>pid=\d{1,8})(?:, ip=[\d.]{7,15})?\) ?"
    r"|\((?:\w{1,40} )?rank[ =:]?(\d{1,8})\) ?"
    r"|\[?[Rr]ank ?[=:]? ?(\d{1,6})\]?[:|] ?"
    rf"|\[(\d{{1,5}})\] {_BEFORE_TRACEBACK}"
)
_HOST = re.compile(
    r"((?![\w.]{0,60}(?:Error|Exception|Warning)\b)"
    rf"(?=[A-Za-z_.-]{{0,60}}\d)[\w.-]{{2,60}}): {_BEFORE_TRACEBACK}"
)
"""A node, as pdsh and launchers over it say it."""
_OTHER_PREFIX = re.compile(
    r"[\w./-]{1,80} {1,12}\| |#\d{1,4} \d{1,5}\.\d{1,3} "
    r"|\[?(?:ERROR|WARNING|INFO|CRITICAL|DEBUG|FATAL)\]?[:|]? {1,3}(?=\[|\w)"
    r"|std(?:err|out) [FP] |\[[\w-]{1,40}\] \[[\w-]{1,40}\] "
    r"|\| ?\d{10,19} ?\| |time=\S{1,40} level=\w{1,10} msg=\"?"
    r"|MESSAGE=|\ufeff|##\[\w{1,10}\]"
    r"|\[pod/[\w./-]{1,200}\] "
    r"|[^\t]{1,100}\t[^\t]{1,100}\t(?=\ufeff?\d{4}-\d\d-\d\dT)"
)
_CLOUD_PREFIX = re.compile(
    r"(?:DEFAULT|NOTICE) (?=\d{4}-)|\[resource\.labels\.\w{1,30}: (\w[\w-]{0,60})\] ?"
)
"""Severity and task, as Vertex AI has them around a time."""
_JOURNAL_PREFIX = re.compile(r"[\w.-]{1,63} [\w./@-]{1,60}\[\d{1,8}\]: ")
"""Host and program behind a time, as journalctl has them."""
_MAX_PREFIXES = 6
MAX_LINE_CHARS = 4000
"""Characters of a line that are searched at once."""
_WINDOW_OVERLAP = 400


class LogLine(msgspec.Struct, frozen=True):
    """A line as its writer wrote it, with the rank and time of its prefixes."""

    text: str
    rank: str = ""
    time: str = ""
    raw: str = ""
    """The line with its prefixes."""
    task: str = ""
    """The task of a cloud that wrote it: ``workerpool0-0``."""


def unwrap_line(text: str) -> list[str]:
    """The lines in one: parts between carriage returns, strings of JSON."""
    text = ANSI.sub("", text) if "\x1b" in text else text
    inner = unwrap_record(text)
    if inner is not None:
        return [ANSI.sub("", part) for part in inner]
    parts = [part for part in text.split("\r") if part.strip()]
    return parts or [text]


def strip_prefixes(text: str) -> LogLine:
    """
    The line without its prefixes, with the rank and the time from them.

    Indentation stays.
    """
    rank = time = host = task = ""
    raw = text
    for _ in range(_MAX_PREFIXES):
        if match := _TIME.match(text) or _CLOCK.match(text):
            time = time or match[1].replace("/", "-").replace("T", " ").replace(",", ".")
        elif match := _SYSLOG.match(text):
            time = time or match[1]
        elif match := _RANK.match(text):
            rank = rank or next(group for group in match.groups() if group)
        elif match := _HOST.match(text):
            host = host or match[1]
        elif match := _CLOUD_PREFIX.match(text):
            host = task = match[1] or task
        else:
            match = _OTHER_PREFIX.match(text) or (_JOURNAL_PREFIX.match(text) if time else None)
            if match is None:
                break
        text = text[match.end() :]
    return LogLine(text, rank or host, time, raw, task)


def split_windows(text: str) -> Iterator[str]:
    """A line in pieces that can be searched; they overlap."""
    if len(text) <= MAX_LINE_CHARS:
        yield text
        return
    for start in range(0, len(text), MAX_LINE_CHARS - _WINDOW_OVERLAP):
        yield text[start : start + MAX_LINE_CHARS]
