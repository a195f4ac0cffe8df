"""All rows of the tables of APIs together: a library is added by a row in `apis`."""

from collections.abc import Mapping

from pipedoctor.facts.code_events.item import (
    ArrayRead,
    ContainerOpening,
    ItemCall,
    TextParse,
    Unpickling,
)
from pipedoctor.source.detect.apis.containers import CONTAINER_APIS
from pipedoctor.source.detect.apis.decoding import ARRAY_APIS, IMAGE_APIS
from pipedoctor.source.detect.apis.outside import (
    NETWORK_APIS,
    OTHER_APIS,
    PROCESS_APIS,
    SCAN_APIS,
    TRANSFORM_APIS,
)
from pipedoctor.source.detect.apis.parsing import TEXT_APIS, UNPICKLING_APIS
from pipedoctor.source.detect.apis.rows import ApiGroup, effects_by_name

API_GROUPS: tuple[ApiGroup, ...] = (
    *TEXT_APIS,
    *UNPICKLING_APIS,
    *CONTAINER_APIS,
    *IMAGE_APIS,
    *ARRAY_APIS,
    *NETWORK_APIS,
    *SCAN_APIS,
    *PROCESS_APIS,
    *TRANSFORM_APIS,
    *OTHER_APIS,
)


KIND_OF_CALL: Mapping[str, type[ItemCall]] = effects_by_name(API_GROUPS)
"""Kinds of events by the full name of what is called."""
MEDIA_OPENERS = frozenset(name for group in API_GROUPS if group.media for name in group.names)
_LAZY_READERS = frozenset(("reader", "DictReader", "open", "iterparse"))
"""They keep the file that they are given, and read it row by row."""
FORK_SHARED = frozenset(
    name
    for group in API_GROUPS
    if group.effect is ContainerOpening and group.fork == "shared"
    for name in group.names
)
"""What opens a handle that a worker must not use which was forked off later."""


def reads_whole(name: str) -> bool:
    """Does it read a file that it is given to its end, and keep nothing of it?"""
    whole = KIND_OF_CALL.get(name) in {ArrayRead, TextParse, Unpickling}
    return whole and name.rpartition(".")[2] not in _LAZY_READERS
