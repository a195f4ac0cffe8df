"""Conversations, such as chats and issues, that say at their end that all is well."""

from collections.abc import Iterator

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.sentences import classify_rows, is_program_report

_SPEAKER = compile_lazily(
    r"^(?:\[?(?:\d[\d.,/ -]{4,11} )?\d\d?:\d\d(?::\d\d)?(?: ?[AP]M)?\]? ?)?"
    r"(?:<?@?(?P<who>[^\W\d_]\w{1,20})>?(?: \d\d?:\d\d)?"
    r"(?::|>) )(?=\S)"
    r"|^\{?.{0,40}\"(?:user|author|from)\": ?\"(?P<user>[^\"]{1,40})\""
    r"|^\*\*(?P<bold>\w[\w-]{1,30})\*\* (?:opened|commented|closed|added|reopened)\b"
    r"|^(?P<stamp>[A-Za-z][\w-]{1,20}(?: [A-Z]\w{0,20}\.?)?) {1,3}"
    r"(?:\d\d?:\d\d(?:$| )|[—-] .{0,12}\d\d?:\d\d|[—-] (?:[A-Z][a-z]{2,8} \d{1,2}|\d+ \w+ ago)\b)"
    r"|^(?P<reply>(?i:(?:accepted )?answer|comment|reply))\b.{0,60}$"
    r"|^(?P<alone>[a-z][\w-]{2,20})$"
    r"|^(?P<quote>>) ?\S|^@(?P<at>\w{2,30})\b|^On .{5,80} (?P<mail>\S{1,40}) wrote:$"
)
_LEVELS = {"info", "warning", "warn", "error", "debug", "note", "notice", "critical", "fatal"}
_SOLVED = compile_lazily(
    r"(?i)\b(?:that|this|it|which|`[^`]{1,80}`) (?:\w{1,12} )?(?:fixed|solved|resolved|cured|did)"
    r"(?: it| the| my| this| that|\b)"
    r"|\b(?:fixed|solved|cured) (?:it|that|this)\b"
    r"|\b(?:that|this) was (?:it|the (?:problem|cause|reason))\b|\bworks? (?:again|now)\b"
    r"|\b(?:solved|fixed|resolved) (?:it|this|the (?:issue|problem))? ?for me\b"
    r"|\b(?:problem|issue|it)(?:'s| is| was) (?:solved|fixed|resolved|gone)\b"
    r"|\bclosing (?:this|the)\b|\bclosed this as completed\b|\bset to \W?resolved\b"
    r"|\b(?:run|ran|runs|running|train\w{0,3}) (?:\w{1,12} ){0,2}(?:smoothly|fine|again|since)\b"
    r"|^\W{0,4}(?:\w{1,20}: )?(?:solved|fixed|resolved)\b|\bwork(?:s|ed) like a charm\b"
    r"|\b(?:solved|fixed|cured|resolved) (?:the|my|our) (?:problem|issue|error|crash|hang)\b"
    r"|\bno (?:\w{2,20} )?(?:oom|crash|hang|error|problem|issue)s? (?:any ?more|since)\b"
    r"|\b(?:connected|running|works?|training|trains|up|fine) (?:\w{1,12} )?(?:now|again)\b"
    r"|\bmarked as (?:the )?(?:solution|answer)\b|解决了|搞定了|可以了"
    r"|\bl(?:ä|ae)uft (?:\w+ ){0,2}(?:jetzt|wieder|nun|durch)\b|:tada:|[🎉👍✅🙏]|\bgood to hear\b"
    r"|^\W{0,4}(?:\w{1,20}: )?thank(?:s| you)\b(?!,? in advance)"
    r"|(?-i:\bRESOLVED\b)|\b(?:has|have) been (?:training|running)\b"
    r"|\bgreen (?:for|since|again|now)\b|\bno complaints\b|\bback to normal\b"
    r"|\ball (?:good|fine|well|green)\b|\ba repris\b|\brésolu\b|\bgone since\b"
    r"|\b(?:geht|klappt) (?:jetzt|wieder|nun)\b"
)
_NOT_SOLVED = compile_lazily(
    r"(?i)\b(?:but|still|however|except|only|not|n't|unless|until|again and again|any idea|help)\b"
    r"|\bwill (?:try|check|see)\b|\bi'll (?:try|check|see)\b|\blet me\b"
    r"|\?|num_workers ?= ?0|\bwith(?:out)?\b.{0,40}\b0 workers"
)
_FAILS = compile_lazily(
    r"(?i)oom|\bkilled (?!it|them|that)|error|crash|hang|out of memory|fails?\b|\bdie[sd]?\b|stuck"
)
_CLOSED = compile_lazily(
    r"(?i)\bclos(?:ing|ed)(?: (?:this(?: issue)?|the issue|it)| as (?:solved|resolved))?\b\W*$"
    r"|(?i:\bfree to close\b|\bje ferme le ticket\b)"
)
_DONE = compile_lazily(
    r"(?i)(?:status|resolution): (?:closed|done|fixed|resolved)\W*$"
    r"|\[(?:solved|resolved|fixed|closed)\]|edit: (?:solved|resolved|fixed)\b"
)
"""The field of a ticket, and what its author writes above it."""
_TITLE = compile_lazily(r"\"[^\"]{1,120}\"|`[^`]{1,120}`|«[^»]{1,120}»")
"""Of a ticket: what it asked when it was opened."""
_LAST_SPEECH = 4
"""Lines at the end of a conversation in which it is solved."""


def find_solution(filled: list[tuple[int, str]]) -> int:
    """The line in which a conversation says at its end that all is well; 0: none does."""
    end = _find_good_end(filled)
    if not end or any(_CLOSED.search(row) for _, row in filled[-_LAST_SPEECH:]):
        return end
    return end if _is_conversation([row for _, row in filled]) else 0


def find_closed(rows: list[str]) -> Iterator[int]:
    """All of a ticket but for lines of a program, if a field of it says that it is closed."""
    if any(map(_DONE.match, rows)):
        kinds = enumerate(classify_rows(rows), 1)
        yield from (number for number, kind in kinds if kind not in " P")


def _find_good_end(filled: list[tuple[int, str]]) -> int:
    """Where its last lines say that all is well; 0: they do not."""
    if filled and is_program_report(filled[-1][1]):
        return 0
    for number, row in reversed(filled[-_LAST_SPEECH:]):
        if _NOT_SOLVED.search(_TITLE.sub("", row)):
            return 0
        if _SOLVED.search(row):
            rest = _SOLVED.sub("", _TITLE.sub("", row))
            return 0 if _FAILS.search(rest) else number
    return 0


def _is_conversation(rows: list[str]) -> bool:
    """Do two speak, or is somebody answered?"""
    names: set[str] = set()
    quoted = False
    for row in rows:
        found = _SPEAKER.match(row)
        name = (found[found.lastgroup or 0] if found else "").lower()
        quoted = (
            quoted
            or name in {">", "comment", "answer", "reply", "subject", "betreff"}
            or bool(found and (found["at"] or found["reply"]))
        )
        program = name in _LEVELS or name.endswith(("error", "exception", "warning"))
        names.add("" if program else name)
    return quoted or len(names - {"", ">"}) > 1
