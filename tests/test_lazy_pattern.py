"""Patterns that are compiled when they are first used."""

import re

import pytest

from pipedoctor.lazy_pattern import compile_lazily


def test_it_is_compiled_when_it_is_used() -> None:
    wrong = compile_lazily("(")

    with pytest.raises(re.error):
        wrong.search("")


def test_it_has_the_methods_and_flags_of_a_pattern() -> None:
    pattern = compile_lazily("a(b)", re.IGNORECASE)

    assert pattern.sub(r"\1", "xABab") == "xBb"
    assert [match[1] for match in pattern.finditer("abAB")] == ["b", "B"]
    assert pattern.fullmatch("abc") is None
