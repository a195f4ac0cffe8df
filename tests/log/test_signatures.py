"""What every signature promises: found by its words, in linear time."""

import re
import time

import pytest

from pipedoctor.explanation.book import installed_book
from pipedoctor.log.signatures import Illness, Rule

BOOK = installed_book()

every_rule = pytest.mark.parametrize("rule", BOOK.rules.values(), ids=lambda r: r.key)
every_illness = pytest.mark.parametrize(
    "illness", BOOK.illnesses.values(), ids=lambda i: i.cause
)
NESTED = re.compile(r"\([^()]*[^\\][+*][^()]*\)[+*]")
HOSTILE = ("a" * 4000, "/" * 4000, "0.1 " * 1000, "unable to " * 400, "((((" * 1000)


@every_rule
def test_is_found_by_small_words(rule: Rule) -> None:
    words = rule.signature.words

    assert words
    assert all(re.fullmatch("[a-z]+", word) for word in words)


@every_rule
def test_refers_to_signatures_that_exist(rule: Rule) -> None:
    for other in (*rule.signature.when, *rule.signature.unless):
        assert other in BOOK.rules


@every_rule
def test_is_linear(rule: Rule) -> None:
    pattern = rule.signature.pattern

    assert not NESTED.search(pattern)
    assert ".*.*" not in pattern
    began = time.perf_counter()
    for text in HOSTILE:
        rule.search.search(text)
    assert time.perf_counter() - began < 2


@every_illness
def test_says_what_happened_and_what_to_do(illness: Illness) -> None:
    if illness.cause != "user_code_bug":
        assert illness.why
        assert illness.why[-1] != "."
    assert {*illness.over} <= set(BOOK.illnesses)
    assert illness.cause not in illness.over
    ids = [signature.id for signature in illness.signatures]
    assert len(set(ids)) == len(ids)
