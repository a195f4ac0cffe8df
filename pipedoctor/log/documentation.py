"""Texts that tell of failures of others: release notes, manuals, lists of commits."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.conversations import find_solution

_HEAD_LINES, _MIN_ROWS = 40, 4
"""Lines in which a text says what it is."""
_RELEASES = compile_lazily(
    r"(?i)^#{0,4} ?(?:change ?log|release notes|what'?s (?:new|changed)|history|news)\b.{0,40}$"
    r"|^#{1,4} \[?v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\]?(?: |$)"
    r"|^# \w[\w.-]{1,30} v?\d{1,4}\.\d{1,4}[\d.]{0,6}$"
    r"|^#{2,4} (?:added|changed|fixed|removed|deprecated|security|bug ?fixes)\s*$"
    r"|^(?:release|version) v?\d{1,4}\.\d[\d.]{0,8} \(\d{4}-"
    r"|\bthis (?:release|version) (?:fixes|brings|adds|contains)"
    r"|^bugs? ?fixe[sd]:?$|\bhappy to announce\b|^highlights: |^news for \w"
    r"|; urgency=(?:low|medium|high)$"
    r"|^[A-Z][\w.-]{1,20}(?: [A-Z][\w.-]{1,20}){1,3} \(\d{1,5}\):$"
)
_MANUAL = compile_lazily(
    r"(?i)^#{1,4} (?:install\w*|usage|quick ?start|citation|licen[sc]e|trouble ?shooting|faq"
    r"|requirements|getting started|features|documentation|contributing|known issues)\b"
    r"|^\s{0,8}(?:raises|args|returns|parameters):$|^\s{0,8}\"\"\"|^\s{0,8}raises \w{3,40} if "
    r"|^(?:exercise|question|lesson|chapter) \d|^(?:upgrading|migrating|migration)\b"
    r"|\bwe (?:study|show|propose|present)\b"
    r"|^in this (?:post|article|chapter|section|paper|guide|tutorial)\b"
    r"|^(?:exit|return) (?:codes?|status)$"
    r"|^(?:name|synopsis|description|errors|exit status|see also)$"
    r"|^(?:trouble ?shooting|faq|frequently asked questions|common (?:errors|problems))\s*$"
    r"|^(?:post-?mortem|incident report)\b|^.{0,30}\b(?:hand|run|play)-?book\b.{0,40}$"
    r"|^install (?:it )?with `|^a: |\|(?: ?:?-{3,}:? ?\|){2,}"
)
_FIRST_PERSON = compile_lazily(
    r"(?i)\b(?:i|i'm|i've|my|we|our)\b.{0,80}\b(?:get|got|see|saw|run|ran|running|train\w*|fail\w*"
    r"|hang\w*|crash\w*|error|problem|issue|tried|try|trying|have|am)\b"
    r"|^#{1,6} (?:problem|error|bug\b(?! ?fix)|actual|current behaviou?r|logs?\b|output"
    r"|environment\s*$|additional context|what happen(?:s|ed)|results?\b)"
    r"|\b(?:steps? to reproduce|to reproduce|expected behaviou?r|describe the bug|bug report)\b"
)
"""Of who has the failure himself."""
_REPORT = compile_lazily(
    r"^(?:Killed|Bus error|Segmentation fault|Aborted|Could not|Unable to|Cannot|Failed to"
    r"|CUDA |NCCL "
    r"|(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)\b|ERROR|FATAL|E {3}|\[rank\d"
    r"|fatal: |error: |terminate called|[Oo]ut of memory|Error: "
    r"|(?:[a-z][\w./-]{0,40}: ){1,3}(?:error|fatal|cannot|failed|line \d))"
    r"|\(core dumped\)\W{0,2}$|^\S{0,60}: No space left on device$"
)
"""How a program reports its failure, at the start of a line."""
_VERSION = compile_lazily(r"^v?\d{1,4}\.\d{1,4}\.\d{1,4}:?$")
_MARKED_UP = compile_lazily(
    r"^\s{0,8}(?:#{1,6} \S|[=~-]{3,}\s*$|[-*•+o] \S|\d{1,3}[.)] \S|[|`\"*_]|[QA]: |<!--"
    r"|\[[^\]]{1,80}\]\()|^ *-- \S|^\d{1,2}(?:\.\d{1,2}){1,3} [A-Z][a-z]"
)
"""Headings, items, tables, code and terms."""
_INDENTED = compile_lazily(r"^\s{1,12}\S")
_PLAIN_WORD = compile_lazily(
    r"[\"'(`*]{0,2}[A-Za-z][A-Za-z'-]{0,30}[\"'`*)]{0,2}[.,;:!?]{0,2}|\d{1,4}(?:\.\d{1,3})*[.,;]?"
)
_MIN_WORDS, _PLAIN_SHARE, _WRAPPED_CHARS = 3, 0.8, 70
_LOG_WORDS = compile_lazily(
    r"\d\d:\d\d"
    r"|(?:^|\W)(?:[A-Z]\w{2,40}(?:Error|Exception|Warning)|ERROR|WARN\w*|FATAL|INFO)\b"
    r"|^\s*[\w-]{1,30}: |0x[0-9a-f]{4}"
)
_BULLET = compile_lazily(r"^\s*[-*•+o] \S")
_IMPERATIVE = compile_lazily(
    r"^(?:[-*o+] |\d{1,3}[.)] |#\d{1,6}:? )?(?:[\w/. -]{2,24}: )?"
    r"(?:(?i:fix|add|avoid|handle|catch|retry|raise|mount|use"
    r"|mention|bump|remove|drop|do not|don't|support|improve|update|make|allow|kill"
    r"|stop|revert|merge|release|work around|wait|close|open|check|set|move|rename|skip|log"
    r"|report|test|document|lower|increase|reduce|prevent|return|initial|start|clean|print|free"
    r"|limit|detect|ignore|pin|switch|restart|reopen|unmount|force|disable|enable|read|write"
    r"|guard|cache|copy|split|name|treat|turn|replace|refactor|simplify|speed|let|warn|show))\b"
    r" [^:]{3,}"
)
_NUMBERED = compile_lazily(r"^\s{0,4}(?:[-*] )?#\d{1,6}:? [A-Z]")
"""Titles of issues and of pull requests."""
_MIN_SUBJECTS, _SUBJECT_SHARE = 4, 0.75
_FENCE = compile_lazily(r"^\s{0,8}(?:```|~~~)")


def find_prose(rows: list[str]) -> Iterator[int]:
    """Release notes, manuals, lists of commits, and conversations that end well."""
    filled = [(number, row) for number, row in enumerate(rows, 1) if row.strip()]
    if subjects := _find_subjects(filled):
        yield from subjects
    elif _is_documentation(_drop_examples([row for _, row in filled])):
        yield from (number for number, _ in filled)
    else:
        yield from range(1, find_solution(filled) + 1)


def _find_subjects(filled: list[tuple[int, str]]) -> list[int]:
    """The lines that say what somebody did to a program, where nearly all do."""
    imperative = _select_most(filled, lambda row: _IMPERATIVE.match(row.strip()))
    return max(imperative, _select_most(filled, _NUMBERED.match), key=len)


def _select_most(
    filled: list[tuple[int, str]], match: Callable[[str], re.Match[str] | None]
) -> list[int]:
    """The lines that match, if nearly all do."""
    spare = len(filled) - max(_MIN_SUBJECTS, _SUBJECT_SHARE * len(filled))
    found: list[int] = []
    for at, (number, row) in enumerate(filled, 1):
        if match(row):
            found.append(number)
        if at - len(found) > spare:
            return []
    return found


def _drop_examples(rows: list[str]) -> Iterator[str]:
    """All but the lines of code between fences, and what introduces them."""
    inside = False
    for row, below in pairwise([*rows, ""]):
        if _FENCE.match(row):
            inside = not inside
        elif not (inside or _FENCE.match(below)) or _REPORT.search(row):
            yield row


def _is_documentation(texts: Iterable[str]) -> bool:
    """Are there headings of release notes or of a manual, and nobody who has the failure?"""
    rows = [""]
    for row in texts:  # most logs end here, at their first line
        if not _is_documentary(row, rows[-1]):
            return False
        rows.append(row)
    del rows[0]
    headings = sum(map(_is_heading, rows))
    headings += sum(
        bool(_VERSION.match(row) and _BULLET.match(below)) for row, below in pairwise(rows)
    )
    answered = any(row.startswith("A:") for row in rows)
    asked = (row for row in rows if not (answered and row.startswith(("Q:", "A:"))))
    own = any(_FIRST_PERSON.search(row) or _REPORT.search(row) for row in asked)
    short = len(rows) < _MIN_ROWS and headings < len(rows)
    if not headings or own or short:
        return False
    head = rows[:_HEAD_LINES]
    return any(row.startswith("#") or _VERSION.match(row) or _is_heading(row) for row in head)


def _is_heading(row: str) -> bool:
    """Of release notes, or of a manual."""
    return bool(_RELEASES.search(row) or _MANUAL.search(row))


def _is_documentary(row: str, before: str) -> bool:
    """Is it a heading, an item, a part of a table or a sentence: no line of a program?"""
    if _MARKED_UP.match(row) or _VERSION.match(row) or _is_heading(row):
        return True
    if _INDENTED.match(row):
        return bool(before.strip()) and not _LOG_WORDS.search(row)
    words = row.split()
    plain = sum(bool(_PLAIN_WORD.fullmatch(word)) for word in words)
    ends = row.rstrip().endswith((".", "!", "?"))
    sentence = plain >= _PLAIN_SHARE * len(words) and len(words) >= _MIN_WORDS
    return sentence and (ends or len(row) >= _WRAPPED_CHARS) and not _LOG_WORDS.search(row)
