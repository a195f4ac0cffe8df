"""Texts that explain or tell, such as articles and manuals: their failures are nobody's."""

from itertools import islice, pairwise

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.sentences import (
    BULLET,
    VERSION,
    classify_rows,
    count_sentences,
    is_heading,
    split_sentences,
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
_FAILS_NOW = (
    r"hangs?|dies|crashes|fails?|freezes|stalls|stops|raises|gets? (?:killed|stuck|slower)"
    r"|(?:is|are) (?:killed|stuck|hanging|frozen)|ends with|returns the same|runs? out|grows"
    r"|keeps? (?:growing|increasing|decreasing|rising|dropping|failing|dying|crashing|hanging)"
)
_TROUBLE = (
    rf"{_FAILS_NOW}|hung|crashed|failed|froze|stopped|(?:was|were) (?:killed|stuck|hanging|frozen)"
)
_FAILS = (
    r"get|gets|got|getting|fail\w*|hang\w*|crash\w*|die[sd]?|errors?|problem|issue|stuck"
    r"|encounter\w*|fac(?:e|ing)|killed|slow|out of memory|oom|notice\w*|observ\w+|experienc\w+"
    r"|receiv\w+|grow\w*|increas\w+"
)
_OWN = compile_lazily(
    rf"(?i)\b(?:i|i'm|i've|my|me)\b(?!\.|'d| would).{{0,80}}\b(?:{_FAILS})\b"
    r"|\b(?:i|i've|we|we've)\b(?: \w{1,12}){0,2} tried\b(?! to make)"
    r"|\bi (?:am )?(?:see|saw|run|ran)\b"
    r"|\b(?:we|our)\b(?!'d| would).{0,60}\b(?:hit|hitting|dying|stuck|encounter\w*"
    rf"|{_TROUBLE})\b"
    r"|\b(?:we|our)\b.{0,20}\b(?:get|got|getting|see|saw|seeing)\b.{0,40}"
    r"\b(?:error|crash|hang|oom|kill|out of|exception|fail|time-?out|x\b)"
)
"""Of who has the failure himself."""
_PLEA = compile_lazily(
    r"(?i)\bany (?:idea|hint|help|advice)s?\b|\b(?:any|some)(?:one|body)\b.{0,60}(?:\?|help|know)"
    r"|\bplease help\b|\bhelp (?:me|us|needed|appreciated)\b|\bthanks in advance\b"
    r"|\b(?:does|did|do)(?: not|n't) work\b|\bno longer works?\b|\bnot for me\b"
    r"|\bwhat (?:can i do|now|next)\b|\bstill (?:the same|happens?|fails?|not)\b"
    r"|\bsince (?:yesterday|today|this morning|last|the (?:up|change|new|move|switch))\b.{0,80}"
    rf"\b(?:{_TROUBLE}|no longer|not)\b"
    r"|\b(?:bekomme|erhalte)n?\b|\bwei(?:ß|ss) jemand\b"
    r"|\bbricht .{0,30}\bab\b|\bstürzt\b|\bhängt\b"
)
"""Of who has it now."""
_SUBJECT = (
    r"(?i)\b(?:the|this|training|job|script|run|(?:data)?loader|program|process|pod|container"
    r"|workers?|it)\b(?: (?!that\b|which\b)\w{1,20}){0,3} "
)
_TROUBLED = compile_lazily(rf"{_SUBJECT}(?:{_TROUBLE})\b")
_TROUBLED_NOW = compile_lazily(rf"{_SUBJECT}(?:{_FAILS_NOW})\b")
_TAUGHT = compile_lazily(
    r"(?i)\b(?:you|your|yours|one (?:can|may|should)|let'?s|would|should|could(?! not)|might|may"
    r"|will|please|LGTM|typical|common|suppose|imagine|man|wer|meist(?:ens)?|sollten?|abhilfe)\b"
    r"|^(?:x )?(?:if|when(?:ever)?|sometimes|usually|note|use|set|try|check|raise|run"
    r"|install|add|avoid|name|explain|ask|take|wait|start|read|keep|make|which|what|why|how"
    r"|true or false|another|the (?:first|second|reason)|there are)\b"
)
"""Of a sentence for a reader: what he may see, and what to do."""
_SOLVED = compile_lazily(
    r"(?i)\broot cause was\b|\bwas caused by\b|\bkam daher\b|\blag (?:es )?(?:daran|am)\b"
    r"|\b(?:restored|recovered|resolved|mitigated|rolled back|reverted|fixed|repaired|solved)\b"
    r"|\b(?:since then|seitdem|seither)\b|\bseit wir\b|\bstatus: (?:closed|resolved|done)\b"
    r"|\bwithout (?:restarts?|errors?|crash(?:es)?|problems?|incidents?)\b|\bdurchgelaufen\b"
    r"|\bwent (?:well|badly)\b|\blessons?\b(?=:| learn)|\bpost-?mortem\b|\bretrospective\b"
    r"|\bis gone\b|\bbehoben\b"
    r"|\b(?:has|have) been (?:fine|stable|running|in production)\b|\bwe raised it\b"
)
"""Of who tells of a failure that is over."""
_OPEN = compile_lazily(
    r"(?i)\bstill\b|\bstatus: (?:open|investigating|ongoing)\b|\bnot (?:yet )?known\b|\bunknown\b"
    r"|\bnext update\b|\binvestigating\b|\bnot (?:fixed|solved|resolved|help)\b|\bhelp\b|\bagain\b"
    r"|\?\s*$"
)
_MIN_SOLVED = 2
_SUPPOSED = compile_lazily(r"(?i)if\b")
_CONDITION = compile_lazily(
    r"(?i)\b(?:if|when|whenever|once|unless|your?|why|how|can|may|might|could|would|will|sometimes"
    r"|often|usually|typically|such as|for example|fix(?:e[sd])?|avoid)\b"
)
_HEADING = compile_lazily(r"^#{1,6} \S")
_MIN_TOLD, _MIN_TAUGHT, _TAUGHT_SHARE = 3, 2, 0.25
_MIN_ROWS, _MARKED_ROWS, _TOLD_SHARE = 4, 8, 0.75
_LONG_ROWS, _MANY_HEADINGS, _MAX_ROWS = 40, 4, 1500
_HEAD_LINES, _HEAD_SHARE = 40, 0.5
"""Lines in which a text says what it is."""


def find_document_lines(rows: list[str]) -> list[int]:
    """The lines of an article, a manual or notes, but for those of a program; else none."""
    classified = classify_rows(rows)
    head = list(islice(classified, _HEAD_LINES))
    if len(rows) > _MAX_ROWS or not _is_told(head, _HEAD_SHARE):  # most logs end here
        return []
    kinds = [*head, *classified]
    prose = [(row, kind) for row, kind in zip(rows, kinds, strict=True) if kind in "MSOn"]
    if not _is_document([row for row, _ in prose], kinds) or _is_report(prose, kinds):
        return []
    told = max(number for number, kind in enumerate(kinds, 1) if kind in "MSXn")
    return [number for number, kind in enumerate(kinds[:told], 1) if kind not in " P"]


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
    named = [is_heading(row) for row in prose]
    several = headings > 1 or sum(named) > 1
    plain = several or not {"O", "P"} & set(kinds)
    titled = rows >= _MARKED_ROWS and (several or bool(_HEADING.match(prose[0])))
    told = _is_lesson(prose) or _is_retrospect(prose)
    return told or (plain and (titled or _has_headings(prose, named)))


def _is_lesson(prose: list[str]) -> bool:
    """Does it speak to a reader, of what may be or of what to do?"""
    rows = [row for row in prose if count_sentences(row)]
    sentences = [part for row in rows for part in split_sentences(row)]
    taught = sum(map(bool, map(_TAUGHT.search, sentences)))
    told = min(len(prose), len(sentences)) >= _MIN_TOLD
    return told and taught >= max(_MIN_TAUGHT, _TAUGHT_SHARE * len(sentences))


def _is_retrospect(prose: list[str]) -> bool:
    """Does it tell of a failure that is over?"""
    if any(map(_OPEN.search, prose)):
        return False
    solved = {found[0].lower() for row in prose for found in _SOLVED.finditer(row)}
    return len(prose) >= _MIN_TOLD and len(solved) >= _MIN_SOLVED


def _has_headings(prose: list[str], named: list[bool]) -> bool:
    """Are there headings of release notes or of a manual? Of each row, whether it is one."""
    headings = sum(named) + sum(
        bool(VERSION.match(row) and BULLET.match(below)) for row, below in pairwise(prose)
    )
    if not headings or (len(prose) < _MIN_ROWS and headings < len(prose)):
        return False
    head = zip(prose[:_HEAD_LINES], named, strict=False)
    return any(row.startswith("#") or VERSION.match(row) or told for row, told in head)


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
    over = _is_retrospect(rows)
    trouble = _TROUBLED_NOW if over else _TROUBLED
    told = [part for row, kind in prose if kind in "SO" for part in split_sentences(row)]
    if not headings and any(trouble.search(p) and not _CONDITION.search(p) for p in told):
        return True
    parts = [part for row in asked for part in split_sentences(row) if not _SUPPOSED.match(part)]
    return any(_PLEA.search(part) or (not over and _OWN.search(part)) for part in parts)
