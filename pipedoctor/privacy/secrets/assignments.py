"""
Names with a value beside them, however they are written: one mechanism for all.

``NAME=x``, ``"name": "x"``, ``name: x``, ``--name x``, ``?name=x``, ``Name: x`` in a
header, ``<name>x</name>``, ``environ["NAME"] = "x"``, *the password is x*. What the name
means and what the value looks like decide, in `secret_names` and `secret_values`.
"""

import re
from typing import NamedTuple

from pipedoctor.privacy.secrets.assignment_grammar import (
    BARE_ENDS,
    ENCODED_END,
    HEADERS,
    MAX_JUDGED,
    MAX_NAME,
    MORE_WORDS,
    NAME_LETTERS,
    OPENING_OF_TAG,
    ORDINARY_WORD,
    PHRASES,
    REST_OF_BARE,
    REST_OF_BLOCK,
    REST_OF_HEADER,
    REST_OF_ITEMS,
    REST_OF_LIST,
    SEPARATOR,
    SETTING_WORDS,
    SIGNS,
    STATE,
    VALUE,
    is_set_by_command,
)
from pipedoctor.privacy.secrets.assignment_places import (
    is_asked_for,
    is_demand,
    is_key,
    is_kind_of_resource,
    may_follow_sign,
)
from pipedoctor.privacy.secrets.secret_names import NameStrength, judge_name
from pipedoctor.privacy.secrets.secret_values import (
    is_likely_password,
    is_secret_value,
    looks_drawn,
)

HINTS = (
    *("key", "token", "secret", "pass", "pw", "psw", "cred", "auth", "cookie", "srf", "sess"),
    *("mnemonic", "signature", "otp", "psk", "kennwort", "senha", "contrasena", "haslo", "heslo"),
    *("wachtwoord", "salasana", "sid=", "sid:", 'sid"', "sig=", "pat=", "pat:", "ticket="),
    'seed"',
)
"""Parts of names that may mean a secret; where none stands, nothing is looked at."""


_TRIPLE = frozenset(('"""', "'''"))
"""Quotes around a text of several lines."""


class _Found(NamedTuple):
    """A secret, and where it stands."""

    begin: int
    end: int


def mask_assigned(text: str, mask: str) -> str:
    """Put `mask` in place of what stands beside the name of a secret."""
    places = _find_hints(text)
    if not places:
        return text
    parts: list[str] = []
    done = past = 0
    for place in places:
        if place < past:
            continue
        match = SEPARATOR.match(text, place)
        if match is None:
            past = place + 1
            continue
        past = match.end("tail")
        found = _find_secret(text, place, match)
        if found and found.begin >= done:
            parts += [text[done : found.begin], mask]
            done = past = found.end
    return "".join([*parts, text[done:]]) if parts else text


def may_hold_assignment(text: str) -> bool:
    """Is there anything that could stand between a name and a value?"""
    return any(sign in text for sign in SIGNS)


def _find_hints(text: str) -> list[int]:
    """Where hints stand, in their order, whatever their case."""
    lower = text.lower()
    if len(lower) != len(text):  # one letter of Turkish becomes two
        lower = text.replace("\u0130", "I").lower()
    found: list[int] = []
    for hint in HINTS:
        if hint in lower:
            at = lower.find(hint)
            while at >= 0:
                found.append(at)
                at = lower.find(hint, at + len(hint))
    return sorted(found) if len(found) > 1 else found


def _find_secret(  # noqa: PLR0911  (one return for each reason)
    text: str, place: int, match: re.Match[str]
) -> _Found | None:
    begin = place - _measure_name_before(text, place)
    commanded = match["space"] is not None and is_set_by_command(text, begin, match.end())
    if (
        match["space"]
        and text[begin] != "-"
        and not commanded
        and ORDINARY_WORD.match(text, match.end())
    ):
        return None  # most of prose
    name = text[begin : match.end("tail")]
    strength = _judge_place(text, begin, name)
    if (
        strength is NameStrength.NONE
        or is_kind_of_resource(text, begin)
        or is_demand(text, begin, match)
    ):
        return None
    value = VALUE.match(text, match.end())
    if value is None or is_key(match, value):
        return None
    if match["tag"] and not _is_element(text, name, begin, value):
        return None
    if (
        match["space"]
        and not commanded
        and not _may_follow_space(name, _get_words_before(text, begin), strength, value)
    ):
        return None
    if match["line"] and (not name.startswith("--") or text.startswith("-", value.start())):
        return None  # only of arguments of which each stands in its own line
    if match["prose"] and not _may_follow_verb(strength, value):
        return None
    if match["row"] and not looks_drawn(value["bare"].rstrip(",")):
        return None  # a heading
    if match["sign"] and not may_follow_sign(match["sign"], strength, value, begin):
        return None
    return _measure_value(text, name, strength, match, value)


def _judge_place(text: str, begin: int, name: str) -> NameStrength:
    """What a name says where it stands: the words before it may decide, or an address."""
    strength = judge_name(name.strip("-."))
    if strength is NameStrength.WEAK and text[begin] != "-":
        strength = judge_name(name.strip("-."), _get_words_before(text, begin))
    asked = strength is NameStrength.WEAK and is_asked_for(text, begin, name)
    return NameStrength.STRONG if asked else strength


def _is_element(text: str, name: str, begin: int, value: re.Match[str]) -> bool:
    """Does a tag of this name end behind the value? Our own mask is no tag."""
    opened = OPENING_OF_TAG.search(text, max(0, begin - MAX_NAME), begin)
    end = text.find("<", value.start())
    return opened is not None and text.startswith(f"</{opened[1]}{name}", end)


def _measure_name_before(text: str, place: int) -> int:
    """Letters of the name that stand before the hint in it."""
    before = text[max(0, place - MAX_NAME) : place]
    length = len(before) - len(before.rstrip(NAME_LETTERS))
    encoded = before[: len(before) - length].endswith("%") and length > 1  # `%3BPWD%3D`
    return length - 2 if encoded else length


def _get_words_before(text: str, begin: int) -> str:
    """The two words before a name, of the same line; they may belong to it."""
    if begin == 0 or text[begin - 1] != " ":
        return ""
    words = text[max(0, begin - 24) : begin].rpartition("\n")[2].split()[-2:]
    return " ".join(word.strip("-") for word in words if word.strip("-").isalpha())


def _may_follow_space(
    name: str, preceding: str, strength: NameStrength, value: re.Match[str]
) -> bool:
    """Can a value follow this name after nothing but a space?"""
    secret = value["quoted"] if value["quote"] else value["bare"]
    if name.startswith("-"):
        named = name == "--secret" and judge_name(secret) is not NameStrength.NONE
        stands_for_name = named and secret.isidentifier() and value.string[value.end() :][:1] == " "
        return not (secret.startswith("-") or stands_for_name)
    if not SETTING_WORDS.isdisjoint(preceding.lower().split()):
        return True
    if strength is NameStrength.PASSWORD and value["quote"]:
        return True
    if strength is NameStrength.PASSWORD and is_likely_password(secret.rstrip(BARE_ENDS)):
        return True
    common = strength is NameStrength.WEAK and _names_something(name) and name != "AUTH"
    return looks_drawn(secret.rstrip(BARE_ENDS)) and not common


def _may_follow_verb(strength: NameStrength, value: re.Match[str]) -> bool:
    """*The password is x*: neither *is deprecated* nor *the token is hello*."""
    if value["quote"]:
        return True
    secret = value["bare"].rstrip(BARE_ENDS)
    if strength is NameStrength.PASSWORD:
        return STATE.fullmatch(secret) is None
    return looks_drawn(secret)


def _names_something(name: str) -> bool:
    """In prose, these words are about something else: *key conv1d_2b*."""
    return name.lower() in {"key", "keys", "auth", "session", "pass", "salt", "nonce", "signature"}


def _measure_value(
    text: str, name: str, strength: NameStrength, match: re.Match[str], value: re.Match[str]
) -> _Found | None:
    lower = name.lower()
    if match["sign"] and lower.endswith(HEADERS) and ":" in match["sign"] and value["bare"]:
        whole = REST_OF_HEADER.match(text, value.start())
        return _Found(value.start(), whole.end()) if whole else None
    if match["tag"]:
        return _measure_element(text, strength, value.start())
    quoted = value["quote"] is not None
    secret, end = (value["quoted"], value.end()) if quoted else _trim_bare(value, match)
    if secret.startswith("<secret>") or not is_secret_value(secret, strength, quoted=quoted):
        return None
    if _is_variable(secret, lower, quoted=quoted):
        return None
    if len(secret) >= MAX_JUDGED or value["quote"] in _TRIPLE:
        begin = value.end("quoted") if value["quote"] in _TRIPLE else end
        end = _find_end_of_long(text, begin, value["quote"])
    if value["open"] and (more := REST_OF_LIST.match(text, end)):
        end = more.end()
    if (
        match["sign"]
        and match["sign"].lstrip(" :=").startswith(("|", ">"))
        and "\n" in match["sign"]
    ):
        more = REST_OF_BLOCK.match(text, end)
        end = more.end() if more else end
    if match["items"] and (more := REST_OF_ITEMS.match(text, end)):
        end = more.end()
    if lower.endswith(PHRASES) and not quoted and (more := MORE_WORDS.match(text, end)):
        end = more.end()
    return _Found(value.start() + len(value["open"]), end)


def _is_variable(secret: str, name: str, *, quoted: bool) -> bool:
    """``password=password`` of a call, ``self.api_key = hub_api_key``."""
    alike = secret.strip("\"'").lower().replace("-", "_")
    if alike in {name.strip("-").replace("-", "_"), name.rpartition(".")[2]}:
        return True
    last = re.split(r"[_.]", name)[-1]
    written = re.fullmatch(rf"[a-z]+(?:[_.][a-z]+)*[_.]{re.escape(last)}", secret)
    return not quoted and written is not None


def _measure_element(text: str, strength: NameStrength, begin: int) -> _Found | None:
    """All that an element holds: a secret may be one of several words in it."""
    content = text[begin : text.find("<", begin)].rstrip()
    words = content.strip("{}").split()
    if not any(is_secret_value(word, strength) for word in words):
        return None
    return _Found(begin, begin + len(content))


def _find_end_of_long(text: str, at: int, quote: str | None) -> int:
    """Where a value ends of which only the first part was looked at."""
    if quote is None:
        rest = REST_OF_BARE.match(text, at)
        return rest.end() if rest else at
    end, line = text.find(quote, at), text.find("\n", at)
    if quote in _TRIPLE and end >= 0:
        return end + len(quote)
    ends = [place for place in (end + len(quote) if end >= 0 else -1, line) if place >= at]
    return min(ends, default=len(text))


def _trim_bare(value: re.Match[str], match: re.Match[str]) -> tuple[str, int]:
    """A value without quotes ends before what belongs to the text around it."""
    secret = value["bare"]
    if secret.startswith("{") and "}" in secret:
        return secret[: secret.index("}") + 1], value.start("bare") + secret.index("}") + 1
    tight = match["sign"] is not None and "=" in match["sign"]
    ends = r"[,;&]" if tight else r"[,;](?=\S{0,200}[=:])"
    if match["value"] and match["value"].rstrip().endswith(">"):
        ends = "<"
    elif match["space"] and "|" in match["space"]:
        ends = r"\|"
    elif match["sign"] and match["sign"][-1] not in "=: \t>→":
        ends = ENCODED_END
    secret = re.split(ends, secret, maxsplit=1)[0]
    kept = secret.rstrip(",;") if "(" in secret else secret.rstrip(BARE_ENDS)
    return kept, value.start("bare") + len(kept)
