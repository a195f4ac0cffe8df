"""
Take names of people and places, and secrets, out of facts before they are judged.

Values are replaced by what they are, never keys and never blind substrings: a user
called *root* must not turn `canonical_root` into `canonical_<user>`, and one called
*torch* must not turn `site-packages/torch` into a folder that nobody has. Equal
values get equal aliases, so paths of one user still compare.
"""

import enum
import math
import time
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, cast

from pipedoctor.facts import SECTIONS, Facts, Source
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy import patterns
from pipedoctor.privacy.aliases import AliasMemory, AliasTable
from pipedoctor.privacy.code_literals import mask_literal_value, mask_literals
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.names.replacement import NameRedactor
from pipedoctor.privacy.secrets.search import MASK, mask_field, mask_secrets
from pipedoctor.privacy.vocabulary import PUBLIC_FIELDS
from pipedoctor.runtime.time_limit import TimeLimitError, interrupt_after
from pipedoctor.textsafe import encode_json, escape_surrogates, straighten_quotes


class RedactionLevel(enum.Enum):
    """How much to take out."""

    NOTHING = "as it is"
    SECRETS = "tokens and passwords"
    ALL = "users, homes, hosts, addresses, tokens and passwords"
    PUBLIC = "these, and where projects lie"


NOT_REDACTED = "its text is too long to be redacted within the deadline"
_SHORT_BYTES = 1 << 18
"""Of texts that are redacted however late it is: in less than half a second."""
_TIME_SHARE = 0.8
"""Of the time that is left: what redaction may take of it."""
_NO_IDENTITY = UserIdentity()
_LINE_FINGERPRINT = compile_lazily(r"[0-9a-f]{16}")
"""What a line of code is known again by (`Mark.print`): half of the texts of a project."""
_NAMELESS_TYPES = frozenset((bool, int, float, type(None)))
"""Types of values that name nobody: most of a large record."""


class Redactor:
    """
    Replaces private names by aliases.

    The same alias for the same name everywhere.
    """

    def __init__(
        self,
        level: RedactionLevel,
        identity: UserIdentity = _NO_IDENTITY,
        memory: AliasMemory | None = None,
        *,
        keeps_node: bool = False,
    ) -> None:
        """With `keeps_node` the fact that names the node stays, and nothing else."""
        self.level = level
        self._keeps_node = keeps_node
        self._aliases = AliasTable(memory)
        self._names = NameRedactor(self._aliases, identity, public=level is RedactionLevel.PUBLIC)
        self._done: dict[tuple[str, str], str] = {}
        self._in_code = False

    def set_identity(self, identity: UserIdentity) -> None:
        """Learn who works here, before anything is redacted."""
        self._names.set_identity(identity)

    def learn_log(self, lines: Sequence[str]) -> None:
        """Learn the users and hosts that these lines of a log name, before it is quoted."""
        if self.level in {RedactionLevel.ALL, RedactionLevel.PUBLIC}:
            self._names.set_context(
                [mask_secrets(straighten_quotes(escape_surrogates(line))) for line in lines]
            )

    def redact_facts(self, facts: Facts, *, until: float = math.inf) -> Facts:
        """
        The same facts without what is private; judged instead of the originals.

        Others decide how long the texts are: where the time that is left (on the monotonic
        clock) is too short for them, only short sections are known.
        """
        record = facts.to_record()
        short, long = (record, set[str]()) if until == math.inf else _split_sections(record)
        if not long:
            return Facts.from_record(self._redact_all(record))
        seconds = (until - time.monotonic()) * _TIME_SHARE
        try:
            with interrupt_after(seconds, TimeLimitError()):
                return Facts.from_record(self._redact_all(record))
        except TimeLimitError:
            self._in_code = False
            done = self._redact_all(short)
            late = {name: NOT_REDACTED for name in SECTIONS if name in long}
            return Facts.from_record({**done, "unknown": done["unknown"] | late})

    def _redact_all(self, record: Mapping[str, Any]) -> dict[str, Any]:
        done = self._redact_record(record)
        if self._aliases.save_new_names():  # another report gave these numbers away
            done = self._redact_record(record)
        return done

    def redact_text(self, text: str, field: str = "") -> str:
        """Prose, such as the reason of a failure, or the value of a field of this name."""
        done = self._redact_field(text, field)
        return self._redact_field(text, field) if self._aliases.save_new_names() else done

    def _redact_record(self, record: Mapping[str, Any]) -> dict[str, Any]:
        self._done.clear()
        node = record["known"].get("node")
        if self.level in {RedactionLevel.ALL, RedactionLevel.PUBLIC}:
            self._names.learn_names(_collect_texts(record), (node["name"],) if node else ())
        if self.level is RedactionLevel.PUBLIC:  # meet all folders before any is named again
            for name, facts in record["known"].items():
                self._redact_section(name, facts)
            self._done.clear()
        names_before = len(self._names.known)
        known = {name: self._redact_section(name, facts) for name, facts in record["known"].items()}
        unknown = {k: self._redact_field(why, "") for k, why in record["unknown"].items()}
        if len(self._names.known) > names_before:  # the first of these texts were done by then
            known, unknown = self._hide_known(known, ""), self._hide_known(unknown, "")
        if node:
            known["node"] = {"name": self._redact_node(node["name"])}
        return {"known": known, "unknown": unknown}

    def _hide_known(self, value: Any, key: str) -> Any:
        """A redacted value without the names that other values have told."""
        if isinstance(value, str):
            return value if key in PUBLIC_FIELDS else self._names.known.hide(value)
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {name: self._hide_known(item, name) for name, item in fields.items()}
        if isinstance(value, (list, tuple)):
            return [self._hide_known(item, key) for item in cast("list[Any]", value)]
        return value

    def _redact_node(self, name: str) -> str:
        """The name of a fleet's node: the one that `name` does not say is a term."""
        if self._keeps_node or self.level in {RedactionLevel.NOTHING, RedactionLevel.SECRETS}:
            return escape_surrogates(name)
        return self._aliases.get_alias("host", _shorten_host(name))

    def _redact_section(self, name: str, facts: Any) -> Any:
        """Redact a section of the record; that of code has strings to hide."""
        self._in_code = name == Source.section and self.level is not RedactionLevel.SECRETS
        if not self._in_code:
            return self._redact_value(facts, name)
        done, self._done = self._done, {}
        redacted = self._redact_value(facts, name)
        self._done, self._in_code = done, False
        return redacted

    def _redact_value(self, value: Any, key: str) -> Any:
        if isinstance(value, str):
            done = self._done.get((key, value))
            if done is None:
                done = self._done[key, value] = self._redact_field(value, key)
            return done
        if isinstance(value, dict):
            return self._redact_fields(cast("dict[str, Any]", value))
        if isinstance(value, (list, tuple)):
            return [self._redact_value(item, key) for item in cast("list[Any]", value)]
        return value

    def _redact_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A record of fields, nearly all of them texts that came before, or numbers."""
        redacted: dict[str, Any] = {}
        done = self._done
        for name, item in fields.items():
            if isinstance(item, str):
                known = done.get((name, item)) if item else ""
                redacted[name] = self._redact_value(item, name) if known is None else known
            elif type(item) in _NAMELESS_TYPES:
                redacted[name] = item
            else:
                redacted[name] = self._redact_value(item, name)
        return redacted

    def _redact_field(self, text: str, key: str) -> str:
        if key == "print" and self._in_code and _LINE_FINGERPRINT.fullmatch(text):
            return text
        text = escape_surrogates(text)
        if self.level is RedactionLevel.NOTHING:
            return text
        straight = straighten_quotes(text)
        done = self._redact_straight(straight, key)
        return text if done == straight else done

    def _redact_straight(self, text: str, key: str) -> str:
        if self._in_code:
            text = mask_literal_value(text) if key == "value" else mask_literals(text)
        masked = mask_field(key, text) if key else mask_secrets(text)
        if masked != text:
            self._names.known.add_secrets(text, masked, MASK)
        if self.level is RedactionLevel.SECRETS:
            return self._names.known.hide(masked)
        text = masked
        if key in PUBLIC_FIELDS and not any(patterns.HOME.find_matches(text)):
            return text
        return self._names.redact_text(text, key)


def _split_sections(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], set[str]]:
    """The same with the shortest sections alone, and the names of the others."""
    sizes = {
        (kind, name): len(name) + len(encode_json(item))
        for kind, parts in record.items()
        for name, item in parts.items()
    }
    by_size = sorted(sizes.items(), key=itemgetter(1))
    ends = accumulate(size for _, size in by_size)
    kept = {part for (part, _), end in zip(by_size, ends, strict=True) if end <= _SHORT_BYTES}
    short = {
        kind: {name: item for name, item in record[kind].items() if (kind, name) in kept}
        for kind in record
    }
    return short, {name for kind, name in sizes if (kind, name) not in kept}


def _shorten_host(host: str) -> str:
    return host.partition(".")[0] or host


def _collect_texts(record: Any) -> Mapping[tuple[str, str], None]:
    """Every text once, in its order, with the key that it stands under."""
    found: dict[tuple[str, str], None] = {}

    def visit(key: str, item: Any) -> None:
        if isinstance(item, dict):
            for part in cast("dict[str, Any]", item).items():
                kind = type(part[1])  # pyright: ignore[reportUnknownVariableType]
                if kind is str:  # nearly all
                    found[part] = None
                elif kind not in _NAMELESS_TYPES:
                    visit(*part)
        elif isinstance(item, (list, tuple)):
            for row in cast("list[Any]", item):
                visit(key, row)
        elif isinstance(item, str):
            found[key, item] = None

    visit("", record)
    return found
