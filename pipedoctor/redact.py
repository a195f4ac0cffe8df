"""
Take names of people and places, and secrets, out of facts before they are judged.

Values are replaced by what they are, never keys and never blind substrings: a user
called *root* must not turn `canonical_root` into `canonical_<user>`, and one called
*torch* must not turn `site-packages/torch` into a folder that nobody has. Equal
values get equal aliases, so paths of one user still compare.
"""

import enum
from collections.abc import Mapping
from typing import Any, cast

from pipedoctor import forms
from pipedoctor.aliases import Aliases, Memory
from pipedoctor.everyday import VOCABULARY
from pipedoctor.facts import Facts
from pipedoctor.legible import legible
from pipedoctor.masking import MASK, mask, names_secret
from pipedoctor.private import Private
from pipedoctor.who import Who


class Level(enum.Enum):
    """How much to take out."""

    NOTHING = "as it is"
    SECRETS = "tokens and passwords"
    ALL = "users, homes, hosts, addresses, tokens and passwords"
    PUBLIC = "these, and where projects lie"


_NOBODY = Who()
_SILENT = frozenset((bool, int, float, type(None)))
"""Types of values that name nobody: most of a large record."""


class Redactor:
    """Gives the same alias to the same name, in everything that it is handed."""

    def __init__(
        self, level: Level, who: Who = _NOBODY, memory: Memory | None = None
    ) -> None:
        self.level = level
        self._aliases = Aliases(memory)
        self._private = Private(self._aliases, who, public=level is Level.PUBLIC)
        self._done: dict[tuple[str, str], str] = {}

    def meet(self, who: Who) -> None:
        """Learn who works here, before anything is redacted."""
        self._private.meet(who)

    def facts(self, facts: Facts) -> Facts:
        """The same facts without what is private; judged instead of the originals."""
        record = facts.to_record()
        done = self._record(record)
        if self._aliases.settle():  # another report gave these numbers away
            done = self._record(record)
        return Facts.from_record(done)

    def text(self, text: str) -> str:
        """Prose, such as the reason of a failure, by the same aliases."""
        done = self._value(text, "")
        return self._value(text, "") if self._aliases.settle() else done

    def _record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        self._done.clear()
        if self.level in {Level.ALL, Level.PUBLIC}:
            self._private.learn(_texts(record))
        if self.level is Level.PUBLIC:  # meet all folders before any is named again
            self._walk(record["known"], "")
            self._done.clear()
        known = self._walk(record["known"], "")
        unknown = {k: self._value(why, "") for k, why in record["unknown"].items()}
        return {"known": known, "unknown": unknown}

    def _walk(self, value: Any, key: str) -> Any:
        if isinstance(value, str):
            done = self._done.get((key, value))
            if done is None:
                done = self._done[key, value] = self._value(value, key)
            return done
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {
                name: item
                if type(item) in _SILENT or item == ""
                else self._walk(item, name)
                for name, item in items
            }
        if isinstance(value, (list, tuple)):
            return [self._walk(item, key) for item in cast("list[Any]", value)]
        return value

    def _value(self, text: str, key: str) -> str:
        text = legible(text)
        if self.level is Level.NOTHING:
            return text
        text = MASK if key and text and names_secret(key) else mask(text)
        if self.level is Level.SECRETS:
            return text
        if key in VOCABULARY and not any(forms.HOME.find(text)):
            return text
        return self._private.hide(text, key)


def _texts(record: Any) -> Mapping[tuple[str, str], None]:
    """Every text once, in its order, with the key that it stands under."""
    found: dict[tuple[str, str], None] = {}

    def visit(key: str, item: Any) -> None:
        if isinstance(item, dict):
            for part in cast("dict[str, Any]", item).items():
                kind = type(part[1])  # pyright: ignore[reportUnknownVariableType]
                if kind is str:  # nearly all
                    found[part] = None
                elif kind not in _SILENT:
                    visit(*part)
        elif isinstance(item, (list, tuple)):
            for row in cast("list[Any]", item):
                visit(key, row)
        elif isinstance(item, str):
            found[key, item] = None

    visit("", record)
    return found
