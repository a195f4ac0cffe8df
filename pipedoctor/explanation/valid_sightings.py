"""Which sightings of a log count: their conditions hold, and the job did not survive them."""

from pipedoctor.facts.log import Log, Seen
from pipedoctor.log.figures import find_comparison_lines
from pipedoctor.log.number_rows import find_repeated_draws, find_rising_column
from pipedoctor.log.progress import is_failure, is_over, is_refuted, is_survived
from pipedoctor.log.signatures import Signature, SignatureCatalogue, SignatureRole

_MAX_LINES = 4
"""Lines that say something together."""


def select_valid(log: Log, signatures: SignatureCatalogue) -> list[tuple[Seen, Signature]]:
    """Sightings whose conditions hold in this log."""
    keys = {seen.signature for seen in log.seen}
    found = ((seen, signatures.rules[seen.signature].signature) for seen in log.seen)
    matches = [
        (seen, signature)
        for seen, signature in found
        if keys.issuperset(signature.when) and keys.isdisjoint(signature.unless)
        if not _is_caught(seen, signature, log, signatures)
    ]
    failed = bool(log.raised) or any(is_failure(*match) for match in matches)
    return [
        (one, signature)
        for seen, signature in matches
        if log.raised or not is_survived(seen, signature, log)
        if failed or not is_refuted(seen, signature, log.progress_line)
        for one in _find_combined_lines(seen, signature, log)
    ]


def _is_caught(seen: Seen, signature: Signature, log: Log, signatures: SignatureCatalogue) -> bool:
    """Did the job catch what would have ended it, as its work behind it says?"""
    ends = signature.role in {SignatureRole.ERROR, SignatureRole.ECHO}
    return ends and signatures.failures[seen.cause].survivable and is_over(seen, log)


def _find_combined_lines(match: Seen, signature: Signature, log: Log) -> list[Seen]:
    """The lines that say it, if what the signature asks of other lines is so."""
    if signature.compare is not None:
        return find_comparison_lines(signature.compare, match, log)[:_MAX_LINES]
    if signature.column:
        return find_rising_column(match, log.brief)
    if signature.repeated:
        return find_repeated_draws(match, log.brief)[:_MAX_LINES]
    return [match]
