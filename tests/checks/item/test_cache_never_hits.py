"""PDR211: a cache is asked for other keys than it keeps."""

from pipedoctor_checks.item.cache_never_hits import cache_never_hits
from tests.checks.code_samples import frames, make_tests

SILENT = {
    "the same key": "CACHE = {}\n"
    + frames("if index not in CACHE:\n    CACHE[index] = len(self.files)"),
    "another container": "CACHE = {}\n"
    + frames("if index not in self.files:\n    CACHE[str(index)] = 1"),
}
SPEAKS = {
    "another key": "CACHE = {}\n"
    + frames("if index not in CACHE:\n    CACHE[str(index)] = len(self.files)")
}
test_silent, test_speaks = make_tests(cache_never_hits, SILENT, SPEAKS)
