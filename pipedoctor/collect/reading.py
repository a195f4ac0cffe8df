"""How code is read: what is left out, what is remembered, by how many at once."""

from typing import TYPE_CHECKING

import msgspec

from pipedoctor.source.files import Source
from pipedoctor.source.folders import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipedoctor.source.loaders import LoaderCall


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What the user says about it."""

    jobs: int | None = None
    """Processes; none: as many as there are CPUs, where it is worth their start."""
    cache: bool = False
    """Remember what was found, and use what is remembered."""
    cache_dir: str = ""
    """Empty: where the system keeps such things."""
    gitignore: bool = True
    exclude: tuple[str, ...] = DEFAULT
    """Names and patterns of what is left out below PATHS."""
    typed: Source | None = None
    """Code that came through stdin, under the name that it shall have."""


class Crossed:
    """What one collector came across and the next in its lane need not look for."""

    calls: "Sequence[LoaderCall] | None" = None
    """Of DataLoader in PATHS; none: nobody has read all of them."""
