"""PDR208: a container is opened for every item."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Counterfactual, Finding, Severity
from pipedoctor.facts import DataSet, DataSets, Facts, Pipeline, Sample, Shares
from pipedoctor_checks.item.container_open_per_item import container_open_per_item
from tests.checks.code_samples import (
    MANY_ITEMS,
    STREAM,
    cache_dataset,
    find,
    frames,
    make_tests,
    read,
    rows_training,
)
from tests.tune.seen import pipeline, setting, trial

CONTAINER_ROWS = """
class Rows(Dataset):
    def __getitem__(self, index):
        with h5py.File(PATH) as file:
            return file["x"][index % 100]

    def __len__(self):
        return 1000
"""
ONE_EACH = CONTAINER_ROWS.replace("PATH", "self.paths[index // 100]")
ONE_FOR_ALL = CONTAINER_ROWS.replace("PATH", "self.path")


def container_files(**suffixes: int) -> DataSets:
    """Data with so many files of each suffix."""
    files = {f".{name}": number for name, number in suffixes.items()}
    sample = Sample(files=sum(files.values()), bytes=1, complete=True, seconds=0.1, suffixes=files)
    return DataSets(entries=(DataSet(path="/data", sample=sample),))


def measured_target(samples: int | None = 1000, workers: int = 4) -> Pipeline:
    shares = Shares(read=0.2, decode=0.3, transform=0.5, opened=0.25)
    return pipeline(
        trial(0, 0.02), start=setting(workers), samples=samples, wall=shares, cpu=shares
    )


def find_container(code: str, *facts: Any, **settings: Any) -> Finding:
    known = Facts(read(code), *facts)
    (finding,) = container_open_per_item.run(known, **settings).findings
    return finding


UNKNOWN = DataSets(entries=(DataSet(path="/data"),))
HALF = DataSets(
    entries=(
        DataSet(
            path="/data",
            sample=Sample(files=9, bytes=1, complete=False, seconds=1, suffixes={".h5": 9}),
        ),
    )
)
SILENT = {
    "many items of each file": STREAM.format(read="h5py.File('x')[path]", items=MANY_ITEMS),
    "many items, here": STREAM.format(read="path", items=MANY_ITEMS).replace(
        "read(path)\n            for", "h5py.File('x')[path]\n            for"
    ),
    "all items of each file": STREAM.format(read="h5py.File('x')[path]", items="yield from rows"),
    "a film of an object that is made for each item": "class Film:\n"
    "    def __init__(self, path):\n        path = str(path)\n        self.path = path\n"
    "        self.load()\n    def load(self):\n"
    "        self.frames = cv2.VideoCapture(self.path)\n\n"
    + frames("return Film(self.files[index]).frames"),
    "when first needed": frames("if self.file is None:\n    self.file = h5py.File('x')"),
    "a file that is the item": frames(
        "f = h5py.File(f'{index}.h5')\nreturn f['image'][:], np.array(f['mask']), f['n'][()]"
    ),
    "kept by a list of the module": "import zipfile\nOPEN = []\n"
    + frames("OPEN.append({'file': zipfile.ZipFile('x.zip')})\nreturn OPEN[-1]['file']"),
    "a file that is asked and read": frames(
        "f = h5py.File(f'{index}.h5')\nif 'x' not in f:\n    return\nx = f['x'][()]\nf.close()"
    ),
    "once": frames(init="h5py.File('x').close()"),
    "nobody loads from it": "class Rows:\n    def __getitem__(self, index):\n"
    "        return h5py.File('x')[index]\n",
    "only the first time": cache_dataset(
        "if self.rows is None:\n            with h5py.File(self.path) as f:\n"
        "                self.rows = f['rows'][:]\n        return self.rows[index]"
    ),
}
OPENS = (
    "class Rows(Dataset):\n    def __init__(self):\n        self.file = None\n"
    "    def connect(self):\n        self.file = h5py.File('x')\n"
    "    def __getitem__(self, index):\n        {asked}\n            self.connect()\n"
    "        return self.file[index]\n"
)
HELD = (
    "class Store:\n    def __init__(self, path):\n        self.file = h5py.File(path)\n"
    "class Rows(Dataset):\n    store = None\n"
    "    def __getitem__(self, index):\n        {asked}\n"
    "            self.store = Store('x')\n        return self.store.file[index]\n"
)
VIDEO = "import decord\n" + frames("x = self.decode(self.paths[index])").replace(
    "    def __getitem__",
    "    def decode(self, path):\n        name = path\n"
    "        return decord.VideoReader({name})\n\n    def __getitem__",
    1,
)
SILENT_METHODS = {
    "by a method, when first needed": OPENS.format(asked="if self.file is None:"),
    "by a method, unless it is there": OPENS.format(asked="if not self.file:"),
    "by a method, unless it was made": OPENS.format(asked="if not hasattr(self, 'file'):"),
    "by an object, when first needed": HELD.format(asked="if self.store is None:"),
    "a video of its own": VIDEO.format(name="name"),
}
SPEAKS = {
    "one item of each file": STREAM.format(read="h5py.File('x')[path]", items="yield rows"),
    "an item after many": STREAM.format(read="h5py.File('x')[path]", items="yield rows").replace(
        "        for path", "        for row in self.rows:\n            yield row\n        for path"
    ),
    "by an object, each time": HELD.format(asked="for _ in range(1):"),
    "by a method, each time": OPENS.format(asked="if self.other is None:"),
    "one video for all": VIDEO.format(name="self.video"),
    "opened": frames("with h5py.File('x') as f:\n    x = f[index]"),
    "a class that a loader is given": rows_training(
        "pass", "return h5py.File('x')[index]", base="object"
    ),
    "a class that hides its base": rows_training("pass", "return h5py.File('x')[index]").replace(
        "Rows", "Dataset"
    ),
    "each time": cache_dataset(
        "if self.rows is None:\n            with h5py.File(self.path) as f:\n"
        "                rows = f['rows'][:]\n        return rows[index]"
    ),
    "each time but none": cache_dataset(
        "if self.rows is not None:\n            return h5py.File(self.path)[index]"
    ),
}
test_silent, test_speaks = make_tests(container_open_per_item, SILENT | SILENT_METHODS, SPEAKS)


def test_containers_that_come_again_stay_open_in_every_worker(snapshot: SnapshotAssertion) -> None:
    finding = find_container(ONE_EACH, container_files(h5=10), measured_target())

    assert finding.severity is Severity.SLOWS
    assert finding.summary == (
        "Rows.__getitem__ opens a container for every item, although 10 of them hold 1000 samples"
    )
    assert finding.evidence["containers"] == 10
    assert finding.evidence["kept_open"] == 10
    assert finding.evidence["found_open"] == 0.96
    assert finding.counterfactual == Counterfactual(opened=0.96)
    (remedy,) = finding.remedies
    assert remedy.title == snapshot
    assert "functools.lru_cache(10)(h5py.File)" in remedy.snippet


def test_of_many_containers_some_stay_open() -> None:
    facts = container_files(h5=200, hdf5=50, txt=999), measured_target(samples=10_000, workers=0)
    finding = find_container(ONE_EACH, *facts, handles=100)

    assert finding.counterfactual == Counterfactual(opened=0.4 * 0.99)
    assert "lru_cache(100)" in finding.remedies[0].snippet


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param((), id="nothing is known"),
        pytest.param((container_files(h5=10),), id="nothing was measured"),
        pytest.param((measured_target(),), id="no data was named"),
        pytest.param((container_files(h5=10), measured_target(None)), id="an epoch has no end"),
        pytest.param((container_files(npy=10), measured_target()), id="no containers"),
        pytest.param((container_files(h5=501), measured_target()), id="hardly one comes again"),
        pytest.param((UNKNOWN, measured_target()), id="nobody has looked"),
        pytest.param((HALF, measured_target()), id="nobody has seen all of them"),
        pytest.param(
            (container_files(h5=100), measured_target(workers=10)),
            id="each worker opens each one once",
        ),
    ],
)
def test_else_each_item_may_have_its_own(facts: tuple[Any, ...]) -> None:
    finding = find_container(ONE_EACH, *facts)

    assert finding.severity is Severity.NOTE
    assert finding.counterfactual is None
    assert finding.remedies[0].title.startswith("Pack many items into one")


def test_just_enough_samples_for_each() -> None:
    finding = find_container(ONE_EACH, container_files(h5=500), measured_target(workers=1))

    assert finding.severity is Severity.SLOWS
    assert finding.evidence["kept_open"] == 128


def test_one_container_is_opened_once(snapshot: SnapshotAssertion) -> None:
    finding = find_container(ONE_FOR_ALL, container_files(h5=10), measured_target())

    assert finding.severity is Severity.SLOWS
    assert finding.counterfactual == Counterfactual(opened=1.0)
    assert finding.remedies[0].title == snapshot


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        ("return h5py.File(self.path)[index]", "slows"),
        ("return h5py.File(self.path[index])", "note"),
        ("path = self.path\n        return h5py.File(path)[index]", "slows"),
        ("path = self.path[index]\n        return h5py.File(path)", "note"),
    ],
)
def test_each_item_has_a_container_of_its_own(code: str, severity: str) -> None:
    (finding,) = find(container_open_per_item, cache_dataset(code))

    assert finding.severity is Severity[severity.upper()]
    assert ("Pack many" in finding.remedies[0].title) is (severity == "note")
