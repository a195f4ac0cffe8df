"""What kind of text is it: a log, or one that speaks of failures that are none of its own?"""

import re
from collections.abc import Iterator
from itertools import pairwise

from pipedoctor.log.conversations import find_solution
from pipedoctor.log.provoked import find_expected, find_experiments

MAX_TEXT_BYTES = 256 << 10
"""Bytes above which a text is a log: nobody pastes more of another kind."""
_HEAD_LINES, _MIN_ROWS = 40, 4
"""Lines in which a text says what it is."""
_FRAME = re.compile(r'^\s*File "[^"]+", line \d+|^Traceback \(most recent', re.MULTILINE)
_COMMIT = re.compile(r"^commit [0-9a-f]{40}\b")
_RELEASES = re.compile(
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
_MANUAL = re.compile(
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
_FIRST_PERSON = re.compile(
    r"(?i)\b(?:i|i'm|i've|my|we|our)\b.{0,80}\b(?:get|got|see|saw|run|ran|running|train\w*|fail\w*"
    r"|hang\w*|crash\w*|error|problem|issue|tried|try|trying|have|am)\b"
    r"|^#{1,6} (?:problem|error|bug\b(?! ?fix)|actual|current behaviou?r|logs?\b|output"
    r"|environment\s*$|additional context|what happen(?:s|ed)|results?\b)"
    r"|\b(?:steps? to reproduce|to reproduce|expected behaviou?r|describe the bug|bug report)\b"
)
"""Of who has the failure himself."""
_REPORT = re.compile(
    r"^(?:Killed|Bus error|Segmentation fault|Aborted|Could not|Unable to|Cannot|Failed to"
    r"|CUDA |NCCL "
    r"|(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)\b|ERROR|FATAL|E {3}|\[rank\d"
    r"|fatal: |error: |terminate called|[Oo]ut of memory|Error: "
    r"|(?:[a-z][\w./-]{0,40}: ){1,3}(?:error|fatal|cannot|failed|line \d))"
    r"|\(core dumped\)\W{0,2}$|^\S{0,60}: No space left on device$"
)
"""How a program reports its failure, at the start of a line."""
_VERSION = re.compile(r"^v?\d{1,4}\.\d{1,4}\.\d{1,4}:?$")
_MARKED_UP = re.compile(
    r"^\s{0,8}(?:#{1,6} \S|[=~-]{3,}\s*$|[-*•+o] \S|\d{1,3}[.)] \S|[|`\"*_]|[QA]: |<!--"
    r"|\[[^\]]{1,80}\]\()|^ *-- \S|^\d{1,2}(?:\.\d{1,2}){1,3} [A-Z][a-z]"
)
"""Headings, items, tables, code and terms."""
_INDENTED = re.compile(r"^\s{1,12}\S")
_PLAIN_WORD = re.compile(
    r"[\"'(`*]{0,2}[A-Za-z][A-Za-z'-]{0,30}[\"'`*)]{0,2}[.,;:!?]{0,2}|\d{1,4}(?:\.\d{1,3})*[.,;]?"
)
_MIN_WORDS, _PLAIN_SHARE, _WRAPPED_CHARS = 3, 0.8, 70
_LOG_WORDS = re.compile(
    r"\d\d:\d\d"
    r"|(?:^|\W)(?:[A-Z]\w{2,40}(?:Error|Exception|Warning)|ERROR|WARN\w*|FATAL|INFO)\b"
    r"|^\s*[\w-]{1,30}: |0x[0-9a-f]{4}"
)
_BULLET = re.compile(r"^\s*[-*•+o] \S")
_IMPERATIVE = re.compile(
    r"^(?:[-*o+] |\d{1,3}[.)] |#\d{1,6}:? )?(?:[\w/. -]{2,24}: )?"
    r"(?:(?i:fix|add|avoid|handle|catch|retry|raise|mount|use"
    r"|mention|bump|remove|drop|do not|don't|support|improve|update|make|allow|kill"
    r"|stop|revert|merge|release|work around|wait|close|open|check|set|move|rename|skip|log"
    r"|report|test|document|lower|increase|reduce|prevent|return|initial|start|clean|print|free"
    r"|limit|detect|ignore|pin|switch|restart|reopen|unmount|force|disable|enable|read|write"
    r"|guard|cache|copy|split|name|treat|turn|replace|refactor|simplify|speed|let|warn|show))\b"
    r" [^:]{3,}"
)
_NUMBERED = re.compile(r"^\s{0,4}(?:[-*] )?#\d{1,6}:? [A-Z]")
"""Titles of issues and of pull requests."""
_MIN_SUBJECTS, _SUBJECT_SHARE = 4, 0.75
_CELL_TYPE, _SOURCE = b'"cell_type"', re.compile(r'^\s*"source": ?\[')
_STRINGS = re.compile(r"^[A-Za-z_]\w{0,60}(?:: [\w\[\], ]{1,40})? = [\[{(]\s*$")
_STRING_ITEM = re.compile(r"^\s+(?:(['\"])[\w ./-]{1,60}\1: )?[rbf]?['\"].{0,300}['\"],?\s*$")
_DOCKER_LINE = re.compile(r"^(?:FROM|RUN|CMD|COPY|ENTRYPOINT|ENV|WORKDIR) \S")
_MIN_INSTRUCTIONS = 3
_SEARCH = re.compile(r"\be?grep -\w*q")
_HISTORY_ROW = re.compile(r"^ {0,5}(\d{1,6})\*? {2}\S")
_FENCE = re.compile(r"^\s{0,8}(?:```|~~~)")
_GREEN = re.compile(
    r"^=*\s?(?:\d{1,7} (?!fail|err)\w+, ){0,6}\d{1,7} passed(?:, \d{1,7} (?!fail|err)\w+){0,6}"
    r" in \d[\d.]{0,12} ?s\b|^OK(?: \((?!.*(?:fail|err)).{0,80}\))?$"
    r"|^PASS$|^ok\s+\S{1,200}\s+[\d.]+s"
    r"|^100% tests passed|^test result: ok\.|^Tests: +(?:\d+ skipped, )?\d+ passed, \d+ total"
    r"|<testsuites?\b(?=[^>]*\bfailures=\"0\")(?=[^>]*\berrors=\"0\")"
)
_RED = re.compile(
    r"^=*\s?(?:\d{1,7} \w+, ){0,6}[1-9]\d{0,6} (?:failed|errors?)\b|^FAILED(?: \(|$)|^FAIL\b"
    r"|^--- FAIL|^test result: FAILED|<testsuites?\b[^>]*\b(?:failures|errors)=\"[1-9]"
)


def find_mentioned_lines(data: bytes) -> frozenset[int]:
    """The lines, from 1, of a whole text that tell of no failure of its own."""
    if len(data) > MAX_TEXT_BYTES:
        return frozenset()
    rows = [row.rstrip("\r") for row in data.decode(errors="replace").split("\n")]
    lines = {*_find_commit_messages(rows), *_find_tests(rows), *_find_strings(rows)}
    lines.update(_find_sources(rows) if _CELL_TYPE in data else ())
    lines.update(find_experiments(rows))
    lines.update(find_expected(rows))
    lines.update(_find_history(rows))
    lines.update(_find_diffs(rows) if b"\n@@ -" in data else ())
    lines.update(_find_comments(rows))
    if not _FRAME.search("\n".join(rows)):
        lines.update(_find_prose(rows))
    return frozenset(lines)


def drop_lines(brief: bytes, mentioned: frozenset[int]) -> str:
    """The text with empty lines for those that only speak of failures."""
    rows = brief.decode(errors="replace").split("\n")
    return "\n".join("" if at in mentioned else row for at, row in enumerate(rows, 1))


def _find_commit_messages(rows: list[str]) -> Iterator[int]:
    """The messages that `git log` indents."""
    inside = False
    for number, row in enumerate(rows, 1):
        if row[:1].strip():
            inside = bool(_COMMIT.match(row)) or (
                inside and row.startswith(("Author:", "Date:", "Merge:", "Commit", "Tagger:"))
            )
        elif inside and row.startswith("    "):
            yield number


def _find_tests(rows: list[str]) -> Iterator[int]:
    """All before the last summary of tests that passed, where none has failed."""
    green = 0
    for number, row in enumerate(rows, 1):
        if "<testsuite" in row and _GREEN.search(row):
            ends = (at for at, one in enumerate(rows, 1) if "</testsuite" in one)
            green = max(ends, default=number)
        elif _GREEN.match(row.partition("Z ")[2] or row) and _is_summary(rows, number):
            green = max(green, number)
        elif _RED.search(row):
            return
    yield from range(1, green + 1)


def _is_summary(rows: list[str], number: int) -> bool:
    """``OK`` and ``PASS`` are words of others as well: what stands above them tells."""
    row = rows[number - 1]
    if not row.startswith(("OK", "PASS")):
        return True
    before = rows[max(0, number - 4) : number - 1]
    ran = any(re.match(r"Ran \d+ tests? in|=== RUN|\s*--- (?:PASS|SKIP)", one) for one in before)
    return ran or any(one.startswith("--- PASS") for one in rows[: number - 1])


def _find_strings(rows: list[str]) -> Iterator[int]:
    """Texts in a table of code."""
    inside = False
    for number, row in enumerate(rows, 1):
        inside = bool(_STRINGS.match(row)) or (inside and bool(_STRING_ITEM.match(row)))
        if inside:
            yield number


def _find_sources(rows: list[str]) -> Iterator[int]:
    """The code and the prose of a notebook; what it printed stands elsewhere."""
    inside = False
    for number, row in enumerate(rows, 1):
        starts = _SOURCE.match(row)
        if starts or inside:
            yield number
        ends = row.lstrip().startswith("]") or row.rstrip().rstrip(",}").endswith("]")
        inside = (bool(starts) or inside) and not ends


def _find_comments(rows: list[str]) -> Iterator[int]:
    """Comments, and searches for words, of a script and of a Dockerfile."""
    script = rows[0].startswith("#!/")
    if script or sum(bool(_DOCKER_LINE.match(row)) for row in rows) >= _MIN_INSTRUCTIONS:
        for number, row in enumerate(rows, 1):
            if row.lstrip().startswith(("# ", "#!")) or (script and _SEARCH.search(row)):
                yield number


def _find_diffs(rows: list[str]) -> Iterator[int]:
    """Lines of code that a diff takes away, adds or shows."""
    inside = False
    for number, row in enumerate(rows, 1):
        inside = row.startswith("@@ -") or (inside and row[:1] in {" ", "+", "-", "\\"})
        if inside:
            yield number


def _find_history(rows: list[str]) -> Iterator[int]:
    """What somebody typed, as the shell counts it."""
    filled = [row for row in rows if row.strip()]
    typed = [found for row in filled if (found := _HISTORY_ROW.match(row))]
    numbers = [int(found[1]) for found in typed]
    steps = all(below == above + 1 for above, below in pairwise(numbers))
    if len(filled) == len(typed) >= _MIN_ROWS and steps:
        yield from range(1, len(rows) + 1)


def _find_prose(rows: list[str]) -> Iterator[int]:
    """Release notes, manuals, lists of commits, and conversations that end well."""
    filled = [(number, row) for number, row in enumerate(rows, 1) if row.strip()]
    texts = [*_drop_examples([row for _, row in filled])]
    if subjects := _find_subjects(filled):
        yield from subjects
    elif _is_documentation(texts):
        yield from (number for number, _ in filled)
    else:
        yield from range(1, find_solution(filled) + 1)


def _find_subjects(filled: list[tuple[int, str]]) -> list[int]:
    """The lines that say what somebody did to a program, where nearly all do."""
    subjects = [number for number, row in filled if _IMPERATIVE.match(row.strip())]
    numbered = [number for number, row in filled if _NUMBERED.match(row)]
    longer = max(subjects, numbered, key=len)
    if len(longer) < max(_MIN_SUBJECTS, _SUBJECT_SHARE * len(filled)):
        return []
    return longer


def _drop_examples(rows: list[str]) -> Iterator[str]:
    """All but the lines of code between fences, and what introduces them."""
    inside = False
    for row, below in pairwise([*rows, ""]):
        if _FENCE.match(row):
            inside = not inside
        elif not (inside or _FENCE.match(below)) or _REPORT.search(row):
            yield row


def _is_documentation(rows: list[str]) -> bool:
    """Are there headings of release notes or of a manual, and nobody who has the failure?"""
    headings = sum(map(_is_heading, rows))
    headings += sum(
        bool(_VERSION.match(row) and _BULLET.match(below)) for row, below in pairwise(rows)
    )
    answered = any(row.startswith("A:") for row in rows)
    asked = (row for row in rows if not (answered and row.startswith(("Q:", "A:"))))
    own = any(_FIRST_PERSON.search(row) or _REPORT.search(row) for row in asked)
    short = len(rows) < _MIN_ROWS and headings < len(rows)
    if not headings or own or short or not all(map(_is_documentary, rows, ["", *rows])):
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
