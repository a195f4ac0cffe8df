"""PDR207: every item waits."""

from pipedoctor_checks.item.sleep_network_per_item import sleep_network_per_item
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "before another attempt": frames("for attempt in range(3):\n    time.sleep(1)"),
    "after a failure": frames("try:\n    open(index).close()\nexcept OSError:\n    time.sleep(1)"),
}
SPEAKS = {"asleep": frames("time.sleep(0.1)")}
test_silent, test_speaks = make_tests(sleep_network_per_item, SILENT, SPEAKS)
