"""PDR303: each worker fills a cache of its own."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.workers.cache_grows_in_item import cache_grows_in_item
from tests.checks.code_samples import cache_dataset, find, make_tests, rows_dataset

FILL_CACHE = "self.kept[index] = read(index)"
MEMO = """
class Memo(Dataset):
    def __init__(self):
        self.kept = {{}}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        if {test}:
            self.kept[index] = read(index)
        return self.kept[index]
"""
SILENT = {
    "where another error occurs": rows_dataset(
        "self.c = {}", "try:\n    return 1\nexcept OSError:\n    self.c[index] = 1"
    ),
    "one slot": rows_dataset("self.last = None", "self.last = index"),
    "emptied": rows_dataset("self.c = {}", "self.c[index] = 1\nself.c.popitem()"),
    "taken from again": rows_dataset(
        "self.c = []", "if not self.c:\n    self.fill()\nreturn self.c.pop()"
    ).replace("    def __len__", "    def fill(self):\n        self.c.append(1)\n    def __len__"),
    "an element is replaced": rows_dataset("self.c = []", "self.c[index] += 1\nself.c[index] = 0"),
    "filled before": rows_dataset("self.c = {}\nself.c[0] = 1", "self.c[index]"),
    "handles": rows_dataset("self.c = {}", "self.c[index] = open('x')"),
    "handles of a variable": rows_dataset("self.c = {}", "f = h5py.File('x')\nself.c[index] = f"),
    "handles that a function opens": "def opened(x):\n    return open(x)\n"
    + rows_dataset("self.c = {}", "self.c[index] = opened(index)"),
    "local": rows_dataset(item="c = {}\nc[index] = 1"),
    "bounded": "import functools\n@functools.lru_cache(maxsize=9)\n"
    "def f(x):\n    return x\n" + rows_dataset(item="f(index)"),
    "shared by a manager": cache_dataset(
        "self.kept[index] = read(index)", "self.kept = manager.list()"
    ),
}
SPEAKS = {
    "a dictionary in one that makes them": rows_dataset(
        "self.c = defaultdict(dict)", "self.c[index % 9][index] = read(index)"
    ),
    "a place for each item": rows_dataset(
        "self.c = [None for _ in range(9)]", "self.c[index] = read(index)"
    ),
    "where the key or its place is missing": rows_dataset(
        "self.c = {}",
        "try:\n    return self.c[index]\nexcept (KeyError, IndexError):\n    self.c[index] = 1",
    ),
    "where the key is missing": rows_dataset(
        "self.c = {}", "try:\n    return self.c[index]\nexcept KeyError:\n    self.c[index] = 1"
    ),
    "what was read from a handle": rows_dataset(
        "self.c = {}", "self.c[index] = open(self.names[index]).read()"
    ),
    "of the class": rows_dataset(item="Rows.c[index] = read(index)").replace(
        "class Rows(Dataset):\n", "class Rows(Dataset):\n    c = {}\n"
    ),
    "unless there": rows_dataset("self.c = {}", "self.c.setdefault(index, read(index))"),
    "a dictionary unless somebody says no": rows_dataset(
        "self.c = {} if names is None else None", "self.c[index] = 1"
    ),
    "a dictionary": rows_dataset("self.c = {}", "self.c[index] = 1"),
    "a list": rows_dataset("self.c = []", "self.c.append(index)"),
    "what a function makes": "def made(x):\n    return x + 1\n"
    + rows_dataset("self.c = {}", "self.c[index] = made(index)"),
    "no bound": "import functools\n@functools.lru_cache(maxsize=None)\n"
    "def f(x):\n    return x\n" + rows_dataset(item="f(index)"),
    "a list of its own": cache_dataset("self.kept[index] = read(index)", "self.kept = list()"),
}
test_silent, test_speaks = make_tests(cache_grows_in_item, SILENT, SPEAKS)
GRADED = {
    "a bound": (MEMO.format(test="len(self.kept) < 100"), Severity.NOTE),
    "no bound": (MEMO.format(test="index not in self.kept"), Severity.RISKS),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(cache_grows_in_item, code)

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("test", "severity"),
    [
        ("self.keep", "note"),
        ("not self.keep", "risks"),
        ("self.again", "risks"),
        ("self.path", "risks"),
        ("index", "risks"),
    ],
)
def test_a_cache_that_somebody_asks_for(test: str, severity: str) -> None:
    code = f"if {test}:\n            {FILL_CACHE}"

    (finding,) = find(cache_grows_in_item, cache_dataset(code, "self.kept = {}"))

    assert finding.severity is Severity[severity.upper()]
    assert ("enabled" in finding.summary) is (severity == "note")
