"""PDR404: workers are started for one batch."""

from pipedoctor_checks.training.wasted_iterator import wasted_iterator
from tests.checks.code_samples import make_tests

LOOP = "def main(data):\n    loader = DataLoader(data, num_workers=2)\n    for step in range(9):\n"
SILENT = {
    "a first batch, and more": LOOP + "        it = iter(loader)\n        x = next(it)\n"
    "        for y in it:\n            x = y\n",
    "all batches": LOOP + "        it = iter(loader)\n        for n in range(5):\n"
    "            x = next(it)\n",
    "tried": LOOP + "        it = iter(loader)\n        try:\n            x = next(it)\n"
    "        except StopIteration:\n            pass\n",
    "a loop that may end": LOOP + "        for x in loader:\n            if x:\n"
    "                break\n",
    "a first batch to look at": "def main(data):\n    for x in DataLoader(data):\n"
    "        print(x.shape)\n        break\n",
    "once": "def main(data):\n    loader = DataLoader(data)\n    return next(iter(loader))\n",
    "after the end": "def main(data):\n    loader = DataLoader(data)\n"
    "    it = iter(loader)\n    for step in range(9):\n        try:\n"
    "            x = next(it)\n        except StopIteration:\n"
    "            x = next(iter(loader))\n",
}
SPEAKS = {
    "a method of old": LOOP + "        x = iter(loader).next()\n",
    "a method": LOOP + "        x = iter(loader).__next__()\n",
    "in two lines": LOOP + "        it = iter(loader)\n        x, y = next(it)\n",
    "in two lines of old": LOOP + "        it = iter(loader)\n        x, y = it.next()\n",
    "a loop of one batch": LOOP
    + "        for x in loader:\n            show(x)\n            break\n",
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
