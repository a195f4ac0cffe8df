"""PDR101: items are loaded in the training process."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Pipeline
from pipedoctor_checks.loader.num_workers_zero import num_workers_zero
from tests.checks.code_samples import (
    ARGUMENT_DICTIONARY,
    DATASETS,
    GPU_COLLATE,
    HEAD,
    TRAIN_LOOP,
    WORKERS_OPTION,
    cache_dataset,
    find,
    find_gap,
    loader_call,
    make_tests,
)
from tests.checks.image_samples import photo_training
from tests.checks.measured_samples import LINE, SLOW, measured_pipeline
from tests.tune.seen import pipeline, trial

OPEN_HANDLE = "self.bytes = open(files, 'rb')"
IMPORTS = "import torch\nfrom torch.utils.data import DataLoader\n"


def collate_loader(body: str) -> str:
    return f"def together(samples):\n    {body}\n\nloader = DataLoader(rows, collate_fn=together)\n"


def stream_loader(body: str) -> str:
    return (
        "class Stream(IterableDataset):\n"
        "    def __init__(self, source):\n        self.source = source\n"
        f"    def __iter__(self):\n{body}\n\n"
        "loader = DataLoader(Stream(source))\n"
    )


READ_FILES = "        for name in sorted(glob.glob('*.jpg')):\n            yield Image.open(name)"
TWO_SLOW = SLOW + "val = DataLoader(Slow(), batch_size=8)\n"


def snippet(finding: Finding) -> str:
    return finding.remedies[0].snippet


MEASURED_CALL = "DataLoader(..., num_workers=6, prefetch_factor=4, persistent_workers=True)"
USUAL_CALL = "DataLoader(..., num_workers=2)"
AWAY = replace(measured_pipeline(None), elsewhere="it was measured on another machine")
EPOCH_STATE = """
class Slow(Dataset):
    def __init__(self):
        self.epoch = 0

    def __getitem__(self, index):
        return np.asarray(Image.open(self.files[index + self.epoch]))

    def __len__(self):
        return 9


def main():
    dataset = Slow()
    loader = DataLoader(dataset, batch_size=4)
    for epoch in range(9):
        TELL
        for batch in loader:
            print(batch)
"""
TAKEN = """
def build(rows, debug, workers={given}):
    if {test}:
        workers = {then}
    return DataLoader(Images(), num_workers=workers)
"""
SILENT = {
    "given where there are none": DATASETS + TAKEN.format(given=0, test="not workers", then=2),
    "a stream without workers on purpose": stream_loader(READ_FILES).replace(
        "(source))", "(source), num_workers=0)"
    ),
    "one batch is looked at": loader_call("Images()") + "\n    first = next(iter(loader))\n",
    "workers": loader_call("Images(), num_workers=2"),
    "positional": loader_call("Images(), 4, True, None, None, 2"),
    "in memory": loader_call("Memory()"),
    "through a dictionary": DATASETS + ARGUMENT_DICTIONARY.format(workers=1, more=""),
    "a test": "import pytest\n" + loader_call("Images()"),
    "a stream of made numbers": stream_loader(
        "        for _ in range(9):\n            yield torch.randn(3)"
    ),
}
UNKNOWN = {
    "nobody knows the data": loader_call("data"),
    "arguments that nobody sees": loader_call("Images(), **args"),
    "an option": loader_call("Images(), num_workers=args.workers"),
    "zero was written for another's class": "from shelf import Book\n"
    "loader = DataLoader(Book(), num_workers=0)\n",
    "zero was written for whole batches": "def make(data):\n"
    "    return DataLoader(data, batch_size=None, num_workers=0)\n",
    "its options are in a configuration": "class Module:\n"
    "    def __init__(self, workers=0):\n        self.workers = workers\n"
    "    def loader(self):\n        return DataLoader("
    "Rows(9), num_workers=self.workers)\n\nModule(**config['data'])\n"
    + cache_dataset("return Image.open(self.path)"),
    "what collates only pads": collate_loader("return tokenizer.pad(samples)"),
    "what collates counts tokens": collate_loader("return samples[:fit_token_budget(samples)]"),
}
SPEAKS = {
    "none, in either case": DATASETS + TAKEN.format(given=0, test="debug", then=0),
    "one batch is looked at before": loader_call("Images()", TRAIN_LOOP)
    + "\n    first = next(iter(loader))\n",
    "a function that somebody calls takes one": loader_call("Images()")
    + "\n    def draw():\n        return next(iter(loader))\n"
    "    for step in range(9):\n        x = draw()\n",
    "not given": loader_call("Images()"),
    "zero": loader_call("Images(), num_workers=0"),
    "zero by default": loader_call(
        "Images(), num_workers=args.workers", before=WORKERS_OPTION.format(0)
    ),
    "a framework's data": "from torchvision import datasets\n"
    + loader_call("datasets.ImageFolder(root)"),
    "opened anew": photo_training("Photos(files)", kept=OPEN_HANDLE, first="self.bytes = None"),
    "zero was written for who knows what": "def make(data):\n"
    "    return DataLoader(data, num_workers=0)\n",
    "its options are seen": "class Module:\n"
    "    def __init__(self, workers=0):\n        self.workers = workers\n"
    "    def loader(self):\n        return DataLoader("
    "Rows(9), num_workers=self.workers)\n\nModule()\n"
    + cache_dataset("return Image.open(self.path)"),
    "a dataset of a sequence of these": loader_call(
        "Images()", "\n    for images in Shelf():\n        rows = DataLoader(images)\n"
    ).replace("loader = DataLoader(Images())", "pass")
    + "class Shelf:\n    def __getitem__(self, index):\n        return Images()\n",
    "what collates tokenises": collate_loader("return [tokenize(one) for one in samples]"),
    "a stream of anything": stream_loader("        for row in self.source:\n            yield row"),
    "a stream that goes on": stream_loader("        yield from self.source"),
}
test_silent, test_speaks = make_tests(num_workers_zero, SILENT, SPEAKS)


@pytest.mark.parametrize("code", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_seen_is_not_healthy(code: str) -> None:
    gap = find_gap(num_workers_zero, code)

    assert gap.startswith("train.py:")
    assert gap.endswith((" is not known", " is not in PATHS"))


@pytest.mark.parametrize(
    ("workers", "unknown"),
    [
        ("os.cpu_count()", False),
        ("min(8, os.cpu_count() or 1)", False),
        ("min([os.cpu_count() // 2, 4])", False),
        ("len(os.sched_getaffinity(0))", False),
        ("min(8, limit)", True),
        ("min(0, os.cpu_count())", True),
        ("len(names)", True),
    ],
)
def test_a_number_of_cpus_is_not_zero(workers: str, unknown: bool) -> None:
    gap = find_gap(num_workers_zero, loader_call(f"Images(), num_workers={workers}"))

    assert bool(gap) == unknown


@pytest.mark.parametrize(
    ("folder", "told"), [("pkg/test_utils", 0), ("pkg/train_utils", 1), ("test", 1)]
)
def test_tools_for_tests_are_tests(folder: str, told: int) -> None:
    code = {f"{folder}/made.py": HEAD + loader_call("Images()")}
    assert len(find(num_workers_zero, code)) == told


@pytest.mark.parametrize(
    ("path", "found"), [("test/net/test_net.py", 0), ("test/test_net.py", 0), ("test/net.py", 1)]
)
def test_tests_by_their_file(path: str, found: int) -> None:
    code = "from torchvision import datasets\nDataLoader(datasets.ImageFolder('x'))\n"

    assert len(find(num_workers_zero, {path: IMPORTS + code})) == found


@pytest.mark.parametrize(
    ("code", "known", "said"),
    [
        pytest.param(SLOW, (), [USUAL_CALL], id="nothing was measured"),
        pytest.param(SLOW, (measured_pipeline(None),), [MEASURED_CALL], id="the only one"),
        pytest.param(SLOW, (AWAY,), [USUAL_CALL], id="of another machine"),
        pytest.param(TWO_SLOW, (measured_pipeline(None),), [USUAL_CALL], id="one of two"),
        pytest.param(
            TWO_SLOW, (measured_pipeline(LINE),), [MEASURED_CALL, USUAL_CALL], id="the first of two"
        ),
        pytest.param(
            TWO_SLOW, (measured_pipeline(LINE + 1),), [USUAL_CALL, MEASURED_CALL], id="the second"
        ),
        pytest.param(SLOW, (measured_pipeline(LINE, workers=0),), [USUAL_CALL], id="none is best"),
        pytest.param(SLOW, (pipeline(trial(0, 0.02)),), [USUAL_CALL], id="no best is known"),
    ],
)
def test_as_many_workers_as_were_measured(
    code: str, known: tuple[Pipeline, ...], said: list[str]
) -> None:
    found = find(num_workers_zero, code, *known)

    assert [snippet(finding) for finding in found] == said


def test_the_edit_writes_what_was_measured() -> None:
    (finding,) = find(num_workers_zero, SLOW, measured_pipeline(LINE))
    (edit,) = finding.remedies[0].edits

    assert "".join(edit.replacement.split()) == (
        ",num_workers=6,prefetch_factor=4,persistent_workers=True"
    )


@pytest.mark.parametrize(
    ("tell", "lives_on"), [("dataset.epoch = epoch", False), ("print(epoch)", True)]
)
def test_workers_that_are_told_the_epoch_do_not_live_on(tell: str, lives_on: bool) -> None:
    """What a worker is told after it has started, it never hears."""
    (finding,) = find(num_workers_zero, EPOCH_STATE.replace("TELL", tell))

    written = "".join(edit.replacement for edit in finding.remedies[0].edits)
    assert "num_workers=" in written
    assert ("persistent_workers" in written) == lives_on


@pytest.mark.parametrize(
    ("loop", "severity"),
    [
        (
            "\n    with torch.no_grad():\n        for x in loader:\n            net(x)",
            Severity.NOTE,
        ),
        (TRAIN_LOOP, Severity.SLOWS),
    ],
)
def test_a_single_evaluation_is_a_note(loop: str, severity: Severity) -> None:
    (finding,) = find(num_workers_zero, loader_call("Images()", loop))

    assert finding.severity is severity


def test_a_handle_is_opened_in_the_worker_before_there_are_workers() -> None:
    code = photo_training("Photos(files)", kept=OPEN_HANDLE, first="self.bytes.seek(index)")
    (finding,) = find(num_workers_zero, code)
    (remedy,) = finding.remedies

    assert remedy.title == "Open self.bytes in the worker, on first use; then add workers"
    assert not remedy.edits


def test_workers_that_a_branch_takes_away_are_not_known() -> None:
    code = DATASETS + TAKEN.format(given=4, test="debug", then=0)

    assert find_gap(num_workers_zero, code).endswith("num_workers of this DataLoader is not known")


def test_a_stream_is_divided_before_there_are_workers() -> None:
    (finding,) = find(num_workers_zero, stream_loader(READ_FILES).replace("source", "names"))
    (remedy,) = finding.remedies

    assert remedy.title == (
        "Yield only a share of the items in each worker (get_worker_info); then add workers"
    )
    assert not remedy.edits


def test_batches_are_made_on_the_cpu_before_there_are_workers() -> None:
    code = loader_call("Images(), collate_fn=collate", TRAIN_LOOP, GPU_COLLATE)
    (finding,) = find(num_workers_zero, code)
    (remedy,) = finding.remedies

    assert remedy.title == (
        "Create tensors on the CPU in collate, and move batches in the training loop; then add"
        " workers"
    )
    assert not remedy.edits


def test_an_option_that_gives_none_by_default_is_named() -> None:
    code = loader_call("Images(), num_workers=args.workers", before=WORKERS_OPTION.format(0))
    (finding,) = find(num_workers_zero, code)

    assert snippet(finding) == "--workers 2  # or by default"
