"""
What was hidden once is hidden wherever it stands: users, hosts and secrets of some texts.

Whole words only, and none that sentences, libraries or folders of everybody have.
"""

import re
from collections.abc import Iterator

from pipedoctor.privacy import patterns
from pipedoctor.privacy.aliases import ALIAS_PATTERN
from pipedoctor.privacy.everyday_words import EVERYDAY_WORDS, GIVEN_NAMES
from pipedoctor.privacy.vocabulary import COMMON_WORDS, NO_NAMES

_MIN_NAME = 3
"""Letters of a name that is looked for outside of paths."""
_MIN_SECRET, _MAX_SECRET = 6, 200
_MAX_NAMES = 400
"""Of those that texts name: a log of more is redacted by its places alone."""
_FEW_NAMES = 24
"""Up to which it is faster to look for each than to match them all."""
_PATH_BEFORE = 300
_MASKED_WORD = r"[^\s\"'`<>]+"


class KnownNames:
    """Names with what stands for them, found in any case as whole words."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}
        self._met: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def __len__(self) -> int:
        """How many are known."""
        return len(self._aliases)

    def clear(self) -> None:
        """Forget them: another record begins."""
        self._aliases.clear()
        self._met.clear()
        self._pattern = None

    def add(self, name: str, alias: str) -> None:
        """Of a user or a host that is known to be one, and `is_distinctive`."""
        self._put(name.lower(), alias)

    def add_met(self, name: str, alias: str) -> None:
        """Of a user or a host that some text seems to name."""
        lower = name.lower()
        if lower in self._aliases or len(self._aliases) >= _MAX_NAMES or "<" in name:
            return
        if not _is_everyday(lower) and is_distinctive(name):
            self._put(lower, alias)
            self._met.add(lower)

    def add_secrets(self, text: str, masked: str, mask: str) -> None:
        """Of what a mask stands for in a text."""
        for secret in _find_masked(text, masked, mask):
            drawn = re.search(r"[\d!#$%^&*~?+]", secret) and re.search("[A-Za-z]", secret)
            if drawn and len(self._aliases) < _MAX_NAMES:
                self._put(secret.lower(), mask)

    def hide(self, text: str) -> str:
        """The text without any of them."""
        if not self._aliases:
            return text
        if len(self._aliases) > _FEW_NAMES:
            if self._pattern is None:
                self._pattern = re.compile(_join_names(self._aliases))
            return self._pattern.sub(self._replace_name, text)
        lower = text.lower()
        found = [name for name in self._aliases if name in lower]
        return re.sub(_join_names(found), self._replace_name, text) if found else text

    def _put(self, lower: str, alias: str) -> None:
        if lower not in self._aliases:
            self._aliases[lower] = alias
            self._pattern = None

    def _replace_name(self, match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - _PATH_BEFORE) : match.start()]
        if patterns.is_in_packages(before) or (
            match[1].lower() in self._met and _is_capital_part(match)
        ):
            return match[0]
        return self._aliases.get(match[1].lower(), match[0])


def _is_capital_part(match: re.Match[str]) -> bool:
    """Is it one of the words in capitals of a variable: ``VAULT`` in ``VAULT_TOKEN``?"""
    begin, end = match.span(1)
    name = match[1]
    around = match.string[max(0, begin - 2) : begin] + name + match.string[end : end + 2]
    return name.isupper() and re.search(r"[A-Z]_[A-Z]", around) is not None


def is_distinctive(name: str) -> bool:
    """Does nothing else have this name, so that it may be looked for wherever it stands?"""
    lower = name.lower().rstrip("])}")
    ordinary = lower in COMMON_WORDS or lower in NO_NAMES or name.isdigit()
    return not ordinary and len(name) >= _MIN_NAME and not ALIAS_PATTERN.search(name)


def _is_everyday(lower: str) -> bool:
    bare = lower.rstrip("0123456789.-_")
    return (
        lower in EVERYDAY_WORDS
        or lower in GIVEN_NAMES
        or (bare in EVERYDAY_WORDS and "-" not in lower)
    )


def _join_names(names: "dict[str, str] | list[str]") -> str:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    joined = "|".join(map(re.escape, longest_first))
    domain = r"((?:\.[A-Za-z0-9-]+){2,})?"
    return rf"(?i)(?<![A-Za-z0-9])(?<!<)({joined})(?![A-Za-z0-9]){domain}"


def _find_masked(text: str, masked: str, mask: str) -> Iterator[str]:
    """The words for which masks stand, by what stands between the masks."""
    first, *kept, last = masked.split(mask)
    at = len(first)
    for part in (*kept, last):
        end = text.find(part, at) if part or part is not last else len(text)
        if end < 0:
            return
        for word in re.findall(_MASKED_WORD, text[at:end].replace(mask, " ")):
            if _MIN_SECRET <= len(word) <= _MAX_SECRET:
                yield word
        at = end + len(part)
