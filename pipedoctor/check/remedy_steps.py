"""Remedies in order: each is a way of its own, or a step after the one before it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec.structs import replace

if TYPE_CHECKING:  # it asks here
    from pipedoctor.check.remedy import Remedy

_FOLLOWS = "Then "
"""How the title of a remedy begins that belongs after the one before it."""


class Titled(Protocol):
    """A remedy, or what is shown of it."""

    @property
    def title(self) -> str:
        """What it does, in words."""
        ...


T = TypeVar("T", bound=Titled)


def is_step(remedy: Titled) -> bool:
    """Does it belong after the one before it?"""
    return remedy.title.startswith(_FOLLOWS)


def group_steps(remedies: Iterable[T]) -> Iterator[tuple[T, ...]]:
    """Each way: a remedy, and the steps that belong after it."""
    group: tuple[T, ...] = ()
    for remedy in remedies:
        if group and not is_step(remedy):
            yield group
            group = ()
        group = (*group, remedy)
    if group:
        yield group


def take_first_way(remedies: Iterable[T]) -> tuple[T, ...]:
    """The first remedy, and the steps that belong after it."""
    return next(group_steps(remedies), ())


def as_step(remedy: "Remedy") -> "Remedy":
    """The same, to be done after the one before it."""
    title = remedy.title
    return replace(remedy, title=f"{_FOLLOWS}{title[:1].lower()}{title[1:]}")
