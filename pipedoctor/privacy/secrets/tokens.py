"""Tokens of known forms: found by the words that they begin with, then by their form."""

import re

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.secrets.secret_values import is_placeholder
from pipedoctor.privacy.secrets.token_forms import TOKEN_FORMS, TokenForm

_WORD_LETTERS = str.maketrans({chr(n): " " for n in range(128) if not chr(n).isalnum()})
_FIRST_WORD = compile_lazily(r"([A-Za-z0-9]+)[_.-]")
_WORD_END = compile_lazily(r"[^A-Za-z0-9]")
_MIN_RUN, _MIN_JWT_RUN = 14, 10
"""Letters and digits in a row that a token without a separator has at least."""
_MAX_SPLIT_CHARS = 1 << 16
"""A longer text is searched for each mark; to split it would take its memory again."""


def _index_forms() -> tuple[dict[str, list[tuple[str, TokenForm]]], list[tuple[str, TokenForm]]]:
    """Forms by the first word of their mark, and those whose mark is no word."""
    by_word: dict[str, list[tuple[str, TokenForm]]] = {}
    others: list[tuple[str, TokenForm]] = []
    for form in TOKEN_FORMS:
        for mark in form.marks if not form.probe else ():
            word = _FIRST_WORD.match(mark)
            (by_word.setdefault(word[1], []) if word else others).append((mark, form))
    return by_word, others


_FORMS_BY_WORD, _OTHER_FORMS = _index_forms()
_FIRST_WORDS = frozenset(_FORMS_BY_WORD)
_JWT_FORMS = [row for row in _OTHER_FORMS if row[0] == "eyJ"]
_TELEGRAM = next(form for form in TOKEN_FORMS if form.kind == "Telegram")
_PROBED_FORMS = tuple(form for form in TOKEN_FORMS if form.probe and form is not _TELEGRAM)


def split_words(text: str) -> list[str] | None:
    """Runs of letters and digits; None: the text is so long that they stay unknown."""
    return text.translate(_WORD_LETTERS).split() if len(text) <= _MAX_SPLIT_CHARS else None


def mask_tokens(text: str, words: list[str] | None, longest: int, mask: str) -> str:
    """
    Put `mask` in place of every token of a known form.

    `words` are those of the text, as far as they are known, `longest` their length.
    """
    if words is None or not _FIRST_WORDS.isdisjoint(words):
        for word in _FIRST_WORDS if words is None else _FIRST_WORDS.intersection(words):
            for prefix, form in _FORMS_BY_WORD[word]:
                text = _mask_form(text, prefix, form, mask)
    if ":A" in text:  # hyphens may leave no long run of it
        text = re.sub(_TELEGRAM.pattern, mask, text)
    if longest < _MIN_JWT_RUN:
        return text
    for prefix, form in _OTHER_FORMS if longest >= _MIN_RUN else _JWT_FORMS:
        if prefix in text:
            text = _mask_form(text, prefix, form, mask)
    for form in _PROBED_FORMS if longest >= _MIN_RUN else ():
        if form.marks[0] in text and re.search(form.probe, text):
            text = re.sub(form.pattern, mask, text)
    return text


def _mask_form(text: str, prefix: str, form: TokenForm, mask: str) -> str:
    """Look for a form only where its prefix stands: that is found much faster."""
    at = text.find(prefix)
    if at < 0:
        return text
    pattern = re.compile(form.pattern)
    parts: list[str] = []
    done = 0
    while at >= 0:
        if at and is_ascii_alphanumeric(text[at - 1]):  # no token begins within a word
            end = _WORD_END.search(text, at)
            at = text.find(prefix, end.end()) if end else -1
            continue
        match = pattern.match(text, at)
        if match and not is_placeholder(match[0]):
            parts += [text[done:at], mask]
            done = match.end()
        at = text.find(prefix, max(at + 1, done))
    return "".join([*parts, text[done:]]) if parts else text


def is_ascii_alphanumeric(letter: str) -> bool:
    """Is it a letter or a digit of ASCII?"""
    return letter.isascii() and letter.isalnum()
