"""What several lines of a log say together, and none of them alone."""

from pipedoctor.facts.log import Log, Seen
from pipedoctor.log.figures import holds
from pipedoctor.log.rows import climbing, repeated
from pipedoctor.log.signatures import Signature

_SHOWN = 4


def across(seen: Seen, signature: Signature, log: Log) -> list[Seen]:
    """The lines that say it, if what the signature asks of other lines is so."""
    if signature.compare is not None:
        return holds(signature.compare, seen, log)[:_SHOWN]
    if signature.column:
        return climbing(seen, log.brief)
    if signature.repeated:
        return repeated(seen, log.brief)[:_SHOWN]
    return [seen]
