"""How calls and pieces of code are written: what an edit has to know of their text."""

from pipedoctor.facts.base import Part


class Span(Part, frozen=True, kw_only=True):
    """A range in the file and cell of what it belongs to; empty: a point."""

    line: int
    column: int
    end_line: int
    end_column: int


class Given(Part, frozen=True, kw_only=True):
    """An argument as it stands in its call."""

    value: Span
    whole: Span | None = None
    """What goes when it goes, comma and all; none: by position, so it stays."""
    plain: str = ""
    """The value, where it is a name with dots."""


class Import(Part, frozen=True, kw_only=True):
    """A line that a file needs before code in it can say a name."""

    at: Span
    text: str


class Call(Part, frozen=True, kw_only=True):
    """How a call is written, as far as one must know to give it more arguments."""

    end: Span
    """The point where one more argument goes."""
    comma: Span | None = None
    """A point before it that needs a comma first."""
    lead: str = ", "
    wrap: str = ", "
    """As `lead`, where it does not fit into the line any more."""
    tail: str = ""
    room: int = 0
    """Characters left in that line."""
    given: dict[str, Given] = {}
    """By name, or by number where nobody knows the names."""
    modules: dict[str, str] = {}
    """How code at this place can say ``os``, ``numpy`` and ``torch``."""
    imports: dict[str, Import] = {}
    """Of these: what has to be imported first."""
    above: Span | None = None
    """The point before the statement of the file that it stands in."""
    direct: bool = False
    """It calls the class itself, so it may give whatever the class takes."""
