"""PDR104: persistent workers, but no workers."""

from pipedoctor.check import Confidence, Severity
from pipedoctor_checks.loader.persistent_with_zero_workers import persistent_with_zero_workers
from tests.checks.code_samples import (
    ARGUMENT_DICTIONARY,
    DATASETS,
    WORKERS_OPTION,
    find,
    loader_call,
    make_tests,
)

OPTIONS = """
def made(data, options):
    given = dict(dataset=data, num_workers={workers})
    given["persistent_workers"] = {kept}
    return DataLoader(**given)
"""
KEEP_OPTION = """
def made(data, workers, keep=True):
    return DataLoader(data, num_workers=workers, persistent_workers=keep)

def main(data):
    made(data, 0{more})
    made(data, 4)
"""
SILENT = {
    "workers": loader_call("Images(), num_workers=1, persistent_workers=True"),
    "it depends": loader_call("Images(), persistent_workers=args.workers > 0"),
    "none, and not kept": loader_call("Images(), persistent_workers=False"),
    "nobody knows": loader_call("Images(), persistent_workers=True, **args"),
    "kept only with workers": OPTIONS.format(workers=4, kept="options.get('keep')"),
    "an option that is no option": OPTIONS.format(workers=0, kept="count() > 0"),
    "kept by some": KEEP_OPTION.format(more=", False"),
}
SPEAKS = {
    "not given": loader_call("Images(), persistent_workers=True"),
    "zero": loader_call("Images(), num_workers=0, persistent_workers=True"),
    "zero by default": loader_call(
        "Images(), num_workers=args.workers, persistent_workers=True",
        before=WORKERS_OPTION.format(0),
    ),
    "in a dictionary": DATASETS
    + ARGUMENT_DICTIONARY.format(workers=0, more=", 'persistent_workers': True"),
    "a partial": DATASETS + "from functools import partial\n"
    "make = partial(DataLoader, persistent_workers=True)\n"
    "def main():\n    loader = make(Images())\n",
    "a subclass": DATASETS + "class Mine(DataLoader):\n    pass\n"
    "def main():\n    loader = Mine(Images(), persistent_workers=True)\n",
    "a wrapper": DATASETS + "def make(data, **given):\n"
    "    return DataLoader(data, **given)\n"
    "def main():\n    return make(Images(), persistent_workers=True)\n",
    "kept for whoever asks": OPTIONS.format(workers=0, kept="options.get('keep', False)"),
    "kept by default, whatever the workers": KEEP_OPTION.format(more=""),
}
test_silent, test_speaks = make_tests(persistent_with_zero_workers, SILENT, SPEAKS)


def test_how_a_value_is_known_is_said() -> None:
    code = loader_call(
        "Images(), num_workers=args.workers, persistent_workers=True",
        before=WORKERS_OPTION.format(0),
    )

    (finding,) = find(persistent_with_zero_workers, code)

    assert finding.severity is Severity.BREAKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.evidence == {
        "persistent_workers": "True",
        "num_workers": "0 (default of --workers)",
    }
