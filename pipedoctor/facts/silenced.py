"""Which comments that silence findings silenced none; known only after judging."""

from typing import ClassVar

from pipedoctor.facts.base import Fact
from pipedoctor.facts.source import Ignore


class Silenced(Fact, frozen=True, kw_only=True):
    """Comments ``# pipedoctor: ignore[...]`` of the code that was judged."""

    section: ClassVar[str] = "silenced"

    unused: tuple[Ignore, ...] = ()
    """Those that named something which is not there."""
