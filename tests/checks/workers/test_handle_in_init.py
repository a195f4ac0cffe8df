"""PDR302: one open file shared by all workers."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.workers.handle_in_init import handle_in_init
from tests.checks.code_samples import (
    find,
    make_tests,
    rows_dataset,
    rows_training,
    use_worker_option,
)

HANDLE_AND_METHOD = rows_dataset("self.f = open('x')", "self.f.read()").replace(
    "    def __len__", "    def {}:\n        {}\n    def __len__"
)
SPAWN = "def f():\n    torch.multiprocessing.set_start_method('spawn')\n"
STATES_WITHOUT_HANDLE = {
    "set to nothing": "state = self.__dict__.copy(); state['f'] = None; return state",
    "taken out": "state = dict(vars(self)); state.pop('f'); return state",
    "given anew": "return dict(self.__dict__, f=None)",
    "chosen": "return {k: v for k, v in self.__dict__.items() if k not in HANDLES}",
    "another state": "return self.path",
}
EARLY_OPEN = """
import zipfile
class Zipped(Dataset):
    def __init__(self, path):
        self.path = path
        self.zip = None
        self.names = self.opened().namelist()
        {then}
    def opened(self):
        if {guard}:
            self.zip = zipfile.ZipFile(self.path)
        return self.zip
    def __getitem__(self, index):
        return self.opened().read(self.names[index])
    def __len__(self):
        return len(self.names)
"""
OPEN_HDF5 = "self.file = h5py.File(path)\n"
SILENT = {
    "a reader of frames that is iterated": """
        class Film:
            def __init__(self, path):
                self.film = cv2.VideoCapture(path)
            def __len__(self):
                return 9
            def __getitem__(self, index):
                return self.film.read()
            def __iter__(self):
                return self
            def __next__(self):
                return self.film.read()
        loader = DataLoader(build(config.dataset), num_workers=2)
    """,
    "closed again": rows_dataset("f = self.f = open('x')\nself.f.close()", "self.f.read()"),
    "in a with": rows_dataset("with open('x') as f:\n    self.f = f.read()", "self.f"),
    "opened in the worker": rows_dataset(
        "self.f = None", "if self.f is None:\n    self.f = open('x')\nself.f.read()"
    ),
    "opened anew in the worker": rows_dataset(
        "self.f = open('x')", "self.f = open('x')\nself.f.read()"
    ),
    "not for items": rows_dataset("self.f = open('x')"),
    "no workers": rows_dataset("self.f = open('x')", "self.f.read()", 0),
    "closed again by a method": EARLY_OPEN.format(
        then="self.zip.close()", guard="self.zip is None"
    ),
    "opened by each process": EARLY_OPEN.format(then="pass", guard="self.pid != os.getpid()"),
    "cut out of it": rows_training(OPEN_HDF5 + "self.x = self.file['x'][:]", "self.x[index]"),
    "cut out whole": rows_training(OPEN_HDF5 + "self.x = self.file['x'][()]", "self.x[index]"),
    "all of it": rows_training(OPEN_HDF5 + "self.x = self.file['x'][...]", "self.x[index]"),
    "its names": rows_training(OPEN_HDF5 + "self.x = self.file.keys()", "self.x"),
    "a part that items do not read": rows_training(OPEN_HDF5 + "self.x = self.file['x']", "1"),
    "a part that is renewed": rows_training(
        OPEN_HDF5 + "self.x = self.file['x']", "self.x = h5py.File('x')['x']\nreturn self.x[index]"
    ),
    "closed by the with around it": rows_training(
        "with h5py.File(path) as f:\n    self.x = f['x']", "return self.x[index]"
    ),
    "cut out of a variable": rows_training(
        "f = h5py.File(path)\nself.x = f['x'][:]", "return self.x[index]"
    ),
    "one value of several": rows_training(
        "self.x = [h5py.File(p)['x'][0] for p in path]", "return self.x[index]"
    ),
    "a part of another": rows_training(OPEN_HDF5 + "self.x = path['x']", "return self.x[index]"),
}
SPEAKS = {
    "opened by a method that is called later": rows_dataset(
        "self.f = None", "self.f.read()"
    ).replace(
        "    def __len__", "    def initialize(self):\n        self.f = open('x')\n    def __len__"
    )
    + "\ndef prepare():\n    rows = Rows()\n    rows.initialize()\n",
    "a file": rows_dataset("self.f = open('x', 'rb')", "return self.f.read()"),
    "HDF5": rows_dataset("self.f = h5py.File('x')", "return self.f[index]"),
    "opened early": EARLY_OPEN.format(then="pass", guard="self.zip is None"),
    "a part whose name is put together": rows_training(
        OPEN_HDF5 + "self.x = self.file['x_' + path]", "return self.x[index]"
    ),
    "a part": rows_training(OPEN_HDF5 + "self.x = self.file['x']", "return self.x[index]"),
    "a part of a part": rows_training(
        OPEN_HDF5 + "self.x = self.file[path]['x']", "return self.x[index]"
    ),
    "by a method": rows_training(OPEN_HDF5 + "self.x = self.file.get('x')", "return self.x[index]"),
    "a transaction": "import lmdb\n"
    + rows_training(
        "self.env = lmdb.open(path)\nself.txn = self.env.begin()", "return self.txn.get(index)"
    ),
}
OPEN_FUNCTION = """
def reader(path):
    file = h5py.File(path)
    return file, len(file)
"""
OPEN_METHOD = """
class Store:
    def __init__(self, path):
        self.path = path
    def start(self):
        self.file = h5py.File(self.path)
    def take(self, index):
        return self.file["x"][index]
"""
SPEAKS.update(
    {
        "a variable": rows_training("f = h5py.File(path)\nself.f = f", "return self.f['x'][index]"),
        "a part of a variable": rows_training(
            "f = h5py.File(path)\nself.x = f['x']", "return self.x[index]"
        ),
        "a part of a call": rows_training("self.x = h5py.File(path)['x']", "return self.x[index]"),
        "one of two ways": rows_training(
            "self.f = h5py.File(path) if path else None", "return self.f['x'][index]"
        ),
        "a list of files": rows_training(
            "self.f = [h5py.File(p) for p in path]", "return self.f[index]['x'][0]"
        ),
        "a list that is filled": rows_training(
            "self.f = []\nfor p in path:\n    self.f.append(h5py.File(p))",
            "return self.f[index]['x'][0]",
        ),
        "a dictionary that is filled": rows_training(
            "self.f = {}\nfor p in path:\n    self.f[p] = h5py.File(p)",
            "return self.f[index]['x'][0]",
        ),
        "a function": OPEN_FUNCTION
        + rows_training("self.f, self.size = reader(path)", "return self.f['x'][index]"),
        "a method of its own": rows_training("self.start()", "return self.f['x'][index]").replace(
            "    def __getitem__",
            "    def start(self):\n        self.f = h5py.File('x')\n\n    def __getitem__",
        ),
        "a method of another object": OPEN_METHOD
        + rows_training("self.s = Store(path)\nself.s.start()", "return self.s.take(index)"),
        "a file that is handed over": rows_training(
            "self.f = path", "return self.f['x'][index]"
        ).replace("Rows('x')", "Rows(h5py.File('x'))"),
    }
)
test_silent, test_speaks = make_tests(handle_in_init, SILENT, SPEAKS)


@pytest.mark.parametrize("body", STATES_WITHOUT_HANDLE.values(), ids=STATES_WITHOUT_HANDLE)
def test_a_handle_that_is_not_pickled_harms_under_fork_alone(body: str) -> None:
    code = HANDLE_AND_METHOD.format("__getstate__(self)", body)

    assert find(handle_in_init, SPAWN + code) == []
    (forked,) = find(handle_in_init, code)
    assert "reads wrong data" in forked.summary


@pytest.mark.parametrize(
    "body",
    [
        "return self.__dict__",
        "state = self.__dict__.copy(); state['other'] = None; return state",
        "state = super().__getstate__(); del state['other']; return state",
    ],
)
def test_a_state_that_keeps_the_handle_cures_nothing(body: str) -> None:
    (spawned,) = find(handle_in_init, SPAWN + HANDLE_AND_METHOD.format("__getstate__(self)", body))

    assert "cannot be pickled" in spawned.summary


def test_a_state_of_the_base_class_counts() -> None:
    base = "class Base(Dataset):\n    def __reduce__(self):\n        return Base, ()\n"
    code = rows_dataset("self.f = open('x')", "self.f.read()").replace("Dataset", "Base")

    assert find(handle_in_init, SPAWN + base + code) == []


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        ("self.f is None", 1),
        ("not self.f", 1),
        ("self.f is None or self.pid != os.getpid()", 0),
        ("self.pid != os.getpid()", 0),
    ],
)
def test_opened_anew_only_where_a_fork_left_none(guard: str, said: int) -> None:
    item = f"if {guard}:\n    self.f = open('x')\nself.f.read()"

    assert len(find(handle_in_init, rows_dataset("self.f = open('x')", item))) == said


@pytest.mark.parametrize(
    ("more", "severity", "harm"),
    [
        ("", Severity.BREAKS, "fails in workers"),
        (", lock=True", Severity.BREAKS, "fails in workers"),
        (", lock=False", Severity.RISKS, "must not be used in workers"),
    ],
)
def test_lmdb(more: str, severity: Severity, harm: str) -> None:
    code = "import lmdb\n" + rows_dataset(f"self.e = lmdb.open('x'{more})", "self.e.begin()")

    (forked,) = find(handle_in_init, code)
    (spawned,) = find(handle_in_init, SPAWN + code)

    assert (forked.severity, spawned.severity) == (severity, Severity.BREAKS)
    assert harm in forked.summary
    assert "lmdb.open('x', readonly=True, lock=False)" in forked.remedies[0].snippet


def test_a_handle_breaks_under_every_start_method() -> None:
    code = rows_dataset("self.f = open('x')", "self.f.read()")

    (forked,) = find(handle_in_init, code)
    spawn = "torch.multiprocessing.set_start_method('spawn')\n"
    (spawned,) = find(handle_in_init, f"def f():\n    {spawn}{code}")

    assert forked.severity is spawned.severity is Severity.BREAKS
    assert "reads wrong data" in forked.summary
    assert "cannot be pickled" in spawned.summary


@pytest.mark.parametrize(("part", "edits"), [("[()]", True), ("", False)])
def test_a_part_of_a_file_is_not_reopened_by_an_edit(part: str, *, edits: bool) -> None:
    init = f"{OPEN_HDF5}self.x = self.file['x']{part}"
    (finding,) = find(handle_in_init, rows_training(init, "return self.file, self.x"))

    assert bool(finding.remedies[0].edits) is edits


@pytest.mark.parametrize(
    ("opened", "severities"),
    [
        ("h5py.File('x')", [Severity.BREAKS]),
        ("sqlite3.connect('x')", [Severity.RISKS]),
        ("rasterio.open('x')", [Severity.RISKS]),
        ("zarr.open('x')", []),
    ],
)
def test_it_breaks_only_what_is_known_to(opened: str, severities: list[Severity]) -> None:
    library = opened.partition(".")[0]
    code = f"import {library}\n" + rows_dataset(f"self.e = {opened}", "return self.e[index]")

    assert [one.severity for one in find(handle_in_init, code)] == severities


def test_workers_that_an_option_may_give_are_a_risk() -> None:
    code = rows_training("self.f = h5py.File(path)", "return self.f['x'][index]")
    (finding,) = find(handle_in_init, use_worker_option(code))

    assert finding.severity is Severity.RISKS
