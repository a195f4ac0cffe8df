"""How code is read: what is left out, what is remembered, by how many at once."""

from typing import TYPE_CHECKING

import msgspec

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.discover.folders import DEFAULT_EXCLUDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipedoctor.source.resolve.literal_loader_calls import LiteralLoaderCall


class ReadingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the user set about reading code."""

    jobs: int | None = None
    """Processes; none: as many as there are CPUs, where it is worth their start."""
    cache: bool = False
    """Remember what was found, and use what is remembered."""
    cache_dir: str = ""
    """Empty: where the system keeps such things."""
    gitignore: bool = True
    process_ends: bool = False
    """The process ends with it: memory that it no longer needs is given back then."""
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    """Names and patterns of what is left out below PATHS."""
    stdin_source: SourceFile | None = None
    """Code that came through stdin, under the name that it shall have."""


class LoaderCallStore:
    """The DataLoader calls that one collector found, for the next one in its lane."""

    calls: "Sequence[LiteralLoaderCall] | None" = None
    """Of DataLoader in PATHS; none: nobody has read all of them."""
