"""Places where the name of a secret stands and a sign behind it, and yet none is given."""

import re

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.secrets.assignment_grammar import (
    ASSIGNED_NEXT,
    BARE_ENDS,
    CONDITION,
    INSTRUCTION,
    LIST_OF_WORDS,
    SENTENCE,
    STATEMENT,
)
from pipedoctor.privacy.secrets.secret_names import NameStrength
from pipedoctor.privacy.secrets.secret_values import is_likely_password, looks_drawn

_LOGIN = compile_lazily(r"\b(?:login|authenticate|HfApi|InferenceClient)\([^()\n]*$")


def is_kind_of_resource(text: str, begin: int) -> bool:
    """Is the name a part of an address of AWS: ``arn:aws:secretsmanager:eu:1:secret:db``?"""
    return text[begin - 1 : begin] == ":" and "arn:" in text[max(0, begin - 80) : begin]


def is_key(match: re.Match[str], value: re.Match[str]) -> bool:
    """Is what stands in the place of the value the next key: ``"kind": "Secret", "data": {``?"""
    behind = value.string[value.end() : value.end() + 2].lstrip()
    return match["pair"] is not None and value["quote"] is not None and behind.startswith(":")


def is_demand(text: str, begin: int, match: re.Match[str]) -> bool:
    """Does a shell ask for it (``${API_KEY:?is missing}``), or is it a word of a list of words?"""
    if match["pair"] and LIST_OF_WORDS.match(text, max(0, text.rfind("[", 0, begin))):
        return True
    return text[max(0, begin - 2) : begin] == "${" and text[match.end() : match.end() + 1] == "?"


def is_asked_for(text: str, begin: int, name: str) -> bool:
    """Is it one of an address or the environment: ``/lab?token=x``, ``PIP_TOKEN=x``?"""
    variable = name.endswith("_TOKEN") and name.isupper() and text[begin + len(name) :][:1] == "="
    if name == "token" and text[begin + 5 : begin + 6] == "=":
        before = text[max(0, begin - 80) : begin]
        variable = _LOGIN.search(before) is not None
    return variable or (name == "token" and text[begin - 1 : begin] in {"?", "&"})


def may_follow_sign(sign: str, strength: NameStrength, value: re.Match[str], begin: int) -> bool:
    """Neither the version of a pin, nor the begin of a message: *no token: unexpected status*."""
    if sign.strip() in {"==", "!="} and not value["quote"]:
        return False
    if sign == "= " and ASSIGNED_NEXT.match(value.string, value.start()):
        return False  # nothing is assigned to this name: the next follows
    if sign != ": ":
        return True
    if STATEMENT.match(value.string, value.start()) and CONDITION.search(
        value.string[max(0, begin - 20) : begin]
    ):
        return False
    sentence = INSTRUCTION if strength is NameStrength.PASSWORD else SENTENCE
    told = sentence.match(value.string, value.start()) is not None
    return not told and _may_follow_file(value, begin)


def _may_follow_file(value: re.Match[str], begin: int) -> bool:
    """Behind a path stands what is wrong with it (*no such file*), unless it looks drawn."""
    if value["quote"] or value.string[begin - 1 : begin] not in {"/", "\\"}:
        return True
    secret = value["bare"].rstrip(BARE_ENDS)
    return is_likely_password(secret) or looks_drawn(secret)
