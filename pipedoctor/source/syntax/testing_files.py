"""Which files are tests and benchmarks, where speed does not matter."""

import re
from collections.abc import Iterable

_TEST_RUNNERS = {"pytest", "unittest"}
_TEST_PATH = re.compile(
    r"(^|/)(tests|unit_?tests?|test_utils|testing|benchmarks?)/|(^|/)bench[^/]*\.py$"
    r"|(^|/)test/(.*/)?test_[^/]*\.py$|(^|/)([^/]+_)?profiler\.py$"
)


def is_test_file(path: str, imports: Iterable[str]) -> bool:
    """Is it a test or a benchmark, by its folder, its name or what it imports?"""
    if _TEST_PATH.search(path):
        return True
    return any(name.partition(".")[0] in _TEST_RUNNERS for name in imports)
