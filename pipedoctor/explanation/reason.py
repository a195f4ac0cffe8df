"""Reason about a log: causes against echoes, warnings, red herrings and own bugs."""

import re
from collections.abc import Iterable, Mapping

import msgspec

from pipedoctor.check import Confidence
from pipedoctor.explanation.across import across
from pipedoctor.explanation.likeness import OWN_BUG, alike, installed_vocabulary
from pipedoctor.facts.log import Log, Raised, Seen
from pipedoctor.log.signatures import Book, Role, Signature

MOST = 5
"""Causes that are named."""
LEAST = 40
"""Strength below which a cause is not named."""
CERTAIN, LIKELY = 88, 70
CLOSE = 6
"""Causes that are no further apart leave a doubt."""
_FAR = 35
"""Causes that are so much weaker than the strongest are not worth a look."""
_YIELDS = 50
"""What a warning is worth beside something that ended the job."""
_WHISPERS = 30
"""What a reading is worth beside something that was raised."""
_WARNS = re.compile(r"Warning: |\(Triggered internally at ")
"""How warnings of Python begin, and those of torch end."""
_GUESS = 4
"""How far apart guesses are: too far for the machine to turn them round."""
_FATAL = 70
_BELOW = 25
"""How much weaker than its consequence a cause may be and still explain it."""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """What may have gone wrong, how surely, and the lines that say so."""

    cause: str
    score: float
    confidence: Confidence
    lines: tuple[Seen, ...]
    by_words: bool = False
    """Is it only what the words of the log are about?"""


class Echo(msgspec.Struct, frozen=True):
    """A line that only repeats what another cause did."""

    line: int
    of: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says, before anybody looks at a machine."""

    causes: tuple[Cause, ...] = ()
    echoes: tuple[Echo, ...] = ()
    own_bug: tuple[Seen, ...] = ()
    """Lines that say that the code is at fault."""
    raised: Raised | None = None
    """The exception that counts, where no cause was found."""


class _Voice(msgspec.Struct, frozen=True):
    """A sighting, and what it is worth beside the others."""

    seen: Seen
    signature: Signature
    worth: float


def diagnose(log: Log, book: Book) -> Diagnosis:
    """Rank the causes by the text alone; the order is total."""
    valid = _valid(log, book)
    voices = _weighed(valid, log, book)
    scores = {cause: _score(group) for cause, group in voices.items()}
    scores = {cause: score for cause, score in scores.items() if score >= LEAST}
    folded = _folded(scores, book)
    standing = [cause for cause in scores if cause not in folded]
    ranks = {_first(voices[cause]).rank for cause in standing} - {""}
    standing.sort(key=lambda c: _order(c, scores[c], voices[c], many=len(ranks) > 1))
    bug = OWN_BUG in standing and _code_is_to_blame(standing, scores)
    if bug or _unexplained(standing, voices, log):
        lines = tuple(v.seen for v in voices.get(OWN_BUG, ()) if v.worth > 0)
        return Diagnosis(own_bug=lines, raised=_culprit(log, lines))
    best = max((scores[cause] for cause in standing), default=0.0)
    named = [c for c in standing if c != OWN_BUG and scores[c] > best - _FAR][:MOST]
    causes = tuple(_cause(c, scores, voices[c], named) for c in named)
    first = causes[0].cause if causes else ""
    raised = None if causes else _culprit(log, ())
    if not causes and raised is None and log.brief:
        return Diagnosis(causes=tuple(_by_words(log, book)))
    return Diagnosis(
        causes=causes, echoes=tuple(_echoes(valid, folded, first)), raised=raised
    )


def _by_words(log: Log, book: Book) -> Iterable[Cause]:
    """Where nothing is known and nothing raised: what the words are about."""
    found = alike(log.brief, installed_vocabulary())
    for place, one in enumerate(one for one in found if one.cause in book.illnesses):
        yield Cause(
            cause=one.cause,
            score=LEAST + _GUESS * (MOST - place),
            confidence=Confidence.POSSIBLE,
            lines=tuple(
                Seen(signature=one.cause, line=n, text=t) for n, t in one.lines
            ),
            by_words=True,
        )


def _valid(log: Log, book: Book) -> list[tuple[Seen, Signature]]:
    """Sightings whose conditions hold in this log."""
    keys = {seen.signature for seen in log.seen}
    found = [(seen, book.rules[seen.signature].signature) for seen in log.seen]
    return [
        (one, signature)
        for seen, signature in found
        if keys.issuperset(signature.when) and keys.isdisjoint(signature.unless)
        for one in across(seen, signature, log)
    ]


def _weighed(
    valid: list[tuple[Seen, Signature]], log: Log, book: Book
) -> dict[str, list[_Voice]]:
    fatal = {
        seen.cause
        for seen, signature in valid
        if signature.role is Role.ERROR and signature.strength >= _FATAL
    }
    raised = [
        f"{r.kind}: {r.message}"
        for r in log.raised
        if "Warning" not in r.kind and r.kind != "KeyboardInterrupt"
    ]
    voices: dict[str, list[_Voice]] = {}
    for seen, signature in valid:
        others = any(cause != seen.cause for cause in fatal)
        worth = float(signature.strength)
        if _overtaken(seen, signature, raised, book, others=others):
            worth = min(worth, _YIELDS)
        elif signature.role is Role.SILENT and (others or raised):
            worth = min(worth, _WHISPERS)
        elif signature.role is Role.ECHO and others:
            worth = 0.0
        voices.setdefault(seen.cause, []).append(_Voice(seen, signature, worth))
    return voices


def _overtaken(
    seen: Seen, signature: Signature, raised: list[str], book: Book, *, others: bool
) -> bool:
    """Is it only a warning, and did something else end the job?"""
    warning = signature.role is Role.WARNING
    akin = book.illnesses[seen.cause].akin
    if akin and any(re.search(akin, text) for text in raised):
        return False
    warned = warning or (akin and (seen.warned or _WARNS.search(seen.text)))
    return bool((warned and raised) or (warning and others))


def _score(voices: Iterable[_Voice]) -> float:
    """The strongest voice, and a little for every other kind that agrees."""
    kinds = {voice.signature.id: voice for voice in voices}
    said = [v.worth for v in kinds.values() if v.signature.role is not Role.EVIDENCE]
    hints = sum(v.worth for v in kinds.values() if v.signature.role is Role.EVIDENCE)
    strongest = max(said, default=0.0)
    if strongest < _WHISPERS:
        return min(hints, LEAST + CLOSE)
    return strongest + min(len(said) - 1, 3) + hints / 10


def _folded(scores: Mapping[str, float], book: Book) -> dict[str, str]:
    """Consequences, each with the cause that explains it."""
    folded: dict[str, str] = {}
    for cause in sorted(scores, key=lambda c: -scores[c]):
        illness = book.illnesses[cause]
        for other in illness.over:
            near = scores.get(other, 0.0) - _BELOW <= scores[cause]
            sure = other in scores and scores[cause] >= _FATAL and near
            if sure and cause not in folded:
                folded[other] = cause
    return folded


def _order(
    cause: str, score: float, voices: list[_Voice], *, many: bool
) -> tuple[float, str, int, str]:
    """By strength; among ranks that are equally sure, the first that failed."""
    first = _first(voices)
    tier = (score >= CERTAIN) + (score >= LIKELY)
    return (-tier if many else -score, first.time, first.line, cause)


def _first(voices: list[_Voice]) -> Seen:
    """The first of its strongest sightings, by time where lines have one."""
    best = max(voice.worth for voice in voices)
    loud = (voice.seen for voice in voices if voice.worth >= best - CLOSE)
    return min(loud, key=lambda seen: (seen.time, seen.line))


def _code_is_to_blame(standing: list[str], scores: Mapping[str, float]) -> bool:
    best = max((scores[c] for c in standing if c != OWN_BUG), default=0.0)
    return scores[OWN_BUG] >= best


def _unexplained(
    standing: list[str], voices: Mapping[str, list[_Voice]], log: Log
) -> bool:
    """Was something raised that nobody knows, beside nothing but red herrings?"""
    raised = [r for r in log.raised if "Warning" not in r.kind]
    said = {v.seen.line for group in voices.values() for v in group if v.worth >= LEAST}
    strange = any(
        r.line not in said and not r.message.startswith("Caught ") for r in raised
    )
    loud = any(v.worth > _YIELDS for cause in standing for v in voices[cause])
    hang = all(r.kind == "KeyboardInterrupt" for r in raised)
    return strange and not loud and not hang


def _culprit(log: Log, lines: tuple[Seen, ...]) -> Raised | None:
    """The exception in one of these lines, else the first that is not wrapped."""
    numbers = {seen.line for seen in lines}
    plain = [r for r in log.raised if not r.message.startswith("Caught ")]
    real = [r for r in plain if "Warning" not in r.kind] or plain
    timed = all(r.time for r in real)
    ranked = sorted(
        real,
        key=lambda r: (
            r.line not in numbers,
            r.own is None,
            r.time if timed else "",
            r.line,
        ),
    )
    return ranked[0] if ranked else next(iter(log.raised), None)


def _cause(
    cause: str, scores: Mapping[str, float], voices: list[_Voice], named: list[str]
) -> Cause:
    score = scores[cause]
    rivals = [scores[c] for c in named if c != cause]
    doubt = any(rival > score - CLOSE for rival in rivals)
    sure = Confidence.POSSIBLE
    if score >= LIKELY:
        sure = Confidence.LIKELY if doubt or score < CERTAIN else Confidence.CERTAIN
    heard = [v for v in voices if v.signature.role is not Role.EVIDENCE] or voices
    loud = sorted(heard, key=lambda v: (-v.worth, v.seen.line))
    kept: dict[int, Seen] = {}
    for voice in loud:
        kept.setdefault(voice.seen.line, voice.seen)
    lines = tuple(kept.values())[:MOST]
    return Cause(cause=cause, score=score, confidence=sure, lines=lines)


def _echoes(
    valid: list[tuple[Seen, Signature]], folded: Mapping[str, str], first: str
) -> Iterable[Echo]:
    """Lines of consequences, and of those who only lost their partner."""
    said: set[int] = set()
    for seen, signature in valid:
        of = folded.get(seen.cause, "")
        if not of and signature.role is Role.ECHO and seen.cause != first:
            of = first
        if of and signature.role is not Role.EVIDENCE and seen.line not in said:
            said.add(seen.line)
            yield Echo(seen.line, of)
