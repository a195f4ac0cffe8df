"""PDR603: iterators have no method next, and copies no word async."""

from pipedoctor_checks.compat.old_iterator_api import old_iterator_api
from tests.checks.code_samples import make_tests

SILENT = {
    "a prefetcher": "x = Prefetcher(loader).next()\n",
    "the new word": "def move(batch):\n    return batch.cuda(non_blocking=True)\n",
    "the function": "def main(data):\n    next(iter(DataLoader(data)))\n",
}
SPEAKS = {
    "called": "def main(data):\n    it = iter(DataLoader(data))\n    it.next()\n",
    "a keyword of before Python 3.7": "def move(batch):\n    return batch.cuda(async=True)\n",
}
test_silent, test_speaks = make_tests(old_iterator_api, SILENT, SPEAKS)
