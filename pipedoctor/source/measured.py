"""What is known of how something is written."""

from collections.abc import Mapping
from typing import NamedTuple

from pipedoctor.facts.source import Call, Import, Scalar, Span


class Pieces(NamedTuple):
    """What is known of how it is written; nothing: it cannot be changed exactly."""

    spans: Mapping[str, Span] = {}
    details: Mapping[str, Scalar] = {}
    call: Call | None = None
    imports: tuple[Import, ...] = ()


NONE = Pieces()
