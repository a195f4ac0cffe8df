"""What kind of text is it: a log, or one that speaks of failures that are none of its own?"""

import re
from collections.abc import Callable, Iterator

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.conversations import find_closed, find_solution
from pipedoctor.log.documents import find_document_lines
from pipedoctor.log.line_prefixes import ANSI
from pipedoctor.log.pod_events import find_started
from pipedoctor.log.progress import find_last_progress

MAX_TEXT_BYTES = 256 << 10
"""Bytes above which a text is a log: nobody pastes more of another kind."""
_COMMIT = compile_lazily(r"^commit [0-9a-f]{40}\b")
_SOURCE = compile_lazily(r'^\s*"source": ?\[')
_STRINGS = compile_lazily(r"^[A-Za-z_]\w{0,60}(?:: [\w\[\], ]{1,40})? = [\[{(]\s*$")
_STRING_ITEM = compile_lazily(r"^\s+(?:(['\"])[\w ./-]{1,60}\1: )?[rbf]?['\"].{0,300}['\"],?\s*$")
_DOCKER_LINE = compile_lazily(r"^(?:FROM|RUN|CMD|COPY|ENTRYPOINT|ENV|WORKDIR) \S")
_MIN_INSTRUCTIONS = 3
_SEARCH = compile_lazily(r"\be?grep -\w*q")
_MIN_TYPED = 4
"""Rows of a history of commands."""
_HISTORY_ROW = compile_lazily(r"^ {0,5}(\d{1,6})\*? {2}\S")
_GREEN = compile_lazily(
    r"^=*\s?(?:\d{1,7} (?!fail|err)\w+, ){0,6}\d{1,7} passed(?:, \d{1,7} (?!fail|err)\w+){0,6}"
    r" in \d[\d.]{0,12} ?s\b|^OK(?: \((?!.*(?:fail|err)).{0,80}\))?$"
    r"|^PASS$|^ok\s+\S{1,200}\s+[\d.]+s"
    r"|^100% tests passed|^test result: ok\.|^Tests: +(?:\d+ skipped, )?\d+ passed, \d+ total"
    r"|<testsuites?\b(?=[^>]*\bfailures=\"0\")(?=[^>]*\berrors=\"0\")"
)
_RED = compile_lazily(
    r"^=*\s?(?:\d{1,7} \w+, ){0,6}[1-9]\d{0,6} (?:failed|errors?)\b|^FAILED(?: \(|$)|^FAIL\b"
    r"|^--- FAIL|^test result: FAILED|<testsuites?\b[^>]*\b(?:failures|errors)=\"[1-9]"
)
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
_PROMPT = compile_lazily(r"^(?:>>> ?|In \[\d{1,5}\]: )")
_TYPED = compile_lazily(
    r"^(?:\([\w.-]{1,40}\) )?(?:\S{0,80}[$%\u276f]|\S{1,60}@\S{1,60}#|(?:PS )?[A-Z]:\\[^>]{0,80}>)"
    r" ?(?P<command>[\w./~].*)"
)
"""What somebody types, behind the prompt of a shell."""
_FOUND = compile_lazily(
    r"[\w./-]{1,200}\.\w{1,8}[:-]\d{1,7}[:-]"
    r"(?!\d|\s*(?:\w* ?error|warning|fatal|\w*(?:Error|Warning)\b))"
)
_USAGE = compile_lazily(r"^[Uu]sage: ")
_OPTIONS = compile_lazily(r"^(?:\s|$|[A-Za-z][\w ]{2,30}:$)")
_PURPOSE = compile_lazily(
    r"(?i)\bon purpose\b|\bdeliberate\w*|\bprovok\w+|\bintentional\w*|\bas expected\b"
    r"|\bexpect(?:ed)? to (?:fail|die|run out|raise)|\bshould (?:fail|raise|die|run out|blow)\b"
    r"|\blet'?s (?:break|provoke|fill|exhaust)\b"
)
_ANNOUNCED = compile_lazily(
    r"(?i)\b(?:must|should|has to|expect(?:ed|ing)?(?: \w+)? to) fail\b|\bkilled on purpose\b"
)
_CONFIRMED = compile_lazily(
    r"(?i)\bfail(?:ed|s|ure)? as expected\b|\bexpected failure\b.{0,60}\bok\b|\btests? passed$"
)


def find_mentioned_lines(data: bytes) -> frozenset[int]:
    """The lines, from 1, of a whole text that tell of no failure of its own."""
    if len(data) > MAX_TEXT_BYTES:
        return frozenset()
    rows = [row.rstrip("\r") for row in data.decode(errors="replace").split("\n")]
    lines = {*_find_history(rows)}
    for marks, find in _KINDS:
        if any(mark in data for mark in marks):
            lines.update(find(rows))
    return frozenset(lines.union(_find_prose(rows)))


def drop_lines(brief: bytes, mentioned: frozenset[int]) -> str:
    """The text with empty lines for those that only speak of failures."""
    rows = ANSI.sub("", brief.decode(errors="replace")).split("\n")
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
    passed = False
    for number, row in enumerate(rows, 1):
        passed = passed or row.startswith("--- PASS")
        if "<testsuite" in row and _GREEN.search(row):
            ends = (at for at, one in enumerate(rows, 1) if "</testsuite" in one)
            green = max(ends, default=number)
        elif _GREEN.match(row.partition("Z ")[2] or row) and (passed or _is_summary(rows, number)):
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
    return ran or (row == "PASS" and not any(map(str.strip, rows[number:])))


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
    numbers: list[int] = []
    for row in filter(str.strip, rows):
        found = _HISTORY_ROW.match(row)
        if found is None or (numbers and int(found[1]) != numbers[-1] + 1):
            return
        numbers.append(int(found[1]))
    if len(numbers) >= _MIN_TYPED:
        yield from range(1, len(rows) + 1)


def _find_experiments(rows: list[str]) -> Iterator[int]:
    """What an interactive session provokes, if it goes on behind it."""
    prompts = [number for number, row in enumerate(rows, 1) if _PROMPT.match(row)]
    for number, following, after in zip(prompts, prompts[1:], [*prompts[2:], 0], strict=False):
        part = rows[number - 1 : following - 1]
        if any(_PURPOSE.search(row) for row in part):
            yield from range(number, following)
            yield from range(following, after)


def _find_expected(rows: list[str]) -> Iterator[int]:
    """What was announced that it must fail, and then failed as expected."""
    announced = 0
    for number, row in enumerate(rows, 1):
        if _ANNOUNCED.search(row):
            announced = number
        elif announced and _CONFIRMED.search(row):
            yield from range(announced, number + 1)
            announced = 0


def _find_mended(rows: list[str]) -> Iterator[int]:
    """All from a command up to where the same one is typed for the last time, and works."""
    found = [(number, typed) for number, row in enumerate(rows, 1) if (typed := _TYPED.match(row))]
    commands = [" ".join(typed["command"].split()) for _, typed in found]
    firsts: dict[str, int] = {}
    for at, command in enumerate(commands):
        firsts.setdefault(command, at)
    for at in range(len(commands) - 1, 0, -1):
        first = firsts[commands[at]]
        if first < at:
            end = found[at + 1][0] if at + 1 < len(found) else len(rows) + 1
            output = [row for row in rows[found[at][0] : end - 1] if row.strip()]
            if find_last_progress("\n".join(output).encode(), len(output)):
                yield from range(found[first][0], found[at][0])
            return


def _find_help(rows: list[str]) -> Iterator[int]:
    """What a program prints about its options."""
    inside = False
    for number, row in enumerate(rows, 1):
        inside = bool(_USAGE.match(row)) or (inside and bool(_OPTIONS.match(row)))
        if inside:
            yield number


def _find_ignored(rows: list[str]) -> Iterator[int]:
    """What Ansible ignores, as the line below says."""
    yield from (number for number, row in enumerate(rows[1:], 1) if row.startswith("...ignoring"))


def _find_searched(rows: list[str]) -> Iterator[int]:
    """What a search through files prints, where nothing else stands."""
    filled = [number for number, row in enumerate(rows, 1) if row.strip()]
    if len(filled) > 1 and all(_FOUND.match(rows[number - 1]) for number in filled):
        yield from filled


def _find_prose(rows: list[str]) -> Iterator[int]:
    """Lists of commits, articles and manuals, and conversations that end well."""
    filled = [(number, row) for number, row in enumerate(rows, 1) if row.strip()]
    subjects = _find_subjects(filled) or find_document_lines(rows)
    yield from subjects or range(1, find_solution(filled) + 1)


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


_KINDS: tuple[tuple[tuple[bytes, ...], Callable[[list[str]], Iterator[int]]], ...] = (
    ((b"commit ",), _find_commit_messages),
    ((b"passed", b"OK", b"PASS", b"ok ", b"ok\t", b": ok", b"<testsuite"), _find_tests),
    ((b"= [", b"= {", b"= ("), _find_strings),
    ((b'"cell_type"',), _find_sources),
    ((b">>>", b"In ["), _find_experiments),
    ((b"xpect", b"XPECT", b"on purpose"), _find_expected),
    ((b"\n@@ -",), _find_diffs),
    ((b"Warning ",), find_started),
    ((b"sage: ",), _find_help),
    ((b"...ignoring",), _find_ignored),
    ((b"tatus: ", b"esolution: ", b"OLVED", b"olved", b"[CLOSED", b"[closed"), find_closed),
    ((b":1", b":2", b":3", b":4", b":5", b":6", b":7", b":8", b":9"), _find_searched),
    ((b"$ ", b"# ", b"% ", b"> ", "\u276f".encode()), _find_mended),
    (
        (b"#!/", b"FROM ", b"RUN ", b"CMD ", b"COPY ", b"ENTRYPOINT ", b"ENV ", b"WORKDIR "),
        _find_comments,
    ),
)
"""Bytes without which a text has no lines of a kind, and what finds these."""
