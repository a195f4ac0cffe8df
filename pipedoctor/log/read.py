"""Read a log once: every signature and every exception in it, in constant memory."""

import math
from collections.abc import Iterator
from itertools import chain
from re import Match
from typing import BinaryIO

from msgspec.structs import replace

from pipedoctor.facts.log import MAX_SIGHTINGS, Log, Seen
from pipedoctor.log.command_answers import AnswerReader
from pipedoctor.log.continued_work import find_work_spans
from pipedoctor.log.launch_commands import COMMAND_WORDS, CommandReader
from pipedoctor.log.launch_place import PLACE_WORDS, LaunchPlaceDetector
from pipedoctor.log.legacy_encodings import convert_blocks
from pipedoctor.log.limits import ReadLimits
from pipedoctor.log.line_filter import LineFilter, compute_shape
from pipedoctor.log.line_prefixes import LogLine, split_windows, strip_prefixes, unwrap_line
from pipedoctor.log.manifests import MANIFEST_WORDS
from pipedoctor.log.mentions import hide_mentions, is_quotation
from pipedoctor.log.name_lines import NameLines
from pipedoctor.log.progress import TAIL_BYTES, find_last_lines, is_logged, is_minor
from pipedoctor.log.project_marks import PROJECT_WORDS, ProjectDetector
from pipedoctor.log.python_warnings import WarningTracker
from pipedoctor.log.quotes import cut_context, cut_quote
from pipedoctor.log.signatures import Signature, SignatureCatalogue, SignatureRole, SignatureRule
from pipedoctor.log.stream import map_to_lines, mark_last, read_blocks
from pipedoctor.log.tail import LogTail
from pipedoctor.log.text_kinds import drop_lines, find_mentioned_lines
from pipedoctor.log.tracebacks import TracebackReader
from pipedoctor.log.translations import (
    find_foreign_texts,
    find_latin_words,
    translate_to_english,
)
from pipedoctor.log.trend import FEW_POINTS, has_rising_numbers, is_doubling, is_rising

BRIEF_BYTES, BRIEF_LINES = 16 << 10, 40
"""Bytes and lines of a log that is kept whole, in case that nothing in it is known."""
_OWN_WORDS = PROJECT_WORDS | COMMAND_WORDS | PLACE_WORDS | MANIFEST_WORDS
_MAX_TAILS = 64
"""Lines alike that are compared."""
_MIN_POINTS = 6
"""Lines that make a series."""


def read_log(
    file: BinaryIO, signatures: SignatureCatalogue, limits: ReadLimits | None = None
) -> Log:
    """
    Read a whole stream; raises what the stream raises.

    When the time to judge is up, the lines in between are only counted; the end of a
    log, which says most, is judged even so.
    """
    limits = limits or ReadLimits()
    reader = _LogReader(signatures)
    words = signatures.words | find_latin_words() | _OWN_WORDS
    sieve = LineFilter(words, find_foreign_texts())
    number, brief, end, tail, names = 1, b"", b"\n", LogTail(), NameLines()
    for block, last in mark_last(convert_blocks(read_blocks(file, limits))):
        brief += block if len(brief) <= BRIEF_BYTES else b""
        names.read_block(block)
        if limits.is_judging_over():
            limits.skipped_from = limits.skipped_from or number
            tail.add(block, number)
        else:
            if last and number == 1:
                reader.mentioned = find_mentioned_lines(block)
            unread = _read_block(reader, sieve, block, number, limits, last=last)
            if unread:
                limits.skipped_from = unread
                tail.add(b"\n".join(block.split(b"\n")[unread - number :]), unread)
        number += block.count(b"\n")
        end = (end + block[-TAIL_BYTES:])[-TAIL_BYTES:]
    _read_tail(reader, sieve, tail, limits)
    short = len(brief) <= BRIEF_BYTES and number <= BRIEF_LINES
    count = number - end.endswith(b"\n")
    lines = find_last_lines(end, count)
    text = drop_lines(brief, reader.mentioned.union(range(lines["complete_line"]))) if short else ""
    log = reader.build_log(count, brief=short)
    raised = (r for r in log.raised if not r.minor or r.line >= lines["progress_line"])
    return replace(
        log,
        brief=text,
        raised=tuple(raised),
        name_lines=names.lines,
        unread=limits.list_unread(count),
        work_spans=find_work_spans(end, count) if _may_be_caught(log, signatures) else (),
        **lines,
    )


def _may_be_caught(log: Log, signatures: SignatureCatalogue) -> bool:
    """Is there a failure with which a job can go on?"""
    survivable = (signatures.failures[seen.cause].survivable for seen in log.seen)
    return bool(log.raised) or any(survivable)


def _read_tail(reader: "_LogReader", sieve: LineFilter, tail: LogTail, limits: ReadLimits) -> None:
    """Judge the end of a log, whatever the time: it is short, and says most."""
    data = tail.take()
    if data:
        limits.skipped_to = max(tail.number - 1, limits.skipped_from)
        limits.judge_until = math.inf
        _read_block(reader, sieve, data, tail.number, limits, last=True)


def _read_block(
    reader: "_LogReader",
    sieve: LineFilter,
    block: bytes,
    number: int,
    limits: ReadLimits,
    *,
    last: bool,
) -> int:
    """
    Judge the lines of a block that are worth it, the first of which has this number.

    Returns the number of the line at which the time was up; 0: all are judged.
    """
    whole = block.replace(b"\r\n", b"\n")
    parts = whole.replace(b"\r", b"\n")
    picked = sieve.pick_lines(parts, last=last)
    if not picked:
        return 0
    lines = parts.split(b"\n")
    for index, line in zip(picked, map_to_lines(whole, picked), strict=True):
        if limits.is_judging_over():
            return number + line
        reader.read_line(lines[index], number + line)
    return 0


class _LogReader:
    def __init__(self, signatures: SignatureCatalogue) -> None:
        self._signatures = signatures
        self._seen: dict[str, list[Seen]] = {}
        self._tails: dict[str, dict[str, Seen]] = {}
        self._series: dict[str, list[float]] = {}
        self._ends: dict[str, Seen] = {}
        """Where each series ended."""
        self._various: set[str] = set()
        """Series whose lines say more than a number: steps of a start, it may be."""
        self._tracebacks = TracebackReader()
        self._warned = WarningTracker()
        self._places = LaunchPlaceDetector()
        self._project = ProjectDetector()
        self._commands = CommandReader()
        self._answers = AnswerReader()
        self.mentioned: frozenset[int] = frozenset()
        """Lines of the text that tell of no failure of its own."""

    def read_line(self, data: bytes, number: int) -> None:
        """Read one line, or the many that are wrapped in it."""
        for text in unwrap_line(data.decode(errors="replace")):
            for part in split_windows(text):
                self._places.read_line(part)
                self._project.read_line(part)
                line = strip_prefixes(part)
                self._commands.read_line(line.text if line.task else part, number)
                self._project.read_message(line.text)
                for more in (LogLine(line.task), self._answers.join(line, part, number)):
                    if more.text:
                        self._match_signatures(more, number, quoted=True)
                mentioned = number in self.mentioned
                quoted = mentioned or self._tracebacks.read_line(line, number)
                self._match_signatures(line, number, quoted=quoted, raw=part)

    def build_log(self, number: int, *, brief: bool) -> Log:
        """Everything that was read; of a brief log a few readings are a series."""
        for promise, line, at in self._tracebacks.add_truncated():
            self._match_unprinted(f"{promise.kind}: {promise.message}", line, at)
        for key, row in self._series.items() if brief else ():
            few = FEW_POINTS <= len(row) < _MIN_POINTS and key not in self._various
            if few and is_doubling(row):
                self._seen.setdefault(key, []).append(self._ends[key])
        seen = sorted(chain.from_iterable(self._seen.values()), key=lambda s: s.line)
        docker_use = self._project.find_docker_use()
        return Log(
            lines=number,
            seen=tuple(seen),
            raised=tuple(self._tracebacks.raised),
            place=self._places.find_place() or ("docker" if docker_use else ""),
            system=self._places.find_system(in_container=bool(docker_use)),
            versions=self._project.versions,
            names=self._project.names | self._commands.get_commands() | self._tracebacks.names,
            tool=self._project.find_tool(),
            docker_use=docker_use,
        )

    def _match_signatures(self, line: LogLine, number: int, *, quoted: bool, raw: str = "") -> None:
        """Find signatures; what a traceback or a `raw` line quotes is no more than evidence."""
        warned = self._warned.read_line(line)
        text = translate_to_english(line.text)
        for rule, match in self._find_matches(text):
            if rule.signature.role is not SignatureRole.EVIDENCE and (
                quoted or is_quotation(raw) or _is_mention(rule, text)
            ):
                continue
            captured = match.groupdict().items()  # name1, name2: other places of a name
            found = {name.rstrip("0123456789"): value for name, value in captured if value}
            near = replace(line, text=cut_context(line.text, match.start()))
            seen = replace(_build_sighting(rule, near, number, found), warned=warned)
            if self._is_condition_met(rule, seen):
                self._seen.setdefault(rule.key, []).append(seen)

    def _match_unprinted(self, message: str, line: LogLine, number: int) -> None:
        """Find signatures in what was never printed: it has no values."""
        for rule, _ in self._find_matches(message):
            if not _has_condition(rule.signature):
                seen = _build_sighting(rule, line, number, {})
                self._seen.setdefault(rule.key, []).append(seen)

    def _find_matches(self, text: str) -> Iterator[tuple[SignatureRule, Match[str]]]:
        """The rules that match, and have not often enough."""
        shaped = compute_shape(text.encode(errors="replace")).decode().split()
        for rule in self._signatures.find_candidates(shaped):
            if len(self._seen.get(rule.key, ())) < MAX_SIGHTINGS:
                match = rule.regex.search(text)
                if match is not None:
                    yield rule, match

    def _is_condition_met(self, rule: SignatureRule, match: Seen) -> bool:
        """Do the captured values say what the signature asks of them?"""
        signature = rule.signature
        if signature.ratio is not None:
            part = _parse_number(match.values.get(signature.ratio.part, ""))
            whole = _parse_number(match.values.get(signature.ratio.whole, ""))
            return part > 0 and part >= signature.ratio.least * whole
        if signature.series:
            before = self._ends.get(rule.key)
            if before is not None and _split_shape(before) != _split_shape(match):
                self._various.add(rule.key)
            self._ends[rule.key] = match
            return self._is_series_rising(rule.key, _parse_number(match.values["series"]))
        if signature.rising:
            return has_rising_numbers(match.values.get("rising", ""))
        return not signature.alike or self._is_repeated(rule.key, match)

    def _is_series_rising(self, key: str, value: float) -> bool:
        """Has it risen, steadily enough, over the lines so far?"""
        row = self._series.setdefault(key, [])
        row.append(value)
        if len(row) > _MAX_TAILS:
            del row[1:2]
        return len(row) >= _MIN_POINTS and is_rising(row)

    def _is_repeated(self, key: str, match: Seen) -> bool:
        """Has another one said the same before?"""
        tails = self._tails.setdefault(key, {})
        tail = " ".join(match.values["tail"].partition(" # ")[0].split())
        before = tails.get(tail)
        if before is None:
            if len(tails) >= _MAX_TAILS:  # those who share it stand close to one another
                del tails[next(iter(tails))]
            tails[tail] = match
            return False
        return before.values["key"] != match.values["key"]


def _build_sighting(
    rule: SignatureRule, line: LogLine, number: int, groups: dict[str, str]
) -> Seen:
    return Seen(
        signature=rule.key,
        line=number,
        text=cut_quote(line.text.strip()),
        rank=line.rank,
        time=line.time,
        values=groups,
        minor=is_minor(line.raw),
        logged=is_logged(line.raw),
    )


def _is_mention(rule: SignatureRule, text: str) -> bool:
    """Is it found only in what did not happen, in the name of a test, or in a comment?"""
    comments = rule.signature.role is not SignatureRole.SILENT
    plain = hide_mentions(text, comments=comments)
    return plain != text and not rule.regex.search(plain)


def _split_shape(match: Seen) -> list[bytes]:
    return compute_shape(match.text.encode(errors="replace")).split()


def _has_condition(signature: Signature) -> bool:
    """Does the signature set a condition on captured values?"""
    numbers = signature.ratio is not None or signature.rising or signature.series
    return numbers or signature.alike


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
