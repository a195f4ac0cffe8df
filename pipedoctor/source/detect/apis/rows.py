"""The form of a row: functions of one library that have one effect."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from pipedoctor.facts.code_events.item import ItemCall

ForkEffect: TypeAlias = Literal["shared", "none"]
"""Of what is opened before a fork: used by both processes, or opened again for each read."""


class ApiGroup(NamedTuple):
    """Functions of one library with one effect."""

    module: str
    functions: str
    """Their names below the module, with blanks between."""
    effect: type[ItemCall]
    source: str
    fork: ForkEffect = "shared"
    media: bool = False
    """A video or a recording: an item of its own, whose opening is its decoding."""

    @property
    def names(self) -> Iterator[str]:
        """Their full names; a module that is empty holds what is built in."""
        prefix = f"{self.module}." if self.module else ""
        return (f"{prefix}{name}" for name in self.functions.split())


def effects_by_name(groups: Sequence[ApiGroup]) -> dict[str, type[ItemCall]]:
    """What each function does, by its full name."""
    return {name: group.effect for group in groups for name in group.names}
