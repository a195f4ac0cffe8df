"""Reason about a log: causes against echoes, warnings, red herrings and own bugs."""

import re
from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from pipedoctor.check import Confidence
from pipedoctor.explanation.valid_sightings import select_valid
from pipedoctor.explanation.word_similarity import (
    USER_CODE_BUG,
    find_similar_causes,
    load_vocabulary,
    tells_of_failure,
)
from pipedoctor.facts.log import Log, Raised, Seen
from pipedoctor.log.progress import is_handled, is_over
from pipedoctor.log.signatures import Signature, SignatureCatalogue, SignatureRole

MAX_CAUSES = 5
"""Causes that are named."""
MIN_SCORE = 40
"""Strength below which a cause is not named."""
CERTAIN_SCORE, LIKELY_SCORE = 88, 70
CLOSE_MARGIN = 6
"""Causes that are no further apart leave a doubt."""
_WEAK_MARGIN = 35
"""Causes that are so much weaker than the strongest are not worth a look."""
_WARNING_SCORE = 50
"""What a warning is worth beside something that ended the job."""
_READING_SCORE = 30
"""What a reading is worth beside something that was raised."""
_WARNING_TEXT = re.compile(r"Warning: |\(Triggered internally at ")
"""How warnings of Python begin, and those of torch end."""
_CAUGHT = re.compile(r"^(?!\S*(?:Error|Exception)\b).*[a-z](?:Error|Exception)\(['\"].*['\"]\)")
"""What code prints of an exception that it caught."""
_GUESS_STEP = 4
"""How far apart guesses are: too far for the machine to turn them round."""
_CONDITION = f"{USER_CODE_BUG}/asks-for-a-gpu"
"""What the code asks before it raises an exception of its own."""
_FATAL_SCORE, _CAUSE_MARGIN = 70, 25
"""Strength of what ends a job; how much weaker than its consequence a cause may be."""


class RankedCause(msgspec.Struct, frozen=True, kw_only=True):
    """What may have gone wrong, how surely, and the lines that say so."""

    cause: str
    score: float
    confidence: Confidence
    lines: tuple[Seen, ...]
    by_words: bool = False
    """Is it only what the words of the log are about?"""


class EchoLine(msgspec.Struct, frozen=True):
    """A line that only repeats what another cause did."""

    line: int
    of: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says, before anybody looks at a machine."""

    causes: tuple[RankedCause, ...] = ()
    echoes: tuple[EchoLine, ...] = ()
    own_bug: tuple[Seen, ...] = ()
    """Lines that say that the code is at fault."""
    raised: Raised | None = None
    """The exception that counts, where no cause was found."""


class _WeightedSighting(msgspec.Struct, frozen=True):
    """A sighting, and its weight among the others."""

    seen: Seen
    signature: Signature
    weight: float


def diagnose(log: Log, signatures: SignatureCatalogue) -> Diagnosis:
    """Rank the causes by the text alone; the order is total."""
    if log.work_spans:
        log = replace(log, raised=tuple(r for r in log.raised if not is_over(r, log)))
    valid = select_valid(log, signatures)
    voices = _weigh_sightings(valid, log, signatures)
    scores = {cause: _score_cause(group) for cause, group in voices.items()}
    scores = {cause: score for cause, score in scores.items() if score >= MIN_SCORE}
    folded = _fold_consequences(scores, signatures)
    standing = [cause for cause in scores if cause not in folded]
    ranks = {_find_first(voices[cause]).rank for cause in standing} - {""}
    standing.sort(key=lambda c: _sort_key(c, scores[c], voices[c], many=len(ranks) > 1))
    bug = USER_CODE_BUG in standing and _is_code_to_blame(standing, scores)
    if bug or _is_unexplained(standing, voices, log):
        lines = tuple(v.seen for v in voices.get(USER_CODE_BUG, ()) if v.weight > 0)
        return Diagnosis(own_bug=lines, raised=_find_exception(log, lines))
    best = max((scores[cause] for cause in standing), default=0.0)
    named = [c for c in standing if c != USER_CODE_BUG and scores[c] > best - _WEAK_MARGIN][
        :MAX_CAUSES
    ]
    causes = tuple(_build_cause(c, scores, voices[c], named) for c in named)
    first = causes[0].cause if causes else ""
    raised = None if causes else _find_exception(log, ())
    known = causes or raised is not None or log.done_line
    if not known and tells_of_failure(log.brief, goes_on=bool(log.progress_line or log.work_spans)):
        return Diagnosis(causes=tuple(_guess_by_words(log, signatures)))
    return Diagnosis(causes=causes, echoes=tuple(_find_echoes(valid, folded, first)), raised=raised)


def _guess_by_words(log: Log, signatures: SignatureCatalogue) -> Iterable[RankedCause]:
    """Where nothing is known and nothing raised: what the words are about."""
    similar = find_similar_causes(log.brief, load_vocabulary())
    for place, one in enumerate(one for one in similar if one.cause in signatures.failures):
        yield RankedCause(
            cause=one.cause,
            score=MIN_SCORE + _GUESS_STEP * (MAX_CAUSES - place),
            confidence=Confidence.POSSIBLE,
            lines=tuple(Seen(signature=one.cause, line=n, text=t) for n, t in one.lines),
            by_words=True,
        )


def _weigh_sightings(
    valid: list[tuple[Seen, Signature]], log: Log, signatures: SignatureCatalogue
) -> dict[str, list[_WeightedSighting]]:
    fatal = {
        seen.cause
        for seen, signature in valid
        if signature.role is SignatureRole.ERROR and signature.strength >= _FATAL_SCORE
        if not is_handled(seen.text)
    }
    errors = [r for r in log.raised if "Warning" not in r.kind]
    last = max((r.line for r in errors), default=0)
    raised = [f"{r.kind}: {r.message}" for r in errors if r.kind != "KeyboardInterrupt"]
    raised += [seen.text for seen, _ in valid if raised and seen.signature == _CONDITION]
    voices: dict[str, list[_WeightedSighting]] = {}
    for seen, signature in valid:
        others = any(cause != seen.cause for cause in fatal)
        worth = float(signature.strength)
        printed = seen.line < last and bool(_CAUGHT.search(seen.text))
        if printed or _is_overridden(seen, signature, raised, signatures, others=others):
            worth = min(worth, _WARNING_SCORE)
        elif signature.role is SignatureRole.SILENT and (others or raised):
            worth = min(worth, _READING_SCORE)
        elif signature.role is SignatureRole.ECHO and others:
            worth = 0.0
        voices.setdefault(seen.cause, []).append(_WeightedSighting(seen, signature, worth))
    return voices


def _is_overridden(
    match: Seen,
    signature: Signature,
    exceptions: list[str],
    signatures: SignatureCatalogue,
    *,
    others: bool,
) -> bool:
    """Is it only a warning, while something else ended the job?"""
    handled = is_handled(match.text)
    akin = signatures.failures[match.cause].akin
    if akin and not (handled and others) and any(re.search(akin, text) for text in exceptions):
        return False
    warning = handled or signature.role is SignatureRole.WARNING
    warned = warning or (akin and (match.warned or _WARNING_TEXT.search(match.text)))
    return bool((warned and exceptions) or (warning and others))


def _score_cause(sightings: Iterable[_WeightedSighting]) -> float:
    """The strongest sighting, and a little for every other kind that agrees."""
    kinds = {voice.signature.id: voice for voice in sightings}
    weights = [v.weight for v in kinds.values() if v.signature.role is not SignatureRole.EVIDENCE]
    hints = sum(v.weight for v in kinds.values() if v.signature.role is SignatureRole.EVIDENCE)
    strongest = max(weights, default=0.0)
    if strongest < _READING_SCORE:
        return min(hints, MIN_SCORE + CLOSE_MARGIN)
    return strongest + min(len(weights) - 1, 3) + hints / 10


def _fold_consequences(
    scores: Mapping[str, float], signatures: SignatureCatalogue
) -> dict[str, str]:
    """Consequences, each with the cause that explains it."""
    folded: dict[str, str] = {}
    for cause in sorted(scores, key=lambda c: -scores[c]):
        failure = signatures.failures[cause]
        for other in failure.over:
            near = scores.get(other, 0.0) - _CAUSE_MARGIN <= scores[cause]
            sure = other in scores and scores[cause] >= _FATAL_SCORE and near
            if sure and cause not in folded:
                folded[other] = cause
    return folded


def _sort_key(
    cause: str, score: float, sightings: list[_WeightedSighting], *, many: bool
) -> tuple[float, str, int, str]:
    """By strength; among ranks that are equally sure, the first that failed."""
    first = _find_first(sightings)
    tier = (score >= CERTAIN_SCORE) + (score >= LIKELY_SCORE)
    return (-tier if many else -score, first.time, first.line, cause)


def _find_first(sightings: list[_WeightedSighting]) -> Seen:
    """The first of its strongest sightings, by time where lines have one."""
    best = max(voice.weight for voice in sightings)
    loud = (voice.seen for voice in sightings if voice.weight >= best - CLOSE_MARGIN)
    return min(loud, key=lambda seen: (seen.time, seen.line))


def _is_code_to_blame(standing: list[str], scores: Mapping[str, float]) -> bool:
    best = max((scores[c] for c in standing if c != USER_CODE_BUG), default=0.0)
    return scores[USER_CODE_BUG] >= best


def _is_unexplained(
    standing: list[str], sightings: Mapping[str, list[_WeightedSighting]], log: Log
) -> bool:
    """Was something raised that nobody knows, beside nothing but red herrings?"""
    raised = [r for r in log.raised if "Warning" not in r.kind]
    quoted_lines = {
        v.seen.line for group in sightings.values() for v in group if v.weight >= MIN_SCORE
    }
    strange = any(
        r.line not in quoted_lines and not r.message.startswith("Caught ") for r in raised
    )
    loud = any(v.weight > _WARNING_SCORE for cause in standing for v in sightings[cause])
    hang = all(r.kind == "KeyboardInterrupt" for r in raised)
    return strange and not loud and not hang


def _find_exception(log: Log, lines: tuple[Seen, ...]) -> Raised | None:
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


def _build_cause(
    cause: str,
    scores: Mapping[str, float],
    sightings: list[_WeightedSighting],
    signatures: list[str],
) -> RankedCause:
    score = scores[cause]
    rivals = [scores[c] for c in signatures if c != cause]
    doubt = any(rival > score - CLOSE_MARGIN for rival in rivals)
    sure = Confidence.POSSIBLE
    if score >= LIKELY_SCORE:
        sure = Confidence.LIKELY if doubt or score < CERTAIN_SCORE else Confidence.CERTAIN
    heard = [v for v in sightings if v.signature.role is not SignatureRole.EVIDENCE] or sightings
    loud = sorted(heard, key=lambda v: (-v.weight, v.seen.line))
    first_by_line: dict[int, Seen] = {}
    for voice in loud:
        first_by_line.setdefault(voice.seen.line, voice.seen)
    lines = tuple(first_by_line.values())[:MAX_CAUSES]
    return RankedCause(cause=cause, score=score, confidence=sure, lines=lines)


def _find_echoes(
    valid: list[tuple[Seen, Signature]], causes_by_consequence: Mapping[str, str], first: str
) -> Iterable[EchoLine]:
    """Lines that only repeat another cause, or are its consequences."""
    signatures_seen: set[int] = set()
    for seen, signature in valid:
        of = causes_by_consequence.get(seen.cause, "")
        if not of and signature.role is SignatureRole.ECHO and seen.cause != first:
            of = first
        if of and signature.role is not SignatureRole.EVIDENCE and seen.line not in signatures_seen:
            signatures_seen.add(seen.line)
            yield EchoLine(seen.line, of)
