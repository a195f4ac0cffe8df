"""Requirements of installed distributions that are not met."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Missing(Part, frozen=True, kw_only=True):
    """A requirement of an installed distribution that is not met."""

    owner: str
    requirement: str
    found: str = ""
    """The version that is there instead; empty: none."""


class Requirements(Fact, frozen=True, kw_only=True):
    """What `pip check` would complain of; `judged` counts the requirements read."""

    section: ClassVar[str] = "requirements"

    unmet: tuple[Missing, ...] = ()
    judged: int = 0
