"""How code is read: what is left out, what is remembered, by how many at once."""

import msgspec

from pipedoctor.source.files import Source
from pipedoctor.source.folders import DEFAULT


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
