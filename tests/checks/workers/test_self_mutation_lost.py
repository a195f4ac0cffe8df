"""PDR307: what an item changes is lost."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.workers.self_mutation_lost import self_mutation_lost
from tests.checks.code_samples import (
    RETRY,
    cache_dataset,
    draws_dataset,
    find,
    make_tests,
    rows_dataset,
)


def counting_item(test: str) -> str:
    return cache_dataset(
        f"if {test}:\n            return self.turn.value\n        else:\n"
        "            self.turn += 1\n        return self.turn"
    )


COUNT_AFTER_RETURN = """if hasattr(self.turn, 'x'):
            return 0
        self.turn += 1
        return self.turn"""
COUNT_BRANCH = """
        if {test}:
            return self.turn.value
        else:
            self.turn += 1
        return self.turn
"""
HELD_POINT = """
class Point:
    def __init__(self):
        self.at = 0
    def move(self, by):
        {change}
""" + rows_dataset("self.point = Point()", "self.point.move(index)")
SILENT = {
    "while it is made": rows_dataset("self.n = 0\nself.n += 1"),
    "a point that an item moves": HELD_POINT.format(change="self.at += by"),
    "a stream that never ends": "class Stream(IterableDataset):\n    def __iter__(self):\n"
    "        while True:\n            self.n += 1\n            yield self.n\n",
    "local": rows_dataset(item="n = 0\nn += 1"),
    "the size of what a worker keeps": rows_dataset(
        "self.n = 0", "while self.n > 9:\n    self.n -= 1\nself.n += 1"
    ),
}
SPEAKS = {
    "an object that counts": HELD_POINT.format(change="self.at += 1"),
    "taken away in the main process": rows_dataset("self.n = 9\nself.n -= 1", "self.n += 1"),
    "counted": rows_dataset("self.n = 0", "self.n += 1"),
    "taken out": rows_dataset("self.s = set(range(9))", "self.s.discard(index)"),
}
test_silent, test_speaks = make_tests(self_mutation_lost, SILENT, SPEAKS)
GRADED = {
    "spare counts": (draws_dataset(RETRY), Severity.NOTE),
    "every count": (
        draws_dataset("        self.left.discard(index)\n        return index"),
        Severity.RISKS,
    ),
    "shared where that is asked for": (
        draws_dataset(COUNT_BRANCH.format(test="isinstance(self.turn, Shared)")),
        Severity.NOTE,
    ),
    "shared by nobody": (
        draws_dataset(COUNT_BRANCH.format(test="isinstance(index, int)")),
        Severity.RISKS,
    ),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(self_mutation_lost, code)

    assert finding.severity is severity


def test_counts_after_those_that_are_shared() -> None:
    (finding,) = find(self_mutation_lost, cache_dataset(COUNT_AFTER_RETURN))

    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize("how", ["isinstance(self.turn, Shared)", "hasattr(self.turn, 'x')"])
def test_counts_that_may_be_shared(how: str) -> None:
    (alone,) = find(self_mutation_lost, counting_item("index"))
    (shared,) = find(self_mutation_lost, counting_item(how))

    assert (alone.severity, shared.severity) == (Severity.RISKS, Severity.NOTE)
