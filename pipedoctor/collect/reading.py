"""How code is read: what is left out, what is remembered, by how many at once."""

import msgspec


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What the user says about it."""

    jobs: int | None = None
    """Processes; none: as many as there are CPUs, where it is worth their start."""
    cache: bool = False
    """Remember what was found, and use what is remembered."""
    cache_dir: str = ""
    """Empty: where the system keeps such things."""
    gitignore: bool = True
