"""Does the job of a log go on, or end well, behind everything that it complains of?"""

from functools import lru_cache

from pipedoctor.facts.log import Log, Raised, Seen
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.log.signatures import Signature, SignatureRole

TAIL_BYTES = 8 << 10
"""Bytes at the end of a log in which its last progress is looked for."""
FAILURE_WORDS = (
    r"err(?:or|no)?s?|fail\w*|exception|traceback|fatal|panic|abort\w*|crash\w*|died|dead"
    r"|segmentation|core dumped|corrupt\w*|broken|denied|refused|reject\w*|not found|no such"
    r"|unable|can(?:not|'t|not be)|could(?: not|n't)|won't|unavailable|timed? ?out|out of"
    r"|exceed\w*|exhaust\w*|no space|unsupported|incompatib\w*|mismatch\w*"
)
COMPLAINT_WORDS = (
    r"hung|stuck|freez\w*|frozen|froze|stall\w*|slow\w*|(?<!%)idle|wait(?:s|ing)?(?! for [\w.-]+$)"
    r"|starv\w*|throttl\w*|leak\w*|grow\w*|wrong|differ\w*|identical|duplicate\w*|same"
)
_FAILURE = compile_lazily(
    rf"(?i)\b(?:{FAILURE_WORDS}|kill(?:ed)?|interrupted|cancell?ed|terminated"
    r"|exit(?:ed)?(?: with)?(?: code| status)? [1-9]\d*)\b(?!\.[a-z])"
    r"|[a-z](?:Error|Exception)\b|\bnan\b"
)
"""What a line says after which a job has not ended well."""
COMPLAINT = compile_lazily(
    rf"(?i)\b(?:{COMPLAINT_WORDS}|hangs?|hanging|deadlock\w*)\b"
    r"|\b(?:gpu|util\w{0,10})\b.{0,40}\b0 ?%|\b0% +Default"
)
"""What is said of a job that goes on, and badly."""
_LEVEL = "WARN(?:ING)?|INFO|DEBUG|NOTICE|notice"
_HANDLED = (
    r"^\W{0,6}skip \S+: "
    r"|\b(?:skip(?:ping|ped)|ignoring|(?<!columns have been )ignored|halving|backing off"
    r"|remount(?:ing|ed)|resolved"
    r"|recovered|reconnect(?:ing|ed)|resum(?:ing|ed)|retr(?:y(?:ing| loop| \d+ in)|ied)"
    r"|re-?open(?:ing|ed)|respawn(?:ing|ed)|relaunch(?:ing|ed)|fall(?:ing|s)? ?back (?:to|on))\b"
    r"|\bwebdataset/handlers\.py:\d+: UserWarning: "
    r"|[,;(:] (?:now )?restart(?:ing|ed)\b|\brestarting (?:it|worker \d)|\bcaught(?:[,;)]| and\b)"
    r"|\b(?:decreas|lower|reduc|dropp)ing (?:the )?(?:it|batch[ _-]?size)? ?to \d|\binfeasible\b"
    r"|\b(?:(?:down|up)load|fetch|read|copy|connect|send)ing (?:it )?again\b"
    r"|[,;] sleeping \d|[,;] trying (?!to\b)\w|\b(?:and|then) trying again\b"
    r"|\busing (?:the |a |an )?(?:latest |last )?(?:cached|local|previous|older)\b"
    r"|(?<!try )(?<!by )(?<!consider )\breducing (?:the )?batch|\btry(?:ing)? \d+ \w+: "
    r"|\b(?:run|trial) \S{1,20} (?:errored|failed|pruned)\b"
    r"|\battempt \d+(?:/| of )\w|\b(?:using|continuing) .{0,60}\b(?:instead|without)\b"
    r"|thrown while requesting |\bcannot happen\b|\bto (?:avoid|prevent) \""
    r"|\bexpected(?: failure|:|\))|\.\.\. ok$|^\W{0,8}pass(?:ed)?\b|\bpassed(?: +\[|\b.{0,20}$)"
)
"""What is done instead, or was meant to happen."""
_LEFT_OUT = compile_lazily(
    r"(?i)\b(?:samples?|images?|files?|records?|rows?|shards?|batch(?:es)?|it|them)\b.{0,20}"
    r"\b(?:skipped|ignored|dropped|left out)\b"
    r"|\b(?:skipp|ignor|dropp)ing (?:it|them|this|the|corrupt|bad|broken|truncated|samples?"
    r"|images?|files?|records?|batch)\b"
    r"|\b(?:retrying|re-?opening|respawning|reconnecting)\b"
)
"""What a job does without, and goes on."""
_MINOR = compile_lazily(
    rf"^\W{{0,3}}(?:\w[\w.]{{0,30}}[:)] )?(?:{_LEVEL}|NOTE|[Ww]arning|info|note)(?:\]|:|\s+[-|:\[])"
    rf"|^(?:{_LEVEL})\s+[\w.]{{1,40}}: |[\[|:] ?(?:{_LEVEL})[\]|]|\s[-:|]\s?(?:{_LEVEL})\s"
    r"|\[[WI] ?\d{0,4}\b.{0,40}\w\.(?:cpp|cc|cu|h):\d|^[WI]\d{4} \d\d:"
    rf"|^\S{{6,10}} \d\d:\d\d:\d\d(?:[.,]\d{{1,9}})? (?:{_LEVEL}) "
    r"|^\[(?:\w{1,10} )?[WI] \d{4}-\d\d-\d\d "
    r"|^\S{1,80} \[\d{1,3}\] NCCL INFO |^[IW]\d{4} .{0,60}\.(?:cc|py):\d{1,5}\]"
    r"|^ {0,4}Warning +Failed\w{3,30} +(?:\d+[smhd]|<)|^(?:\d+[dhms]){1,3} +Warning +Failed\w"
    r"|^(?:huggingface/tokenizers|libpng warning): |(?:^|: )[WI] (?:external|tensorflow|tsl)/"
    r"|Warning: resource_tracker: |^Corrupt JPEG data: \d+ extraneous"
    rf"|(?i:{_HANDLED})"
)
"""Lines that call themselves a warning, or say what is done instead."""
_NONE_FAILED = compile_lazily(
    rf"(?i)\b(?:0|no|zero|none|nothing)(?: \w+)? (?:{FAILURE_WORDS})\b(?! or\b)"
    r"|\bsuccessfully (?:terminated|aborted|killed)\b"
    rf"|\b(?:{FAILURE_WORDS})(?: {{0,20}}[=:] {{0,20}}|, )0\b|\bexpected failures?\b"
)
"""Failures that did not happen, in a summary."""
_WORK = compile_lazily(
    r"(?i)\b(?:[1-9]\d?|100)%\||\bepoch \d{1,6}: \d{1,3} ?%"
    r"|\d ?(?:it/s|s/it|(?:examples|samples|tok(?:ens)?|img|images)/s(?:ec)?)\b"
    r"|\b(?:\w{1,20}_)?(?:loss|acc(?:uracy)?|acc@\d|dice|m?ap|bleu|wer|ppl|iou)\b\W{0,3}\d"
    r"|\b(?:done|finished|completed?|successful(?:ly)?|succeeded|saved|saving|synced|passed"
    r"|uploaded|written|stopped: `?max)\b|^ok\b|\bOK$|^\W{0,3}writing\b"
)
"""Lines of a job that does its work, or has done it."""
_COMPLETE = compile_lazily(
    r"^Transferred: .{0,60}\b(\d+) / \1, 100%"
    r"|\b([1-9]\d*) (?:of|/) \2 (?:files?|shards?|objects?|parts?|chunks?|samples?)\b"
    r"(?! .{0,20}(?:left|missing|fail))"
    r"|\b[1-9]\d* (?:ok|good|valid|kept|passed|(?!fail|kill|crash)[a-z]{3,10}ed)\b.{0,20}, \d+ "
    r"(?:quarantined|skipped|removed|dropped|repaired|replaced|moved|unreadable|corrupt|broken)\b"
    r"|(?i:\ball (?:\d+ )?(?:files|shards|objects|parts|downloads|uploads|transfers)\b.{0,40}"
    r"\b(?:done|ok|present|complete\w*|verified|transferred|downloaded|uploaded|copied)\b)"
    r"|(?i:\b(?:down|up)load(?:ed)?\b.{0,60}[, ]0 (?:failed|errors))"
)
"""What a transfer says whose every part has arrived, however often it was tried."""
_LOGGED = compile_lazily(
    r"^\W?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\S{0,12} {1,3}"
    r"(?:[\w.]{1,40}: ?|[-|] ?|\[[\w.]{1,40}\] ?)?"
    r"\W?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL)\b"
)
_FINISHED_WORDS = (
    r"(?i)\b(?:finished|all done|(?:training|job|run|fit) (?:is )?(?:complete[d]?|done)"
    r"|exit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,3}0)\b|: done\W{0,2}$"
)
_FINISHED = compile_lazily(_FINISHED_WORDS)
"""What a job logs when it is through."""
_THROUGH = compile_lazily(
    rf"{_FINISHED_WORDS}|(?i:^\W{{0,4}}(?:done|finished|completed)\b)"
    r"|(?i:\bbest\b\W{0,2}(?:\w{1,20} ){0,2}(?:is|was|[:=])? ?\d)|\bstopped: `?max_|\(success\)"
    r"|(?i:^\W{0,4}(?:evaluated|processed|converted|generated|exported|wrote) \d)"
    r"|(?i:\d epochs? completed\b)"
    r"|(?i:^\W{0,4}(?:test|final) (?:acc\w*|loss|score|map|miou|f1)\b)"
    r"|(?i:\bepochs?:? \[?(\d{1,6})/\1\b.{0,20}100%)"
    r"|(?i:\b(?:total|overall) (?:training )?time\b|\b(?:model|weights|results?) (?:were |was )?"
    r"(?:saved|written|exported)\b|\[100%\] Built target\b|^Successfully \w"
    r"|\bis a success\b|\bsaved (?:the |final |best )?(?:model|weights|results?)\b)"
)
"""The same, of a job without a logger."""
PYTHON_WARNING = compile_lazily(r"(?:^|[:\s])[A-Z]\w{2,40}Warning: ")
_LAST_ROWS = 4
"""Rows at the end of a log in which a job says that it is through."""
_COUNT = compile_lazily(
    r"(?i)\b(?:epochs?|steps?|iter(?:ation)?s?|batch|global_step|it)\b[\s\[(:=#]{0,4}0{0,4}[1-9]"
)
"""Lines of a job that counts what it does."""
_PART = compile_lazily(r"(?<![\d/.])\d{1,9} ?/ ?[1-9]\d{0,8}(?![\d/.])")
"""A part of so many."""
_HYPOTHETICAL = compile_lazily(
    r"(?i)\b(?:can|could|may|might) (?:\w{1,20} )?(?:cause|lead|result|hang)\b"
)
"""Of warnings: what might happen."""
_ENDING = compile_lazily(
    r"\b(?:ERROR|FATAL|CRITICAL)\b"
    r"|(?i:\b(?:training|job|run|main|program|script)\b.{0,20}\b(?:fail|abort|stop|crash)\w*)"
)
"""Of what ends a program, as it seems."""
_STOP = compile_lazily(r"(?i)\b(?:hang|freeze|deadlock|crash)")


@lru_cache(maxsize=64)
def is_handled(line: str) -> bool:
    """Does the line say that the job goes on without a part of the data, or tries again?"""
    return bool(_LEFT_OUT.search(line))


@lru_cache(maxsize=64)
def is_minor(line: str) -> bool:
    """Does the line call itself a warning, or a matter of which the job takes care?"""
    return bool(_MINOR.search(line))


_SETTLED = compile_lazily(r"(?i)\b(?:retr(?:ying|ied)|resolved|recovered|attempt \d+(?:/| of )\w)")
"""Of what is slow or wrong in a job that lives on: that it is over."""


def counts_work(row: str) -> bool:
    """Does a row say that a part of the work is done?"""
    counts = _COUNT.search(row) or _PART.search(row)
    return bool(_WORK.search(row) or (counts and not COMPLAINT.search(row)))


def tells_failure(row: str) -> bool:
    """Does a row say that something has failed or stands still, other than in a warning?"""
    return not is_minor(row) and (_fails(row) or bool(COMPLAINT.search(row)))


@lru_cache(maxsize=64)
def _fails(row: str) -> bool:
    """Does it say that something has failed?"""
    return bool(_FAILURE.search(drop_counts_of_none(row)))


def drop_counts_of_none(line: str) -> str:
    """The line without ``0 failed`` and ``errors: 0``."""
    return _NONE_FAILED.sub("", line)


def split_tail(tail: bytes) -> list[str]:
    """The rows at the end of a log; the first may be cut."""
    return tail[-TAIL_BYTES:].decode(errors="replace").rstrip("\n").split("\n")


def find_last_progress(tail: bytes, lines: int) -> int:
    """
    The number of the last line in which the job works, in a log of so many lines.

    0: there is none, or something has failed in a line behind it, or in it.
    """
    return _find_progress(split_tail(tail), lines)


def _find_progress(rows: list[str], lines: int) -> int:
    for back, row in enumerate(reversed(rows)):
        minor = is_minor(row)
        if not minor and _fails(row):
            return 0
        if _WORK.search(row):
            return lines - back
        if not minor and COMPLAINT.search(row):
            return 0
        if _COUNT.search(row):
            return lines - back
    return 0


def find_last_lines(tail: bytes, lines: int) -> dict[str, int]:
    """The fields of a `Log` that say in which line it works, is complete, or ends; 0: in none."""
    rows = split_tail(tail)
    return {
        "progress_line": _find_progress(rows, lines),
        "complete_line": _find_completion(rows, lines),
        "end_line": _find_logged_end(rows, lines),
        "done_line": _find_end(rows, lines),
    }


def is_logged(line: str) -> bool:
    """Does the line have the time and the level of a logger?"""
    return bool(_LOGGED.match(line))


def _find_completion(rows: list[str], lines: int) -> int:
    """The last line that says that every part of a transfer arrived; 0: a failure is behind it."""
    for back, row in enumerate(reversed(rows)):
        if _COMPLETE.search(row):
            return lines - back
        if not is_minor(row) and _fails(row):
            return 0
    return 0


def _find_logged_end(rows: list[str], lines: int) -> int:
    """The last line, if a logger says in it that the job is through; 0: it does not."""
    last = rows[-1]
    ended = is_logged(last) and _FINISHED.search(last) and not _FAILURE.search(last)
    return lines if ended else 0


def _find_end(rows: list[str], lines: int) -> int:
    """One of the last lines, in which a job says that it is through; 0: none, or one failed."""
    rows = rows[-_LAST_ROWS:]
    plain = (row for row in rows if not (is_minor(row) or PYTHON_WARNING.search(row)))
    if any(map(_fails, plain)):
        return 0
    through = (lines - back for back, row in enumerate(reversed(rows)) if _THROUGH.search(row))
    return next(through, 0)


def is_failure(seen: Seen, signature: Signature) -> bool:
    """Does it tell of what ends a job, and not of what somebody is only warned of?"""
    return signature.role is SignatureRole.ERROR and not (seen.minor or seen.warned)


def is_refuted(seen: Seen, signature: Signature, progress_line: int) -> bool:
    """
    Does the job go on behind a warning of what would have ended it, or might happen?

    `progress_line` is the last line in which it works; 0: none.
    """
    if seen.line >= progress_line:
        return False
    if seen.minor and _SETTLED.search(seen.text):
        return True
    silent = signature.role is SignatureRole.SILENT
    lives = silent or signature.role is SignatureRole.WARNING
    stops = silent and _STOP.search(seen.text)  # a job that goes on has not stopped
    supposed = bool((seen.minor or stops) and _HYPOTHETICAL.search(seen.text))
    return signature.passing or supposed or (seen.minor and not lives)


def is_over(failure: Seen | Raised, log: Log) -> bool:
    """Does its rank go on behind it with the same work, or, of what it only prints, with any?"""
    ending = isinstance(failure, Raised) or _ENDING.search(failure.text)
    raised = (one.line for one in log.raised if "Warning" not in one.kind)
    ends = ending or failure.line in raised
    return any(
        failure.line < span.last
        and failure.rank in {"", span.rank}
        and (not ends or span.first < failure.line)
        for span in log.work_spans
    )


def is_survived(seen: Seen, signature: Signature, log: Log) -> bool:
    """Is a transfer complete behind it, or does its job say later that it is through?"""
    mild = seen.minor or seen.warned or signature.role is SignatureRole.WARNING
    ended = log.done_line if mild else log.end_line if seen.logged else 0
    return seen.line < max(ended, log.complete_line)
