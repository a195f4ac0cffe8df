"""PDR404: workers are started for one batch."""

from pipedoctor_checks.training.wasted_iterator import wasted_iterator
from tests.checks.code_samples import make_tests

SILENT = {
    "once": "def main(data):\n    loader = DataLoader(data)\n    return next(iter(loader))\n",
    "after the end": "def main(data):\n    loader = DataLoader(data)\n"
    "    it = iter(loader)\n    for step in range(9):\n        try:\n"
    "            x = next(it)\n        except StopIteration:\n"
    "            x = next(iter(loader))\n",
}
SPEAKS = {
    "each step": "def main(data):\n    loader = DataLoader(data, num_workers=2)\n"
    "    for step in range(9):\n        x = next(iter(loader))\n",
    "a function that a loop calls": "def first(loader):\n"
    "    return next(iter(loader))\n"
    "def main(data):\n    loader = DataLoader(data, num_workers=2)\n"
    "    for step in range(9):\n        x = first(loader)\n",
    "a loader from elsewhere": "def main(train_loader):\n"
    "    for step in range(9):\n        x = next(iter(train_loader))\n",
}
test_silent, test_speaks = make_tests(wasted_iterator, SILENT, SPEAKS)
