"""What is known of how something is written."""

from collections.abc import Mapping
from typing import NamedTuple

from pipedoctor.facts.call_text import Call, Import, Span
from pipedoctor.facts.code_events.details import RewriteDetails, Scalar


class RewritePieces(NamedTuple):
    """
    The spans of code that a rewrite changes, the texts for them, and what else it needs.

    Empty where the code cannot be changed exactly.
    """

    spans: Mapping[str, Span] = {}
    texts: Mapping[str, str] = {}
    """By the names of spans; a span without one is deleted, or the check knows better."""
    details: RewriteDetails = RewriteDetails()
    call: Call | None = None
    imports: tuple[Import, ...] = ()

    @property
    def record(self) -> dict[str, Scalar]:
        """All of it that stands among the details of an event."""
        return {**self.texts, **self.details.to_record()}


NO_PIECES = RewritePieces()
