"""What reading a project gives; also how it is kept in the cache."""

from typing import NamedTuple

from pipedoctor.facts import Source
from pipedoctor.source.resolve.literal_loader_calls import LiteralLoaderCall


class ProjectReading(NamedTuple):
    """What is known of a project, and whether that is all of it."""

    facts: Source
    complete: bool
    calls: tuple[tuple[int, LiteralLoaderCall], ...] = ()
    """Of DataLoader, with the number of the file in the project instead of its path."""
