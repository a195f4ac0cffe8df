"""The rows of a text: sentences, what is marked up, examples, and lines of programs."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pipedoctor.lazy_pattern import compile_lazily

_FENCE = compile_lazily(r"^\s{0,8}(?:```|~~~)")
_CODE_BLOCK = compile_lazily(r"^(?: {4,}|\t)\S")
_TRACEBACK = "Traceback (most recent call last)"
_PROGRAM_REPORT = compile_lazily(
    r"^(?:Killed|Bus error|Segmentation fault|Aborted|Could not|Unable to|Cannot|Failed to"
    r"|CUDA |NCCL "
    r"|(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception)\b|ERROR|FATAL|E {3}|\[rank\d"
    r"|fatal: |error: |terminate called|[Oo]ut of memory|Error: "
    r"|(?:[a-z][\w./-]{0,40}: ){1,3}(?:error|fatal|cannot|failed|line \d))"
    r"|:\d{1,6}: \w{0,60}Warning: "
    r"|^\w{2,20} timed out after \d|\(core dumped\)\W{0,2}$|^\S{0,60}: No space left on device$"
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
    r"|^(?:exercise|question|solution|answer|lesson|chapter|slide|section|unit) \d"
    r"|^step \d{1,2}[.:] (?-i:[A-Z])"
    r"|^(?:upgrading|migrating|migration)\b"
    r"|\bwe (?:study|show|propose|present)\b"
    r"|^in this (?:post|article|chapter|section|paper|guide|tutorial)\b"
    r"|^(?:exit|return) (?:codes?|status)$|^\w{2,40}\(\d[a-z]?\)\s{2}"
    r"|^(?:name|synopsis|description|errors|exit status|see also)$"
    r"|^(?:trouble ?shooting|faq|frequently asked questions|common (?:errors|problems))\s*$"
    r"|^(?:post-?mortem|incident report)\b|^.{0,30}\b(?:hand|run|play)-?book\b.{0,40}$"
    r"|^install (?:it )?with `|^a: |\|(?: ?:?-{3,}:? ?\|){2,}"
)
VERSION = compile_lazily(r"^v?\d{1,4}\.\d{1,4}\.\d{1,4}:?(?: \(\d{4}-\d\d-\d\d\))?$")
_MARKED_UP = compile_lazily(
    r"^\s{0,8}(?:#{1,6} \S|[=~^-]{3,}\s*$|[-*•+o] \S|\d{1,3}[./)] \S|[|`\"*_]"
    r"|>(?!>>)|[QA]\d{0,3}[:.] |[a-d]\) |<|:\w"
    r"|\[[^\]]{1,80}\](?:\(|: \S{0,8}://)|!\[|\.\. |\(?[a-z]\) \S)"
    r"|^ *-- \S"
    r"|^\d\d:\d\d(?: UTC)?\s{1,3}[A-Z][a-z][^\[]{1,200}[a-z0-9]\.$"
    r"|^\d{1,2}(?:\.\d{1,2}){1,3} [A-Z][a-z]"
)
"""Headings, items, tables, code, quotations, links and terms."""
BULLET = compile_lazily(r"^\s*[-*•+o] \S")
_SPEAKER = compile_lazily(r"^(?:[A-Z][a-z]{1,20}|nit|note|re): (?=[A-Z\"].*[.!?\"]$|[a-z])")
_MARK = compile_lazily(r"^\s*(?:[>*•+o#|-]+|\(?\w{1,3}[./):]) ")
_SENTENCE_END = compile_lazily(r"[.!?][\"')*]{0,3}(?= |$)")
_INDENTED = compile_lazily(r"^\s{1,12}\S")
_FRAME = compile_lazily(r'^\s{0,12}File "[^"]+", line \d')
_INSERTED = compile_lazily(
    r"`[^`]*`|\"[^\"]*\"|»[^«]{0,300}«|«[^»]{0,300}»|\[[^\]]{0,300}\]\([^)]{0,300}\)"
    r"|https?://\S+|\*\*[^*]+\*\*"
)
"""Names, quotations and links within a sentence."""
_PLAIN_WORD = compile_lazily(
    r"[\"'(`*_]{0,3}[^\W\d_](?:[^\W\d_]|['/-]){0,30}[\"'`*_)]{0,3}[.,;:!?)]{0,3}"
    r"|\d{1,4}(?:[.,]\d{1,3})*(?:st|nd|rd|th|[%x])?[.,;:]?|[&-]"
)
_FUNCTION_WORD = compile_lazily(
    r"(?i)\b(?:the|an?|is|are|was|were|be|to|of|in|and|or|for|with|that|this|it|you|your|we|our"
    r"|not|on|at|by|as|from|can|will|if|when|which"
    r"|der|die|das|und|ist|ein|eine|zu|mit|auf|den|von|für|nicht|wir|ich|wird|sind|war|wie|was|warum|im|bei|man|auch|sich)\b"
)
"""Every other sentence has one, and few lines of programs."""
_MIN_WORDS, _PLAIN_SHARE = 4, 0.8
"""Words of a sentence, and how many of them are plain."""
_LOG_WORDS = compile_lazily(
    r"\d\d:\d\d|0x[0-9a-f]{4}|^\s*[\w-]{1,30}: |\b[a-z_]{2,20}[=:]\s?-?\d|\[\d|\d/\d"
    r"|(?:^|\W)(?:ERROR|WARN\w*|FATAL|INFO)\b|\b(?:loss|lr|acc(?:uracy)?) -?\d"
)


def classify_rows(rows: list[str]) -> Iterator[str]:
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
    if before in " X" and _CODE_BLOCK.match(row) and not BULLET.match(row):
        return "X"
    said = _SPEAKER.sub("", row)
    if is_program_report(said) or _FRAME.match(row):
        return "P"
    if _MARKED_UP.match(row) or VERSION.match(row) or is_heading(row):
        return "M"
    if _INDENTED.match(row) and before in "MS":
        return "O" if _LOG_WORDS.search(row) else "M"
    words = said.split()
    if len(words) < _MIN_WORDS and all(map(_PLAIN_WORD.fullmatch, words)):
        return "n"
    return "S" if count_sentences(row) else "O"


def count_sentences(row: str) -> int:
    """The sentences in a row; 0: it is none, but a line of a program, it may be."""
    text = _MARK.sub("", _SPEAKER.sub("", row))
    rest = _INSERTED.sub("", text)
    words = _INSERTED.sub("x", text).split()
    plain = sum(bool(_PLAIN_WORD.fullmatch(word)) for word in words)
    ends = len(_SENTENCE_END.findall(text))
    told = _FUNCTION_WORD.search(rest) and (ends > 1 or not _LOG_WORDS.search(rest))
    if not told or len(words) < _MIN_WORDS or plain < _PLAIN_SHARE * len(words):
        return 0
    return max(1, ends)


def is_program_report(row: str) -> bool:
    """Does a program report its failure?"""
    return bool(_PROGRAM_REPORT.search(row))


def is_heading(row: str) -> bool:
    """Of release notes, or of a manual."""
    return bool(_RELEASES.search(row) or _MANUAL.search(row))


@lru_cache(maxsize=256)
def split_sentences(row: str) -> tuple[str, ...]:
    """The sentences of a row, with an ``x`` for what they quote."""
    text = _INSERTED.sub("x", _MARK.sub("", _SPEAKER.sub("", row)))
    return tuple(re.split(r"(?<=[.!?:]) ", text))
