"""PDR207: every item waits."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.item.sleep_network_per_item import sleep_network_per_item
from tests.checks.code_samples import find_one, frames, make_tests

SILENT = {
    "before another attempt": frames("for attempt in range(3):\n    time.sleep(1)"),
    "after a failure": frames("try:\n    open(index).close()\nexcept OSError:\n    time.sleep(1)"),
}
SPEAKS = {"asleep": frames("time.sleep(0.1)")}
test_silent, test_speaks = make_tests(sleep_network_per_item, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("options", "severity"),
    [
        ("", Severity.SLOWS),
        (", timeout=9", Severity.NOTE),
        (f", headers={'x' * 80!r}, timeout=9", Severity.NOTE),
    ],
)
def test_a_request_with_a_timeout_is_a_note(options: str, severity: Severity) -> None:
    code = "import requests\n" + frames(f"requests.get(self.urls[index]{options})")

    assert find_one(sleep_network_per_item, code).severity is severity
