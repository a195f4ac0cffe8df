"""PDR412: a tensor is pinned only to be copied."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.training.pin_then_copy import pin_then_copy
from tests.checks.code_samples import batch_loop, find, find_one, make_tests

SILENT = {
    "the loader pins": batch_loop("x.to(device, non_blocking=True)"),
    "pinned before": "def f(x):\n    x = x.pin_memory()\n    return x.to(d)\n",
}
SPEAKS = {
    "at once": "def f(x):\n    return x.pin_memory().to(d)\n",
    "to the first GPU": "def f(x):\n    return x.pin_memory().cuda()\n",
}
test_silent, test_speaks = make_tests(pin_then_copy, SILENT, SPEAKS)


def test_both_of_a_pair() -> None:
    pair = "(x.pin_memory().to(device), y.pin_memory().to(device))"

    found = find(
        pin_then_copy, f"x, y = x.pin_memory().cuda(), 0\ndef batch():\n    return {pair}\n"
    )

    assert all(finding.location and finding.remedies for finding in found)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("more", "severity", "unsafe"),
    [
        ("", Severity.SLOWS, ""),
        (", non_blocking=True", Severity.NOTE, "the copy then waits for pending work of the GPU"),
    ],
)
def test_a_copy_that_does_not_wait_may_be_worth_pinning(
    more: str, severity: Severity, unsafe: str
) -> None:
    code = f"def f(x):\n    return x.pin_memory().to(d{more})\n"

    found = find_one(pin_then_copy, code)

    assert found.severity is severity
    assert found.remedies[0].unsafe == unsafe
