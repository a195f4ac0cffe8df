"""The straight line: a log, its causes, this machine, the explanation."""

from collections.abc import Callable
from typing import BinaryIO

from msgspec.structs import replace

from pipedoctor.catalogue import Catalogue, gather
from pipedoctor.explanation.book import installed_book
from pipedoctor.explanation.here import Opinion, check_of, opinions, place
from pipedoctor.explanation.machine import look, sections
from pipedoctor.explanation.model import (
    Explanation,
    Fault,
    LeftOut,
    Quote,
    Repeat,
    Suspect,
)
from pipedoctor.explanation.reason import Cause, Diagnosis, diagnose
from pipedoctor.facts import Facts, Packages
from pipedoctor.facts.log import Frame, Log, Raised, Seen
from pipedoctor.log.read import read
from pipedoctor.log.signatures import Book, Illness
from pipedoctor.packs import installed_packs
from pipedoctor.redact import Level, Redactor
from pipedoctor.remedy import shell

_ORDER = {"confirmed": 0, "unknown": 1, "ruled-out": 2}
_TIE = 3.0
"""Causes that are no further apart are told apart by this machine."""
_KERNELS = (
    "CUDA_LAUNCH_BLOCKING=1 makes errors of kernels appear in the line that starts them"
)
_NO_FRAME = "the log shows no line of your own code"

Look = Callable[[frozenset[str]], Facts]


def explain(
    file: BinaryIO,
    *,
    source: str = "",
    redactor: Redactor | None = None,
    facts: Look = look,
) -> Explanation:
    """Read the log and look at the machine; raises what reading the file raises."""
    book = installed_book()
    log = read(file, book)
    return explained(log, book, source=source, redactor=redactor, facts=facts)


def explained(
    log: Log,
    book: Book,
    *,
    source: str = "",
    redactor: Redactor | None = None,
    facts: Look = look,
) -> Explanation:
    """Explain what stands in a log; `facts` looks at the sections it is asked for."""
    redactor = redactor or Redactor(Level.NOTHING)
    diagnosis = diagnose(log, book)
    if not diagnosis.causes:
        return Explanation(
            source=source,
            lines=log.lines,
            not_environment=log.lines > 0,
            fault=_fault(diagnosis, book, redactor),
            left_out=_left_out(book, redactor),
        )
    illnesses = [book.illnesses[cause.cause] for cause in diagnosis.causes]
    modules = {i.cause for i in illnesses} | {
        i.judged_by.replace("-", "_") for i in illnesses
    }
    catalogue = gather(installed_packs(), only=modules)
    log = replace(log, causes=tuple(cause.cause for cause in diagnosis.causes))
    known = redactor.facts(facts(_wanted(catalogue, illnesses)))
    judged = opinions(catalogue, illnesses, known, log)
    rows = sorted(
        zip(diagnosis.causes, illnesses, judged, strict=True), key=_by_text_then_here
    )
    return Explanation(
        source=source,
        lines=log.lines,
        place=place(known),
        causes=tuple(
            _suspect(rank, *row, book, redactor) for rank, row in enumerate(rows, 1)
        ),
        echoes=tuple(Repeat(line=e.line, of=e.of) for e in diagnosis.echoes),
        left_out=_left_out(book, redactor),
    )


def _left_out(book: Book, redactor: Redactor) -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(name=redactor.text(one.name), reason=redactor.text(one.reason))
        for one in book.spoilt
    )


def _wanted(catalogue: Catalogue, illnesses: list[Illness]) -> frozenset[str]:
    checks = (check_of(catalogue, illness) for illness in illnesses)
    wanted = sections(check for check in checks if check is not None)
    asks = any(illness.installed for illness in illnesses)
    return wanted | {Packages.section} if asks else wanted


def _by_text_then_here(row: tuple[Cause, Illness, Opinion]) -> tuple[float, int, float]:
    cause, _, opinion = row
    return (-(cause.score // _TIE), _ORDER[opinion.here], -cause.score)


def _suspect(
    rank: int,
    cause: Cause,
    illness: Illness,
    opinion: Opinion,
    book: Book,
    redactor: Redactor,
) -> Suspect:
    told = () if cause.by_words else cause.lines
    versions = (book.rules[s.signature].signature.versions for s in told)
    return Suspect(
        rank=rank,
        cause=cause.cause,
        name=illness.name,
        by_words=cause.by_words,
        confidence=cause.confidence.name.lower(),  # type: ignore[arg-type]
        summary=illness.why,
        lines=tuple(
            Quote(number=seen.line, text=redactor.text(seen.text), rank=_rank(seen))
            for seen in cause.lines
        ),
        here=opinion.here,
        why_here=opinion.why,
        remedies=opinion.remedies,
        decide=_line(illness.decide),
        versions=tuple(dict.fromkeys(v for v in versions if v)),
        sources=opinion.sources,
    )


def _fault(diagnosis: Diagnosis, book: Book, redactor: Redactor) -> Fault | None:
    raised = diagnosis.raised
    said = diagnosis.own_bug[0] if diagnosis.own_bug else None
    if raised is None and said is None:
        return None
    hints = (book.rules[s.signature].signature.hint for s in diagnosis.own_bug)
    known = next((hint for hint in hints if hint), "")
    if raised is None:
        assert said is not None  # noqa: S101  (one of the two is there)
        text = redactor.text(said.text)
        hint = known or _hint(said.text, None)
        return Fault(kind="", message=text, number=said.line, hint=hint)
    own = raised.own
    return Fault(
        kind=raised.kind,
        message=redactor.text(raised.message),
        number=raised.line,
        path=redactor.text(own.path) if own else "",
        line=own.line if own else 0,
        function=own.function if own else "",
        rank=_rank(raised),
        hint=known or redactor.text(_hint(raised.message, own)),
    )


def _line(argv: tuple[str, ...]) -> str:
    """What somebody types: what is for a shell needs no shell around it."""
    return argv[2] if argv[:2] == ("bash", "-c") else shell(argv)


def _rank(seen: Seen | Raised) -> str:
    """A rank or a process; names of nodes stay in the log."""
    return seen.rank if seen.rank.removeprefix("pid=").isdecimal() else ""


def _hint(message: str, own: Frame | None) -> str:
    """Where to look, as far as the log shows it."""
    if "CUDA" in message:
        return _KERNELS
    if own is None or not own.line:
        return _NO_FRAME
    inside = f", in {own.function}" if own.function else ""
    return f"your own code was last in line {own.line} of {own.path}{inside}"
