"""A fact is data with a section name; what could not be read has a reason."""

from typing import ClassVar

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A group of facts that are read, recorded and judged together."""

    section: ClassVar[str]

    @property
    def unusable_reason(self) -> str:
        """Why no check can judge by this fact, although it is known; or empty."""
        return ""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a fact that has a name of its own."""


class UnreadableError(Exception):
    """A collector could not read its section; the message says why."""
