"""Numbers that stand for names: ``<user-1>``; the same for the same name."""

from collections.abc import Mapping
from typing import Protocol

from pipedoctor.lazy_pattern import compile_lazily

ALIAS_KINDS = ("user", "host", "ip", "mac", "uuid", "serial", "path")
ALIAS_FORM = rf"<({'|'.join(ALIAS_KINDS)})-([0-9]{{1,9}})>"
ALIAS_PATTERN = compile_lazily(ALIAS_FORM)

AliasedName = tuple[str, str]
"""Its kind and the name itself: ``("user", "alice")``."""


class AliasMemory(Protocol):
    """Where aliases are kept from one report to the next."""

    def read_numbers(self) -> tuple[dict[AliasedName, int], dict[str, int]]:
        """Names with their numbers, and the last number of each kind."""
        ...

    def reserve_numbers(self, requests: Mapping[AliasedName, int]) -> dict[AliasedName, int]:
        """Write names down; the numbers that they really got."""
        ...


class AliasTable:
    """
    Assigns a number to each name, keeping those that an `AliasMemory` holds.

    That is read when the first name comes: where it does not answer, there is something
    to report by then.
    """

    def __init__(self, memory: AliasMemory | None = None) -> None:
        self._memory = memory
        self._is_read = memory is None
        self._numbers: dict[AliasedName, int] = {}
        self._last: dict[str, int] = {}
        self._new: dict[AliasedName, int] = {}

    def _read_memory(self) -> None:
        self._is_read = True
        if self._memory:
            self._numbers, last = self._memory.read_numbers()
            for kind, number in last.items():
                self.mark_taken(kind, number)

    def get_alias(self, kind: str, value: str) -> str:
        """The alias of a name; what is an alias already stays."""
        if ALIAS_PATTERN.fullmatch(value):
            return value
        if not self._is_read:
            self._read_memory()
        name = (kind, value if kind in {"user", "path"} else value.lower())
        number = self._numbers.get(name)
        if number is None:
            number = self._last[kind] = self._last.get(kind, 0) + 1
            self._numbers[name] = number
            if self._memory:
                self._new[name] = number
        return f"<{kind}-{number}>"

    def mark_taken(self, kind: str, number: int) -> None:
        """Never give this number: it stands for somebody in what is redacted."""
        self._last[kind] = max(self._last.get(kind, 0), number)

    def save_new_names(self) -> bool:
        """Write new names down; True: some got other numbers, so begin again."""
        if not (self._memory and self._new):
            return False
        given = self._memory.reserve_numbers(self._new)
        changed = given != self._new
        self._numbers |= given
        self._new = {}
        return changed
