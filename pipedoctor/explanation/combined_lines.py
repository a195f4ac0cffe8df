"""What several lines of a log say together, and none of them alone."""

from pipedoctor.facts.log import Log, Seen
from pipedoctor.log.figures import find_comparison_lines
from pipedoctor.log.number_rows import find_repeated_draws, find_rising_column
from pipedoctor.log.signatures import Signature

_MAX_LINES = 4


def find_combined_lines(match: Seen, signature: Signature, log: Log) -> list[Seen]:
    """The lines that say it, if what the signature asks of other lines is so."""
    if signature.compare is not None:
        return find_comparison_lines(signature.compare, match, log)[:_MAX_LINES]
    if signature.column:
        return find_rising_column(match, log.brief)
    if signature.repeated:
        return find_repeated_draws(match, log.brief)[:_MAX_LINES]
    return [match]
