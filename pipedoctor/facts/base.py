"""A fact is data with a section name; what could not be read has a reason."""

from typing import ClassVar

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A group of facts that are read, recorded and judged together."""

    section: ClassVar[str]

    @property
    def blank(self) -> str:
        """Why nothing can be judged by it, although it is known; empty: it can."""
        return ""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a fact that has a name of its own."""


class Unreadable(Exception):  # noqa: N818  (a reason, not an error)
    """A collector could not read its section; the message says why."""
