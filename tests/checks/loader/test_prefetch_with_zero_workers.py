"""PDR105: a prefetch factor, but no workers."""

from pipedoctor_checks.loader.prefetch_with_zero_workers import prefetch_with_zero_workers
from tests.checks.code_samples import find_one, loader_call, make_tests

SILENT = {
    "workers": loader_call("Images(), num_workers=1, prefetch_factor=4"),
    "it depends": loader_call("Images(), prefetch_factor=4 if args.workers else None"),
    "None": loader_call("Images(), prefetch_factor=None"),
}
SPEAKS = {
    "no workers": loader_call("Images(), prefetch_factor=4"),
    "nothing to prefetch": loader_call("Images(), num_workers=2, prefetch_factor=0"),
}
test_silent, test_speaks = make_tests(prefetch_with_zero_workers, SILENT, SPEAKS)


def test_loaders_of_one_default_are_one_finding() -> None:
    code = """
def make(rows, workers=0, ahead=2):
    train = DataLoader(rows, num_workers=workers, prefetch_factor=ahead)
    val = DataLoader(rows, num_workers=workers, prefetch_factor=ahead)
    return train, val

make(rows)
"""

    finding = find_one(prefetch_with_zero_workers, code)

    assert finding.summary.startswith("train, like val,")
