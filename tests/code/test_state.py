"""What data sets keep and share with their workers, and how they draw at random."""

from collections.abc import Callable

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.facts import Interpreter, TorchBuild
from pipedoctor.facts.source import Minimum

Find = Callable[..., list[Finding]]
LOADED = "\ndef main():\n    loader = DataLoader(Rows(), num_workers={}{})\n"


def rows(
    init: str = "pass", item: str = "pass", workers: int = 2, more: str = ""
) -> str:
    def block(text: str) -> str:
        return "\n".join(" " * 8 + line for line in text.split("\n"))

    return (
        "class Rows(Dataset):\n    def __init__(self):\n"
        f"{block(init)}\n    def __getitem__(self, index):\n{block(item)}\n"
        "    def __len__(self):\n        return 9\n" + LOADED.format(workers, more)
    )


LOOP = "\nfor x in DataLoader(Rows(), num_workers=2):\n    print(x)\n"
EPOCHS = """
class Rows(Dataset):
    def __init__(self):
        self.epoch = {initial}
    def __getitem__(self, index):
        return self.epoch
def main():
    dataset = Rows()
    loader = DataLoader(dataset, num_workers=2, persistent_workers={kept})
    for epoch in range(9):
        dataset.epoch = epoch
        for x in loader:
            print(x)
"""
SETTER = "    def set_epoch(self, e):\n        self.epoch = e\n    def __getitem__"
TOLD = (
    EPOCHS.format(initial=0, kept=True)
    .replace("dataset", "ds")
    .replace("    def __getitem__", SETTER)
    .replace("ds.epoch = epoch", "{name}.set_epoch(epoch)")
)
STREAM = """
class Stream(IterableDataset):
    def __iter__(self):
        {body}
def main():
    loader = DataLoader(Stream(), num_workers={workers})
"""
SAMPLED = """
from torch.utils.data.distributed import DistributedSampler
def main(data):
    sampler = DistributedSampler(data{more})
    train_loader = DataLoader(data, sampler=sampler)
    for epoch in range(9):
        {then}
        for x in train_loader:
            net(x).backward()
"""
SEEDED = "def seed(worker_id):\n    {}\n" + rows(more=", worker_init_fn=seed")
SILENT: dict[str, dict[str, str]] = {
    "cuda_in_worker": {
        "in the loop": rows() + "    for x in loader:\n        x.cuda()\n",
        "a device that may be the CPU": rows(item="return x.to(self.device)"),
        "asked only": rows(item="return torch.cuda.is_available()"),
    },
    "handle_in_init": {
        "closed again": rows("f = self.f = open('x')\nself.f.close()", "self.f.read()"),
        "in a with": rows("with open('x') as f:\n    self.f = f.read()", "self.f"),
        "opened in the worker": rows(
            "self.f = None", "if self.f is None:\n    self.f = open('x')\nself.f.read()"
        ),
        "opened anew in the worker": rows(
            "self.f = open('x')", "self.f = open('x')\nself.f.read()"
        ),
        "not for items": rows("self.f = open('x')"),
        "no workers": rows("self.f = open('x')", "self.f.read()", 0),
    },
    "cache_grows_in_item": {
        "one slot": rows("self.last = None", "self.last = index"),
        "emptied": rows("self.c = {}", "self.c[index] = 1\nself.c.popitem()"),
        "filled before": rows("self.c = {}\nself.c[0] = 1", "self.c[index]"),
        "handles": rows("self.c = {}", "self.c[index] = open('x')"),
        "handles of a variable": rows(
            "self.c = {}", "f = h5py.File('x')\nself.c[index] = f"
        ),
        "handles that a function opens": "def opened(x):\n    return open(x)\n"
        + rows("self.c = {}", "self.c[index] = opened(index)"),
        "local": rows(item="c = {}\nc[index] = 1"),
        "bounded": "import functools\n@functools.lru_cache(maxsize=9)\n"
        "def f(x):\n    return x\n" + rows(item="f(index)"),
    },
    "python_object_list": {
        "numbers": rows("self.x = []\nfor i in range(9):\n    self.x.append(i)"),
        "dropped": rows("x = []\nfor i in range(9):\n    x.append({'a': i})"),
    },
    "unpicklable_callable": {
        "at the top": "def one(x):\n    return x\n" + rows(more=", collate_fn=one"),
        "no workers": rows(workers=0, more=", collate_fn=lambda x: x"),
        "used and dropped": rows("self.x = sorted([], key=lambda x: x)"),
        "kept, without workers": rows("self.f = lambda x: x", workers=0),
    },
    "main_guard": {
        "guarded": rows()
        + "\nif __name__ == '__main__':\n"
        + LOOP.replace("\n", "\n    "),
        "in a function": rows() + "\ndef run():" + LOOP.replace("\n", "\n    "),
        "only made": rows() + "\nloader = DataLoader(Rows(), num_workers=2)\n",
        "no workers": rows() + LOOP.replace("2", "0"),
    },
    "self_mutation_lost": {
        "while it is made": rows("self.n = 0\nself.n += 1"),
        "local": rows(item="n = 0\nn += 1"),
    },
    "cached_sample_mutated": {
        "copied": rows(item="x = self.rows[index].copy()\nx[0] = 1"),
        "a selection": rows(item="x = self.rows[index]\ny = x[choice]\ny[0] = 1"),
        "made anew": rows(item="x = self.rows[index]\nx = x + 1\nx[0] = 1"),
    },
    "cv2_threads": {
        "limited": "cv2.setNumThreads(0)\n" + rows(item="cv2.imread(index)"),
        "in the main process": rows() + "\ncv2.imread('x')\n",
    },
    "module_global_cache": {
        "emptied": "C = {}\n" + rows(item="C[index] = read(index)\nC.clear()"),
        "filled before": "C = {}\nC[0] = 1\n" + rows(item="C[index]"),
    },
    "start_method": {
        "in a function": "import multiprocessing as m\ndef f():\n"
        "    m.set_start_method('spawn')\n",
        "guarded": "import multiprocessing as m\nif __name__ == '__main__':\n"
        "    m.set_start_method('spawn')\n",
    },
    "numpy_rng_unseeded": {
        "new torch": rows(item="np.random.rand()"),
        "seeded": "def seed(i):\n    np.random.seed(torch.initial_seed() % 2**32)\n"
        + rows(item="np.random.rand()", more=", worker_init_fn=seed"),
        "the other random": rows(item="random.random()"),
    },
    "constant_worker_seed": {
        "torch's": SEEDED.format("np.random.seed(torch.initial_seed() % 2**32)"),
        "worker and time": SEEDED.format(
            "np.random.seed(worker_id + int(time.time()))"
        ),
    },
    "set_epoch_missing": {
        "told": SAMPLED.format(more="", then="sampler.set_epoch(epoch)"),
        "not shuffled": SAMPLED.format(more=", shuffle=False", then="pass"),
        "Lightning": "import lightning\n" + SAMPLED.format(more="", then="pass"),
    },
    "iterable_not_sharded": {
        "one worker": STREAM.format(body="yield 1", workers=1),
        "a queue": STREAM.format(body="yield self.queue.get()", workers=2),
        "a socket": STREAM.format(body="yield self.socket.recv(9)", workers=2),
        "by worker": STREAM.format(
            body="yield torch.utils.data.get_worker_info().id", workers=2
        ),
        "no workers": STREAM.format(body="yield 1", workers=0),
        "drawn": STREAM.format(body="yield random.random()", workers=2),
    },
    "epoch_state_in_persistent_worker": {
        "workers end": EPOCHS.format(initial=0, kept=False),
        "something else": EPOCHS.format(initial=0, kept=True).replace(
            "        dataset.epoch", "        model = Model()\n        model.epoch"
        ),
    },
    "global_reseed_in_dataset": {
        "drawn": rows(item="random.seed(np.random.randint(9))"),
        "its own": rows("self.r = random.Random(1)"),
        "in the script": rows() + "    random.seed(1)\n",
    },
    "rng_object_in_dataset": {
        "not for items": rows("self.r = random.Random(1)"),
        "made anew": rows(
            "self.r = random.Random(1)",
            "self.r = random.Random(index)\nself.r.random()",
        ),
        "no workers": rows("self.r = random.Random(1)", "self.r.random()", 0),
        "a sampler": "class S(torch.utils.data.Sampler):\n    def __init__(self):\n"
        "        self.r = random.Random(1)\n    def __iter__(self):\n"
        "        yield self.r.random()\n",
    },
}
SPEAKS: dict[str, dict[str, str]] = {
    "cuda_in_worker": {
        "moved": rows(item="return x.cuda()"),
        "by name": rows(item="return x.to('cuda:0')"),
        "in the collate function": "def one(x):\n    return x.cuda()\n"
        + rows(more=", collate_fn=one"),
    },
    "handle_in_init": {
        "a file": rows("self.f = open('x', 'rb')", "return self.f.read()"),
        "HDF5": rows("self.f = h5py.File('x')", "return self.f[index]"),
    },
    "cache_grows_in_item": {
        "a dictionary": rows("self.c = {}", "self.c[index] = 1"),
        "a list": rows("self.c = []", "self.c.append(index)"),
        "what a function makes": "def made(x):\n    return x + 1\n"
        + rows("self.c = {}", "self.c[index] = made(index)"),
        "no bound": "import functools\n@functools.lru_cache(maxsize=None)\n"
        "def f(x):\n    return x\n" + rows(item="f(index)"),
    },
    "python_object_list": {
        "dictionaries": rows(
            "self.x = []\nfor i in range(9):\n    self.x.append({'a': i})"
        )
    },
    "unpicklable_callable": {
        "collate": rows(more=", collate_fn=lambda x: x"),
        "a local function": "def main(data):\n    def one(x):\n        return x\n"
        "    return DataLoader(data, num_workers=2, collate_fn=one)\n",
        "kept": rows("self.f = lambda x: x"),
    },
    "main_guard": {
        "at the top": rows() + LOOP,
        "by a call": rows()
        + "\ndef run():"
        + LOOP.replace("\n", "\n    ")
        + "\nrun()\n",
    },
    "self_mutation_lost": {
        "counted": rows("self.n = 0", "self.n += 1"),
        "taken out": rows("self.s = set(range(9))", "self.s.discard(index)"),
    },
    "cached_sample_mutated": {
        "by index": rows(item="x = self.rows[index]\nx[0] = 1"),
        "in one branch": rows(
            item="if index in self.c:\n    x, y = self.c[index]\n"
            "else:\n    x, y = new(index)\nx[:, 0] = 1"
        ),
    },
    "cv2_threads": {"for items": rows(item="cv2.resize(x, (9, 9))")},
    "module_global_cache": {"grows": "C = {}\n" + rows(item="C[index] = read(index)")},
    "start_method": {
        "imported": "import torch.multiprocessing as m\nm.set_start_method('spawn')\n"
    },
    "constant_worker_seed": {
        "by worker": SEEDED.format("np.random.seed(worker_id)"),
        "constant": SEEDED.format("random.seed(1)"),
        "a partial": "from functools import partial\ndef seed(i, base):\n"
        "    random.seed(i + base)\n"
        + rows(more=", worker_init_fn=partial(seed, base=1)"),
    },
    "set_epoch_missing": {"never": SAMPLED.format(more="", then="pass")},
    "iterable_not_sharded": {"all of it": STREAM.format(body="yield 1", workers=2)},
    "epoch_state_in_persistent_worker": {
        "kept": EPOCHS.format(initial=0, kept=True),
        "by another name": EPOCHS.format(initial=0, kept=True).replace("dataset", "ds"),
        "by a method": TOLD.format(name="ds"),
        "by a method of what is handed in": TOLD.format(name="loader.dataset"),
    },
    "global_reseed_in_dataset": {"made": rows("random.seed(1234)")},
    "rng_object_in_dataset": {
        "random": rows("self.r = random.Random(1)", "return self.r.random()"),
        "numpy": rows("self.r = np.random.default_rng(1)", "return self.r.random()"),
    },
}


def test_silent(find: Find, silent: tuple[str, str]) -> None:
    assert find(*silent) == []


def test_speaks(find_one: Find, speaks: tuple[str, str]) -> None:
    find_one(*speaks)


@pytest.mark.parametrize(
    ("version", "severity"), [("3.13.9", Severity.NOTE), ("3.14.0", Severity.BREAKS)]
)
@pytest.mark.parametrize("name", ["unpicklable_callable", "main_guard"])
def test_what_forks_allow_breaks_from_python_3_14_on(
    find: Find, name: str, version: str, severity: Severity
) -> None:
    code = rows(more=", collate_fn=lambda x: x") + LOOP

    found = find(name, code, Interpreter(version=version))

    assert {finding.severity for finding in found} == {severity}


KEPT = rows("self.f = open('x')", "self.f.read()").replace(
    "    def __len__", "    def {}:\n        {}\n    def __len__"
)
SPAWN = "def f():\n    torch.multiprocessing.set_start_method('spawn')\n"
LEFT_OUT = {
    "set to nothing": "state = self.__dict__.copy(); state['f'] = None; return state",
    "taken out": "state = dict(vars(self)); state.pop('f'); return state",
    "given anew": "return dict(self.__dict__, f=None)",
    "chosen": "return {k: v for k, v in self.__dict__.items() if k not in HANDLES}",
    "another state": "return self.path",
}


@pytest.mark.parametrize("body", LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_handle_that_is_not_pickled_harms_under_fork_alone(
    find: Find, body: str
) -> None:
    code = KEPT.format("__getstate__(self)", body)

    assert find("handle_in_init", SPAWN + code) == []
    (forked,) = find("handle_in_init", code)
    assert "reads wrong data" in forked.summary


@pytest.mark.parametrize(
    "body",
    [
        "return self.__dict__",
        "state = self.__dict__.copy(); state['other'] = None; return state",
        "state = super().__getstate__(); del state['other']; return state",
    ],
)
def test_a_state_that_keeps_the_handle_cures_nothing(find: Find, body: str) -> None:
    (spawned,) = find("handle_in_init", SPAWN + KEPT.format("__getstate__(self)", body))

    assert "cannot be pickled" in spawned.summary


def test_a_state_of_the_base_class_counts(find: Find) -> None:
    base = "class Base(Dataset):\n    def __reduce__(self):\n        return Base, ()\n"
    code = rows("self.f = open('x')", "self.f.read()").replace("Dataset", "Base")

    assert find("handle_in_init", SPAWN + base + code) == []


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        ("self.f is None", 1),
        ("not self.f", 1),
        ("self.f is None or self.pid != os.getpid()", 0),
        ("self.pid != os.getpid()", 0),
    ],
)
def test_opened_anew_only_where_a_fork_left_none(
    find: Find, guard: str, said: int
) -> None:
    item = f"if {guard}:\n    self.f = open('x')\nself.f.read()"

    assert len(find("handle_in_init", rows("self.f = open('x')", item))) == said


@pytest.mark.parametrize(
    ("more", "severity", "harm"),
    [
        ("", Severity.BREAKS, "fails in workers"),
        (", lock=True", Severity.BREAKS, "fails in workers"),
        (", lock=False", Severity.RISKS, "must not be used in workers"),
    ],
)
def test_lmdb(find: Find, more: str, severity: Severity, harm: str) -> None:
    code = "import lmdb\n" + rows(f"self.e = lmdb.open('x'{more})", "self.e.begin()")

    (forked,) = find("handle_in_init", code)
    (spawned,) = find("handle_in_init", SPAWN + code)

    assert (forked.severity, spawned.severity) == (severity, Severity.BREAKS)
    assert harm in forked.summary
    assert "lmdb.open(self.path, readonly=True, lock=False)" in str(forked.remedies)


def test_a_handle_breaks_under_every_start_method(find: Find) -> None:
    code = rows("self.f = open('x')", "self.f.read()")

    (forked,) = find("handle_in_init", code)
    spawn = "torch.multiprocessing.set_start_method('spawn')\n"
    (spawned,) = find("handle_in_init", f"def f():\n    {spawn}{code}")

    assert forked.severity is spawned.severity is Severity.BREAKS
    assert "reads wrong data" in forked.summary
    assert "cannot be pickled" in spawned.summary


@pytest.mark.parametrize(
    ("declared", "installed", "severities"),
    [
        pytest.param("1.9", "2.13.0", [], id="new enough"),
        pytest.param("1.8", "2.13.0", [Severity.NOTE], id="only the project is old"),
        pytest.param("1.8", "1.8.1", [Severity.BREAKS], id="the installed one is old"),
    ],
)
def test_numpy_is_seeded_from_torch_1_9_on(
    find: Find, declared: str, installed: str, severities: list[Severity]
) -> None:
    found = find(
        "numpy_rng_unseeded",
        rows(item="np.random.rand()"),
        TorchBuild(version=installed),
        torch=Minimum(version=declared, told="setup.py"),
    )

    assert [finding.severity for finding in found] == severities


def test_numpy_may_not_be_seeded_where_nobody_knows_which_torch_is_here(
    find: Find,
) -> None:
    old = Minimum(version="1.8", told="setup.py")

    (finding,) = find("numpy_rng_unseeded", rows(item="np.random.rand()"), torch=old)

    assert finding.severity is Severity.RISKS
    assert finding.evidence["oldest_torch"] == "1.8 (setup.py)"


@pytest.mark.parametrize(
    ("start", "more", "findings"),
    [
        pytest.param(
            "def seed(i):\n    np.random.seed(torch.initial_seed() % 2**32)\n",
            ", worker_init_fn=seed",
            0,
            id="seeded",
        ),
        pytest.param("", ", worker_init_fn=lambda i: None", 0, id="nobody can say"),
        pytest.param(
            "def greet(i):\n    pass\n", ", worker_init_fn=greet", 1, id="not seeded"
        ),
    ],
)
def test_numpy_below_torch_1_9_wants_a_seed(
    find: Find, start: str, more: str, findings: int
) -> None:
    found = find(
        "numpy_rng_unseeded",
        start + rows(item="np.random.rand()", more=more),
        TorchBuild(version="1.8.1"),
        torch=Minimum(version="1.8", told="setup.py"),
    )

    assert len(found) == findings
