"""The straight line: a log, its causes, this machine, the explanation."""

import math
import re
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import BinaryIO

from msgspec.structs import replace

from pipedoctor.check import shell
from pipedoctor.engine.catalogue import Catalogue, load_packs
from pipedoctor.engine.packs import find_packs
from pipedoctor.explanation.hung_places import doubt_verdict, list_unresponsive
from pipedoctor.explanation.local_facts import collect_sections, find_sections
from pipedoctor.explanation.local_verdict import (
    LocalVerdict,
    find_check,
    judge_causes,
    name_place,
)
from pipedoctor.explanation.logged_job import add_logged_job
from pipedoctor.explanation.missing_module import fill_hint
from pipedoctor.explanation.model import (
    Explanation,
    LoggedException,
    QuotedLine,
    RepeatedLine,
    SkippedSignature,
    SuspectedCause,
)
from pipedoctor.explanation.reasoning import Diagnosis, RankedCause, diagnose
from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.facts import Facts, Packages
from pipedoctor.facts.log import Log, Raised, Seen, TracebackFrame
from pipedoctor.log.launch_commands import is_plain_command
from pipedoctor.log.read import read_log
from pipedoctor.log.signatures import FailureMode, SignatureCatalogue
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

_STATE_ORDER = {"confirmed": 0, "unknown": 1, "ruled-out": 2}
_TIE_MARGIN = 3.0
"""Causes that are no further apart are told apart by this machine."""
_KERNEL_HINT = "CUDA_LAUNCH_BLOCKING=1 reports kernel errors at the line that launches the kernel"
_PATH_OR_LINE = re.compile(r"[/\\\s]")
_SMALL_NUMBER = re.compile(r"\d{0,3}(?:\.\d{1,3})?")
"""What is neither an address, nor anybody's account: no redaction changes it."""
_MARKED_HOME = re.compile(r"/(?:home|Users)/<user-\d{1,6}>(?=/)")
"""The home folder of a user whose name is hidden: its owner types it otherwise."""
_MARKED_MASTER = re.compile(
    r"(--(?:master[_-]addr|main_process_ip|rdzv[_-]endpoint)[= ])<(?:host|ip)-\d{1,6}>"
)
"""The first node in a command, whose name is hidden: launchers call it `MASTER_ADDR`."""
_NO_FRAME_HINT = "the log contains no line of your own code"

FactsLookup = Callable[[frozenset[str]], Facts]


def explain(
    file: BinaryIO,
    *,
    source: str = "",
    redactor: Redactor | None = None,
    facts: FactsLookup = collect_sections,
) -> Explanation:
    """Read the log and look at the machine; raises what reading the file raises."""
    book = load_signatures()
    log = read_log(file, book)
    return explain_log(log, book, source=source, redactor=redactor, facts=facts)


def explain_log(
    log: Log,
    signatures: SignatureCatalogue,
    *,
    source: str = "",
    redactor: Redactor | None = None,
    facts: FactsLookup = collect_sections,
    until: float = math.inf,
) -> Explanation:
    """
    Explain what stands in a log; `facts` looks at the sections it is asked for.

    They are redacted until then, on the monotonic clock.
    """
    redactor = redactor or Redactor(RedactionLevel.NOTHING)
    diagnosis = diagnose(log, signatures)
    if not diagnosis.causes:
        return _explain_unknown(log, diagnosis, signatures, source, redactor)
    failures = [signatures.failures[cause.cause] for cause in diagnosis.causes]
    named = (name for i in failures for name in (i.name, i.judged_by, *i.cured_by.values()))
    catalogue = load_packs(find_packs(), only={name.replace("-", "_") for name in named})
    log = replace(_redact_values(log, redactor), causes=tuple(c.cause for c in diagnosis.causes))
    sections = facts(_find_needed_sections(catalogue, failures))
    local_facts = redactor.redact_facts(add_logged_job(sections, log), until=until)
    hung = list_unresponsive(local_facts)
    checks = [find_check(catalogue, failure) for failure in failures]
    verdicts = judge_causes(catalogue, failures, local_facts, log)
    judged = map(doubt_verdict, verdicts, checks, repeat(hung))
    rows = sorted(zip(diagnosis.causes, failures, judged, strict=True), key=_sort_key)
    return Explanation(
        source=source,
        lines=log.lines,
        unread=log.unread,
        place=name_place(local_facts),
        log_place=log.place,
        unresponsive=hung,
        causes=_build_causes(rows, signatures, redactor),
        echoes=tuple(RepeatedLine(line=e.line, of=e.of) for e in diagnosis.echoes),
        left_out=_list_rejected(signatures, redactor),
    )


def _explain_unknown(
    log: Log, diagnosis: Diagnosis, signatures: SignatureCatalogue, source: str, redactor: Redactor
) -> Explanation:
    """A log in which nothing is known: its last exception."""
    return Explanation(
        source=source,
        lines=log.lines,
        log_place=log.place,
        not_environment=log.lines > 0 and not log.unread,
        unread=log.unread,
        fault=_build_exception(diagnosis, signatures, redactor, _redact_values(log, redactor)),
        left_out=_list_rejected(signatures, redactor),
    )


def _redact_values(log: Log, redactor: Redactor) -> Log:
    """What remedies take from the log: paths and lines, but no versions and sizes."""
    redactor.learn_log(log.name_lines)

    def hide(value: str, home: str = "~") -> str:
        hidden = _MARKED_MASTER.sub(r"\1$MASTER_ADDR", redactor.redact_text(value))
        return _MARKED_HOME.sub(lambda _: home, hidden)

    def hide_values(one: Seen) -> dict[str, str]:
        """Paths, lines, and what is hidden where its line is quoted: the name of a host, say."""
        if all(map(_SMALL_NUMBER.fullmatch, one.values.values())):
            return one.values
        quote = redactor.redact_text(one.text)
        return {
            name: hide(value)
            if _PATH_OR_LINE.search(value) or (value in one.text and value not in quote)
            else value
            for name, value in one.values.items()
        }

    seen = (replace(one, values=hide_values(one)) for one in log.seen)
    names = {
        name: hide(value, "$HOME") if " " in value else value for name, value in log.names.items()
    }
    file = names.get("importing_file", "")
    if file and redactor.redact_text(file) != file:  # whoever types it needs all of it
        del names["importing_file"]
    program = hide(names.pop("interpreter", ""))
    for name, value in log.names.items():  # a command with a mark in it cannot be typed
        if names.get(name, value) != value and not is_plain_command(names[name]):
            del names[name]
    names |= {"interpreter": program} if program and "<" not in program else {}
    return replace(log, seen=tuple(seen), names=names)


def _list_rejected(
    signatures: SignatureCatalogue, redactor: Redactor
) -> tuple[SkippedSignature, ...]:
    return tuple(
        SkippedSignature(
            name=redactor.redact_text(one.name), reason=redactor.redact_text(one.reason)
        )
        for one in signatures.unusable
    )


def _find_needed_sections(catalogue: Catalogue, failures: list[FailureMode]) -> frozenset[str]:
    checks = (find_check(catalogue, failure) for failure in failures)
    sections = find_sections(check for check in checks if check is not None)
    asks = any(failure.installed for failure in failures)
    return sections | {Packages.section} if asks else sections


def _sort_key(
    row: tuple[RankedCause, FailureMode, LocalVerdict],
) -> tuple[float, int, float]:
    cause, _, opinion = row
    return (-(cause.score // _TIE_MARGIN), _STATE_ORDER[opinion.here], -cause.score)


def _build_causes(
    rows: Sequence[tuple[RankedCause, FailureMode, LocalVerdict]],
    signatures: SignatureCatalogue,
    redactor: Redactor,
) -> tuple[SuspectedCause, ...]:
    ranked = enumerate(rows, 1)
    return tuple(_build_cause(rank, *row, signatures, redactor) for rank, row in ranked)


def _build_cause(
    rank: int,
    cause: RankedCause,
    failure: FailureMode,
    verdict: LocalVerdict,
    signatures: SignatureCatalogue,
    redactor: Redactor,
) -> SuspectedCause:
    quoted = () if cause.by_words else cause.lines
    versions = (signatures.rules[s.signature].signature.versions for s in quoted)
    return SuspectedCause(
        rank=rank,
        cause=cause.cause,
        name=failure.name,
        by_words=cause.by_words,
        confidence=cause.confidence.name.lower(),  # type: ignore[arg-type]
        summary=failure.why,
        lines=tuple(
            QuotedLine(
                number=seen.line,
                text=redactor.redact_text(seen.text),
                rank=_format_rank(seen),
            )
            for seen in cause.lines
        ),
        here=verdict.here,
        why_here=verdict.why,
        remedies=verdict.remedies,
        assumed=verdict.assumed,
        decide=_format_command(failure.decide),
        versions=tuple(dict.fromkeys(v for v in versions if v)),
        sources=verdict.sources,
    )


def _build_exception(
    diagnosis: Diagnosis, signatures: SignatureCatalogue, redactor: Redactor, log: Log
) -> LoggedException | None:
    raised = diagnosis.raised
    exception = diagnosis.own_bug[0] if diagnosis.own_bug else None
    if raised is None and exception is None:
        return None
    rules = (signatures.rules[seen.signature].signature for seen in diagnosis.own_bug)
    hints = (rule.hint for rule in sorted(rules, key=lambda rule: -rule.strength))
    hint_text = next((hint for hint in hints if hint), "")
    hint_text = fill_hint(hint_text, log)
    if raised is None:
        assert exception is not None  # noqa: S101  (one of the two is there)
        text = redactor.redact_text(exception.text)
        hint = hint_text or _suggest_location(exception.text, None)
        return LoggedException(kind="", message=text, number=exception.line, hint=hint)
    own = raised.own
    return LoggedException(
        kind=raised.kind,
        message=redactor.redact_text(raised.message),
        number=raised.line,
        path=redactor.redact_text(own.path) if own else "",
        line=own.line if own else 0,
        function=own.function if own else "",
        rank=_format_rank(raised),
        hint=hint_text or redactor.redact_text(_suggest_location(raised.message, own)),
    )


def _format_command(argv: tuple[str, ...]) -> str:
    """What somebody types: what is for a shell needs no shell around it."""
    return argv[2] if argv[:2] == ("bash", "-c") else shell(argv)


def _format_rank(match: Seen | Raised) -> str:
    """A rank or a process; names of nodes stay in the log."""
    return match.rank if match.rank.removeprefix("pid=").isdecimal() else ""


def _suggest_location(message: str, own: TracebackFrame | None) -> str:
    """Where to look, as far as the log shows it."""
    if "CUDA error" in message or "CUDA kernel errors" in message:
        return _KERNEL_HINT
    if own is None or not own.line:
        return _NO_FRAME_HINT
    inside = f", in {own.function}" if own.function else ""
    return f"the last line of your own code is line {own.line} of {own.path}{inside}"
