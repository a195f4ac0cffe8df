"""What every signature promises: found by its words, in linear time."""

import re
import time

import pytest

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.signatures import FailureMode, SignatureRule

BOOK = load_signatures()

every_rule = pytest.mark.parametrize("rule", BOOK.rules.values(), ids=lambda r: r.key)
every_illness = pytest.mark.parametrize("illness", BOOK.failures.values(), ids=lambda i: i.cause)
NESTED = re.compile(r"\([^()]*[^\\][+*][^()]*\)[+*]")
HOSTILE = ("a" * 4000, "/" * 4000, "0.1 " * 1000, "unable to " * 400, "((((" * 1000)


@every_rule
def test_is_found_by_small_words(rule: SignatureRule) -> None:
    words = rule.signature.words

    assert words
    assert all(re.fullmatch("[a-z]+", word) for word in words)


@every_rule
def test_refers_to_signatures_that_exist(rule: SignatureRule) -> None:
    for other in (*rule.signature.when, *rule.signature.unless):
        assert other in BOOK.rules


@every_rule
def test_is_linear(rule: SignatureRule) -> None:
    pattern = rule.signature.pattern

    assert not NESTED.search(pattern)
    assert ".*.*" not in pattern
    began = time.perf_counter()
    for text in HOSTILE:
        rule.regex.search(text)
    assert time.perf_counter() - began < 2


@every_illness
def test_says_what_happened_and_what_to_do(illness: FailureMode) -> None:
    if illness.cause != "user_code_bug":
        assert illness.why
        assert illness.why[-1] != "."
    assert {*illness.over} <= set(BOOK.failures)
    assert illness.cause not in illness.over
    ids = [signature.id for signature in illness.signatures]
    assert len(set(ids)) == len(ids)
