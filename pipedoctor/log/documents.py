"""Texts that explain or tell, such as articles and manuals: their failures are nobody's."""

import re
from collections.abc import Iterator
from itertools import pairwise

from pipedoctor.lazy_pattern import compile_lazily

_FENCE = compile_lazily(r"^\s{0,8}(?:```|~~~)")
_CODE_BLOCK = compile_lazily(r"^(?: {4,}|\t)\S")
_TRACEBACK = "Traceback (most recent call last)"
PROGRAM_REPORT = compile_lazily(
    r"^(?:Killed|Bus error|Segmentation fault|Aborted|Could not|Unable to|Cannot|Failed to"
    r"|CUDA |NCCL "
    r"|(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)\b|ERROR|FATAL|E {3}|\[rank\d"
    r"|fatal: |error: |terminate called|[Oo]ut of memory|Error: "
    r"|(?:[a-z][\w./-]{0,40}: ){1,3}(?:error|fatal|cannot|failed|line \d))"
    r"|\(core dumped\)\W{0,2}$|^\S{0,60}: No space left on device$"
)
"""How a program reports its failure, at the start of a line."""
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
_REPORT_HEADING = compile_lazily(
    r"(?i)^#{1,6} (?:problem|error|bug\b(?! ?fix)|actual|current behaviou?r|logs?\b|output"
    r"|environment\s*$|additional context|what happen(?:s|ed)|describe the|steps to"
    r"|to reproduce|expected)"
    r"|^\W{0,3}(?:describe the (?:bug|issue)|bug description"
    r"|(?:expected|actual) (?:behaviou?r|result))"
    r"|^\W{0,3}(?:steps )?to reproduce(?:\W*$| the (?:bug|error|issue|problem))"
)
"""Of a ticket."""
_TROUBLE = (
    r"hangs?|hung|dies|crash(?:es|ed)|fails?|failed|freezes|froze|stalls|stops|stopped|raises"
    r"|gets? (?:killed|stuck|slower)|(?:is|are|was|were) (?:killed|stuck|hanging|frozen)"
    r"|ends with|returns the same|runs? out|grows"
    r"|keeps? (?:growing|increasing|decreasing|rising|dropping|failing|dying|crashing|hanging)"
)
_FAILS = (
    r"get|gets|got|getting|fail\w*|hang\w*|crash\w*|die[sd]?|errors?|problem|issue|stuck"
    r"|encounter\w*|fac(?:e|ing)|killed|slow|out of memory|oom|notice\w*|observ\w+|experienc\w+"
    r"|receiv\w+|grow\w*|increas\w+"
)
_PLEA = compile_lazily(
    rf"(?i)\b(?:i|i'm|i've|im|my|me)\b(?!\.|'d| would).{{0,80}}\b(?:{_FAILS})\b"
    r"|\b(?:i|i've|we|we've)\b(?: \w{1,12}){0,2} tried\b(?! to make)"
    r"|\bi (?:am )?(?:see|saw|run|ran)\b"
    r"|\b(?:we|our)\b(?!'d| would).{0,60}\b(?:hit|hitting|dying|stuck|encounter\w*"
    rf"|{_TROUBLE})\b"
    r"|\b(?:we|our)\b.{0,20}\b(?:get|got|getting|see|saw|seeing)\b.{0,40}"
    r"\b(?:error|crash|hang|oom|kill|out of|exception|fail|time-?out|x\b)"
    r"|\bany (?:idea|hint|help|advice)s?\b|\b(?:any|some)(?:one|body)\b.{0,60}(?:\?|help|know)"
    r"|\bplease help\b|\bhelp (?:me|us|needed|appreciated)\b|\bthanks in advance\b"
    r"|\bwhat (?:can i do|now|next)\b|\bstill (?:the same|happens?|fails?|not)\b"
    r"|\bsince (?:yesterday|today|this morning|last|the (?:up|change|new|move|switch))\b.{0,80}"
    rf"\b(?:{_TROUBLE}|no longer|not)\b"
)
"""Of who has the failure himself, and has it now."""
_PRESENT_TROUBLE = compile_lazily(
    r"(?i)\b(?:the|this|training|job|script|run|(?:data)?loader|program|process|pod|container"
    rf"|workers?|it)\b(?: \w{{1,20}}){{0,3}} (?:{_TROUBLE})\b"
)
_TAUGHT = compile_lazily(
    r"(?i)\b(?:you|your|yours|one (?:can|may|should)|let'?s|would|should|could(?! not)|might|LGTM"
    r"|suppose|imagine)\b"
    r"|^(?:if|when(?:ever)?|sometimes|usually|please|note|use|set|try|check|raise|run|install|add"
    r"|avoid|name|explain|which|what|why|how|true or false|another|the (?:first|second|reason)"
    r"|there are)\b"
)
"""Of a sentence for a reader: what he may see, and what to do."""
_SUPPOSED = compile_lazily(r"(?i)if\b")
_CONDITION = compile_lazily(
    r"(?i)\b(?:if|when|whenever|once|unless|your?|why|how|can|may|might|could|would|will|sometimes"
    r"|often|usually|typically|such as|for example|fix(?:e[sd])?|avoid)\b"
)
_VERSION = compile_lazily(r"^v?\d{1,4}\.\d{1,4}\.\d{1,4}:?$")
_MARKED_UP = compile_lazily(
    r"^\s{0,8}(?:#{1,6} \S|[=~^-]{3,}\s*$|[-*•+o] \S|\d{1,3}[.)] \S|[|`\"*_>]"
    r"|[QA]\d{0,3}[:.] |[a-d]\) |<|:\w|\[[^\]]{1,80}\](?:\(|: )|!\[|\.\. |\(?[a-z]\) \S)|^ *-- \S"
    r"|^\d{1,2}(?:\.\d{1,2}){1,3} [A-Z][a-z]"
)
"""Headings, items, tables, code, quotations, links and terms."""
_BULLET = compile_lazily(r"^\s*[-*•+o] \S")
_HEADING = compile_lazily(r"^#{1,6} \S")
_SPEAKER = compile_lazily(r"^(?:[A-Z][a-z]{1,20}|nit|note|re): (?=[A-Z\"].*[.!?\"]$|[a-z])")
_MARK = compile_lazily(r"^\s*(?:[>*•+o#|-]+|\(?\w{1,3}[.):]) ")
_SENTENCE_END = compile_lazily(r"[.!?][\"')*]{0,3}(?= |$)")
_INDENTED = compile_lazily(r"^\s{1,12}\S")
_FRAME = compile_lazily(r'^\s{0,12}File "[^"]+", line \d')
_INSERTED = compile_lazily(r"`[^`]*`|\"[^\"]*\"|\[[^\]]*\]\([^)]*\)|https?://\S+|\*\*[^*]+\*\*")
"""Names, quotations and links within a sentence."""
_PLAIN_WORD = compile_lazily(
    r"[\"'(`*_]{0,3}[A-Za-z][A-Za-z'/-]{0,30}[\"'`*_)]{0,3}[.,;:!?)]{0,3}"
    r"|\d{1,4}(?:[.,]\d{1,3})*(?:st|nd|rd|th|[%x])?[.,;:]?|[&-]"
)
_FUNCTION_WORD = compile_lazily(
    r"(?i)\b(?:the|an?|is|are|was|were|be|to|of|in|and|or|for|with|that|this|it|you|your|we|our"
    r"|not|on|at|by|as|from|can|will|if|when|which)\b"
)
"""Every other sentence has one, and few lines of programs."""
_LOG_WORDS = compile_lazily(
    r"\d\d:\d\d|0x[0-9a-f]{4}|^\s*[\w-]{1,30}: |\b[a-z_]{2,20}[=:]\s?-?\d|\[\d|\d/\d"
    r"|(?:^|\W)(?:ERROR|WARN\w*|FATAL|INFO)\b"
)
_MIN_WORDS, _PLAIN_SHARE = 4, 0.8
_MIN_TOLD, _MIN_TAUGHT, _TAUGHT_SHARE = 3, 2, 0.25
_MIN_ROWS, _MARKED_ROWS, _TOLD_SHARE = 4, 8, 0.75
_LONG_ROWS, _MANY_HEADINGS = 40, 4
_HEAD_LINES, _HEAD_SHARE = 40, 0.5
"""Lines in which a text says what it is."""


def find_document_lines(rows: list[str]) -> list[int]:
    """The lines of an article, a manual or notes, but for those of a program; else none."""
    if not _is_told(list(_classify(rows[:_HEAD_LINES])), _HEAD_SHARE):  # most logs end here
        return []
    kinds = list(_classify(rows))
    prose = [(row, kind) for row, kind in zip(rows, kinds, strict=True) if kind in "MSOn"]
    if not _is_document([row for row, _ in prose], kinds) or _is_report(prose, kinds):
        return []
    told = max(number for number, kind in enumerate(kinds, 1) if kind in "MSXn")
    return [number for number, kind in enumerate(kinds[:told], 1) if kind not in " P"]


def _classify(rows: list[str]) -> Iterator[str]:
    """
    The kind of each row.

    ``M``: marked up, ``S``: a sentence, ``X``: an example, ``P``: of a program, ``n``: a
    few words, ``O``: another, a space: empty. What a program reports ends where a row is empty.
    """
    fenced = traced = False
    before = " "
    for row in rows:
        if _FENCE.match(row):
            fenced, before = not fenced, "X"
        elif fenced:
            before = "X"
        elif row.startswith(_TRACEBACK):
            traced, before = True, "P"
        elif traced and row.strip():
            before = "P"
        elif row.strip():
            before = _classify_row(row, before)
        else:
            yield " "
            traced, before = False, before if before == "X" else " "
            continue
        traced = traced or before == "P"
        yield before


def _classify_row(row: str, before: str) -> str:
    if before in " X" and _CODE_BLOCK.match(row) and not _BULLET.match(row):
        return "X"
    said = _SPEAKER.sub("", row)
    if PROGRAM_REPORT.search(said) or _FRAME.match(row):
        return "P"
    if _MARKED_UP.match(row) or _VERSION.match(row) or _is_heading(row):
        return "M"
    if _INDENTED.match(row) and before in "MS":
        return "O" if _LOG_WORDS.search(row) else "M"
    words = said.split()
    if len(words) < _MIN_WORDS and all(map(_PLAIN_WORD.fullmatch, words)):
        return "n"
    return "S" if _count_sentences(row) else "O"


def _count_sentences(row: str) -> int:
    """The sentences in a row; 0: it is none, but a line of a program, it may be."""
    text = _MARK.sub("", _SPEAKER.sub("", row))
    rest = _INSERTED.sub("", text)
    words = _INSERTED.sub("x", text).split()
    plain = sum(bool(_PLAIN_WORD.fullmatch(word)) for word in words)
    told = _FUNCTION_WORD.search(rest) and not _LOG_WORDS.search(rest)
    if not told or len(words) < _MIN_WORDS or plain < _PLAIN_SHARE * len(words):
        return 0
    return max(1, len(_SENTENCE_END.findall(text)))


def _is_heading(row: str) -> bool:
    """Of release notes, or of a manual."""
    return bool(_RELEASES.search(row) or _MANUAL.search(row))


def _is_told(kinds: list[str], share: float) -> bool:
    """Are so many rows sentences and marks?"""
    told = kinds.count("M") + kinds.count("S")
    return told > 0 and told >= share * (told + kinds.count("O"))


def _is_document(prose: list[str], kinds: list[str]) -> bool:
    """Is it an article, a manual or notes, and hardly a line of a program?"""
    rows = len(prose) - kinds.count("n")
    if not _is_told(kinds, _TOLD_SHARE):
        return False
    headings = sum(map(bool, map(_HEADING.match, prose)))
    titled = rows >= _MARKED_ROWS and (headings > 1 or bool(_HEADING.match(prose[0])))
    return titled or _is_lesson(prose) or _has_headings(prose)


def _is_lesson(prose: list[str]) -> bool:
    """Does it speak to a reader, of what may be or of what to do?"""
    sentences = [part for row in prose if _count_sentences(row) for part in _split_sentences(row)]
    taught = sum(map(bool, map(_TAUGHT.search, sentences)))
    told = min(len(prose), len(sentences)) >= _MIN_TOLD
    return told and taught >= max(_MIN_TAUGHT, _TAUGHT_SHARE * len(sentences))


def _split_sentences(row: str) -> list[str]:
    return re.split(r"(?<=[.!?:]) ", _INSERTED.sub("x", _MARK.sub("", _SPEAKER.sub("", row))))


def _has_headings(prose: list[str]) -> bool:
    """Are there headings of release notes or of a manual?"""
    headings = sum(map(_is_heading, prose))
    headings += sum(
        bool(_VERSION.match(row) and _BULLET.match(below)) for row, below in pairwise(prose)
    )
    if not headings or (len(prose) < _MIN_ROWS and headings < len(prose)):
        return False
    head = prose[:_HEAD_LINES]
    return any(row.startswith("#") or _VERSION.match(row) or _is_heading(row) for row in head)


def _is_report(prose: list[tuple[str, str]], kinds: list[str]) -> bool:
    """Does somebody speak of a failure of his own?"""
    rows = [row for row, _ in prose]
    if any(map(_REPORT_HEADING.match, rows)):
        return True
    headings = sum(map(bool, map(_HEADING.match, rows)))
    if len(rows) >= _LONG_ROWS and headings >= _MANY_HEADINGS and "P" not in kinds:
        return False
    answered = any(row.startswith("A:") for row in rows)
    asked = [r for r in rows if not (answered and r.startswith(("Q:", "A:")))]
    troubled = not headings and any(_is_trouble(row) for row, kind in prose if kind in "SO")
    return troubled or any(
        _PLEA.search(part) and not _SUPPOSED.match(part)
        for row in asked
        for part in _split_sentences(row)
    )


def _is_trouble(row: str) -> bool:
    """Does a sentence say that something fails, not that it may?"""
    return any(
        _PRESENT_TROUBLE.search(part) and not _CONDITION.search(part)
        for part in _split_sentences(row)
    )
