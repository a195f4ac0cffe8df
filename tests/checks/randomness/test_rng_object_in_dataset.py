"""PDR507: all workers have the same generator."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.randomness.rng_object_in_dataset import rng_object_in_dataset
from tests.checks.code_samples import (
    RETRY,
    cache_dataset,
    draws_dataset,
    find,
    make_tests,
    rows_dataset,
    rows_training,
    use_worker_option,
)

SILENT = {
    "not for items": rows_dataset("self.r = random.Random(1)"),
    "made anew": rows_dataset(
        "self.r = random.Random(1)", "self.r = random.Random(index)\nself.r.random()"
    ),
    "no workers": rows_dataset("self.r = random.Random(1)", "self.r.random()", 0),
    "a sampler": "class S(torch.utils.data.Sampler):\n    def __init__(self):\n"
    "        self.r = random.Random(1)\n    def __iter__(self):\n"
    "        yield self.r.random()\n",
    "it gets a seed in the worker": cache_dataset(
        "self.rng.seed(index)\n        return self.rng.random()", "self.rng = random.Random()"
    ),
}
SPEAKS = {
    "random": rows_dataset("self.r = random.Random(1)", "return self.r.random()"),
    "numpy": rows_dataset("self.r = np.random.default_rng(1)", "return self.r.random()"),
    "another gets the seed": cache_dataset(
        "other.seed(index)\n        return self.rng.random()", "self.rng = random.Random()"
    ),
}
test_silent, test_speaks = make_tests(rng_object_in_dataset, SILENT, SPEAKS)
GRADED = {
    "spare draws": (draws_dataset(RETRY), Severity.NOTE),
    "every draw": (draws_dataset("        return self.rng.random()"), Severity.BREAKS),
    "workers that an option may give": (
        use_worker_option(rows_training("self.r = random.Random(1)", "return self.r.random()")),
        Severity.RISKS,
    ),
    "spare draws, and others": (
        draws_dataset("        shift = self.rng.random()" + RETRY),
        Severity.BREAKS,
    ),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(rng_object_in_dataset, code)

    assert finding.severity is severity
