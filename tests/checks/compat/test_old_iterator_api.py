"""PDR603: iterators have no method next."""

from pipedoctor_checks.compat.old_iterator_api import old_iterator_api
from tests.checks.code_samples import make_tests

SILENT = {
    "a prefetcher": "x = Prefetcher(loader).next()\n",
    "the function": "def main(data):\n    next(iter(DataLoader(data)))\n",
}
SPEAKS = {"called": "def main(data):\n    it = iter(DataLoader(data))\n    it.next()\n"}
test_silent, test_speaks = make_tests(old_iterator_api, SILENT, SPEAKS)
