"""Numbers that stand for names: ``<user-1>``; the same for the same name."""

import re
from collections.abc import Mapping
from typing import Protocol

KINDS = ("user", "host", "ip", "mac", "uuid", "serial", "path")
ALIAS = re.compile(rf"<({'|'.join(KINDS)})-([0-9]{{1,9}})>")

Name = tuple[str, str]
"""Its kind and the name itself: ``("user", "alice")``."""


class Memory(Protocol):
    """What outlives a report."""

    def known(self) -> tuple[dict[Name, int], dict[str, int]]:
        """Names with their numbers, and the last number of each kind."""
        ...

    def settle(self, wanted: Mapping[Name, int]) -> dict[Name, int]:
        """Write names down; the numbers that they really got."""
        ...


class Aliases:
    """Gives a number to each name, and keeps to those that a memory holds."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        self._numbers: dict[Name, int] = {}
        self._last: dict[str, int] = {}
        if memory:
            self._numbers, self._last = memory.known()
        self._new: dict[Name, int] = {}

    def of(self, kind: str, value: str) -> str:
        """The alias of a name; what is an alias already stays."""
        if ALIAS.fullmatch(value):
            return value
        name = (kind, value if kind in {"user", "path"} else value.lower())
        number = self._numbers.get(name)
        if number is None:
            number = self._last[kind] = self._last.get(kind, 0) + 1
            self._numbers[name] = number
            if self._memory:
                self._new[name] = number
        return f"<{kind}-{number}>"

    def taken(self, kind: str, number: int) -> None:
        """Never give this number: it stands for somebody in what is redacted."""
        self._last[kind] = max(self._last.get(kind, 0), number)

    def settle(self) -> bool:
        """Write new names down; True: some got other numbers, so begin again."""
        if not (self._memory and self._new):
            return False
        given = self._memory.settle(self._new)
        changed = given != self._new
        self._numbers |= given
        self._new = {}
        return changed
