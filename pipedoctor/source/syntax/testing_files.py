"""Which files are tests and benchmarks, where speed does not matter."""

import re

from pipedoctor.source.syntax.scope import CodeScope, Module

_TEST_RUNNERS = {"pytest", "unittest"}
_TEST_PATH = re.compile(
    r"(^|/)(tests|unit_?tests?|test_utils|testing|benchmarks?)/|(^|/)bench[^/]*\.py$"
    r"|(^|/)test/(.*/)?test_[^/]*\.py$"
)


def is_test_module(module: Module) -> bool:
    """Is it a test or a benchmark, by its folder, its name or what it imports?"""
    if _TEST_PATH.search(module.path):
        return True
    return any(name.partition(".")[0] in _TEST_RUNNERS for name in module.imported_names.values())


def is_only_test(caller: CodeScope, called: CodeScope) -> bool:
    """Does a test call what is no test? What it gives says nothing of other runs."""
    return is_test_module(caller.module) and not is_test_module(called.module)
