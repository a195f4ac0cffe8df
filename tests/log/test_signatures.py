"""What every signature promises: found by its words, in linear time."""

import re
import time

import pytest

from pipedoctor.explanation.signature_catalogue import load_signatures
from pipedoctor.log.signatures import FailureMode, SignatureRule
from tests.log.competing_runs import find_competing_runs

BOOK = load_signatures()

every_illness = pytest.mark.parametrize("illness", BOOK.failures.values(), ids=lambda i: i.cause)
NESTED = re.compile(r"\([^()]*[^\\][+*][^()]*\)[+*]")
HOSTILE = ("a" * 4000, "/" * 4000, "0.1 " * 1000, "unable to " * 400, "((((" * 1000)


def test_each_is_found_by_small_words() -> None:
    words = {key: rule.signature.words for key, rule in BOOK.rules.items()}

    assert [key for key, found in words.items() if not found] == []
    assert [
        (key, word)
        for key, found in words.items()
        for word in found
        if not re.fullmatch("[a-z]+", word)
    ] == []


def test_each_refers_to_signatures_that_exist() -> None:
    unknown = {
        key: other
        for key, rule in BOOK.rules.items()
        for other in (*rule.signature.when, *rule.signature.unless)
        if other not in BOOK.rules
    }

    assert unknown == {}


def measure_search(rule: SignatureRule) -> float:
    began = time.process_time()
    for text in HOSTILE:
        rule.regex.search(text)
    return time.process_time() - began


def test_each_is_linear() -> None:
    patterns = {key: rule.signature.pattern for key, rule in BOOK.rules.items()}

    assert [key for key, one in patterns.items() if NESTED.search(one) or ".*.*" in one] == []
    assert [key for key, rule in BOOK.rules.items() if measure_search(rule) >= 2] == []


def test_no_two_runs_compete() -> None:
    assert find_competing_runs(r"^(?:\[?\w+\d*\]?:\s+)?x") == ["0123456789"]
    assert find_competing_runs(r"^\w+: \d+ .*") == []
    rows = {key: find_competing_runs(rule.signature.pattern) for key, rule in BOOK.rules.items()}

    assert [key for key, found in rows.items() if found] == []


@every_illness
def test_says_what_happened_and_what_to_do(illness: FailureMode) -> None:
    if illness.cause != "user_code_bug":
        assert illness.why
        assert illness.why[-1] != "."
    assert {*illness.over} <= set(BOOK.failures)
    assert illness.cause not in illness.over
    ids = [signature.id for signature in illness.signatures]
    assert len(set(ids)) == len(ids)
