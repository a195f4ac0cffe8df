"""PDR216: a bad sample may be tried for ever."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.item.unbounded_retry import unbounded_retry
from tests.checks.code_samples import RETRY, draws_dataset, find, make_tests

SILENT = {
    "counted": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            if i > 9:\n                raise IndexError\n"
    "            try:\n                return self.x[i]\n"
    "            except OSError:\n                i += 1\n",
    "an endless stream": "class A(IterableDataset):\n    def __iter__(self):\n"
    "        while True:\n            yield self.x[0]\n",
}
SPEAKS = {
    "for ever": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            try:\n                return self.x[i]\n"
    "            except OSError:\n                i = random.randint(0, 9)\n"
}
test_silent, test_speaks = make_tests(unbounded_retry, SILENT, SPEAKS)
GRADED = {
    "fewer are left": (draws_dataset(RETRY), Severity.NOTE),
    "as many are left": (
        draws_dataset(RETRY.replace("self.left.discard(index)", "pass")),
        Severity.RISKS,
    ),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(unbounded_retry, code)

    assert finding.severity is severity
