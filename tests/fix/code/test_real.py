"""The harm is real on the installed torch, and gone after the edit."""

import contextlib
import io
import sys
import warnings
from pathlib import Path

import pytest

from pipedoctor.facts import TorchBuild
from tests.fix.code.conftest import Mend

pytest.importorskip("torch")
TOP = """\
import warnings
warnings.simplefilter("ignore")
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Numbers(Dataset):
    def __getitem__(self, index):
        return torch.load(index) if index > 99 else index

    def __len__(self):
        return 4


class Stream(IterableDataset):
    def __iter__(self):
        import random
        return iter([1, 2, random.random()])


"""
RAISES = {
    "PDR104": (
        "list(DataLoader(Numbers(), persistent_workers=True))\n",
        "persistent_workers option needs num_workers > 0",
    ),
    "PDR105": (
        "list(DataLoader(Numbers(), prefetch_factor=2))\n",
        "prefetch_factor option could only be specified in multiprocessing",
    ),
    "PDR108": (
        (
            "sampler = torch.utils.data.SequentialSampler(range(4))\n"
            "list(DataLoader(Numbers(), shuffle=True,\n"
            "    sampler=torch.utils.data.SequentialSampler(range(4))))\n"
        ),
        "sampler option is mutually exclusive with shuffle",
    ),
    "PDR112": (
        "list(DataLoader(Stream(), shuffle=True))\n",
        "expected unspecified shuffle option",
    ),
    "PDR603": (
        "it = iter(DataLoader(Numbers()))\nit.next()\n",
        "has no attribute 'next'",
    ),
}


def ran(code: str, name: str = "__main__") -> str:
    """What it prints last, or dies with."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            exec(compile(code, "train.py", "exec"), {"__name__": name})
    except Exception as error:  # noqa: BLE001  (whatever it dies with)
        return f"{type(error).__name__}: {error}"
    return printed.getvalue().strip()


@pytest.mark.parametrize("select", RAISES)
def test_it_raised_and_does_not_any_more(mend: Mend, select: str) -> None:
    code, said = RAISES[select]
    before = TOP + code + "print('well')\n"

    outcome = mend({"train.py": before}, select=select, unsafe=True)

    assert said in ran(before)
    assert ran(outcome.files["train.py"].decode()) == "well"


EPOCHS = """
def main(net):
    sampler = DistributedSampler(Numbers(), num_replicas=1, rank=0)
    train = DataLoader(Numbers(), batch_size=4, sampler=sampler)
    seen = set()
    for epoch in range(8):
        for x in train:
            seen.add(str(x))
            net(x).backward()
    print(len(seen) > 1)


if __name__ == "__main__":
    net = lambda x: torch.nn.Parameter(x.float()).sum()
    main(net)
"""


def test_each_epoch_has_an_order_of_its_own(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + EPOCHS}, select="PDR503")

    assert ran(TOP + EPOCHS) == "False"
    assert ran(outcome.files["train.py"].decode()) == "True"


SEEDS = """
import random


def seed(worker_id):
    random.seed(worker_id)


class Draws(Dataset):
    def __getitem__(self, index):
        return random.random()

    def __len__(self):
        return 2


if __name__ == "__main__":
    loader = DataLoader(Draws(), num_workers=1, worker_init_fn=seed)
    print(list(map(str, loader)) != list(map(str, loader)))
"""


def test_epochs_draw_other_numbers(mend: Mend, tmp_path: Path) -> None:
    outcome = mend({"train.py": TOP + SEEDS}, select="PDR502")

    assert ran(TOP + SEEDS) == "False"
    assert ran(outcome.files["train.py"].decode()) == "True"
    assert (tmp_path / "train.py").read_text() == TOP + SEEDS


GRAPH = """
def main(net):
    total = 0
    loader = DataLoader(TensorDataset(torch.ones(4)))
    for (x,) in loader:
        loss = net(x).sum()
        loss.backward()
        total += loss
    print(total.grad_fn is None)


main(torch.nn.Linear(1, 1))
"""


def test_the_sum_keeps_no_graph(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + GRAPH}, select="PDR409")

    assert ran(TOP + GRAPH) == "False"
    assert ran(outcome.files["train.py"].decode()) == "True"


AMP = """
warnings.simplefilter("error", FutureWarning)
with torch.cuda.amp.autocast(False):
    scaler = torch.cuda.amp.GradScaler(enabled=False)
print(scaler.is_enabled())
"""


def test_the_old_name_warns(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + AMP}, TorchBuild(version="2.13"), select="PDR601")

    assert "FutureWarning" in ran(TOP + AMP)
    assert ran(outcome.files["train.py"].decode()) == "False"


SHARED = """


class Records(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")

    def __getitem__(self, index):
        self.file.seek(8 * index)
        return int.from_bytes(self.file.read(8), "little")

    def __len__(self):
        return 800


if __name__ == "__main__":
    with open("numbers", "wb") as file:
        file.write(b"".join(n.to_bytes(8, "little") for n in range(800)))
    data = Records("numbers")
    loader = DataLoader(data, batch_size=None, num_workers=2)
    print(sum(int(x) != n for n, x in enumerate(loader)) == 0)
    data.file.close()
"""


SENT_AGAIN = """
from again import Records
import pickle
data = Records("numbers")
data[1]
again = pickle.loads(pickle.dumps(data))
print(again[3])
data.file.close()
again.file.close()
"""


def test_each_worker_reads_its_own_file(
    mend: Mend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = mend({"train.py": TOP + SHARED}, select="PDR302", unsafe=True)
    new = outcome.files["train.py"].decode()
    (tmp_path / "again.py").write_text(new)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])

    assert ran(TOP + SHARED) == "False"
    assert ran(new) == "True"
    assert ran(SENT_AGAIN) == "3"


DRAWN = """
import numpy as np


class Draws(Dataset):
    def __init__(self):
        self.rng = {}

    def __getitem__(self, index):
        return {}

    def __len__(self):
        return 4


if __name__ == "__main__":
    data = Draws()
    torch.manual_seed(1)
    loader = DataLoader(data, batch_size=None, num_workers=2)
    both = [float(x) for x in loader], [float(x) for x in loader]
    print(len({{*both[0], *both[1]}}))
    print([float(x) for x in DataLoader(data, batch_size=None)])
"""
GENERATORS = {
    "numpy": ("np.random.default_rng(3)", "self.rng.random()"),
    "old numpy": ("np.random.RandomState(3)", "self.rng.rand()"),
    "torch": ("torch.Generator()", "torch.rand(1, generator=self.rng)"),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_each_worker_draws_its_own_numbers(mend: Mend, name: str) -> None:
    before = TOP + DRAWN.format(*GENERATORS[name])
    outcome = mend({"train.py": before}, select="PDR507", unsafe=True)

    unique, alone = ran(before).split("\n")
    now, as_before = ran(outcome.files["train.py"].decode()).split("\n")
    assert (unique, now) == ("2", "8")
    assert as_before == alone  # without workers nothing changes


SENT = """
import multiprocessing
import pickle


def main():
    loader = DataLoader(Numbers(), num_workers=2, collate_fn=lambda batch: batch[0])
    return loader


if __name__ == "__main__":
    loader = main()
    print(pickle.dumps(loader.collate_fn) != b"", list(loader))
"""


def test_it_can_be_sent_to_a_worker(
    mend: Mend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = mend({"train.py": TOP + SENT}, select="PDR305")
    new = outcome.files["train.py"].decode()
    (tmp_path / "sent.py").write_text(new)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])

    assert "Can't" in ran(TOP + SENT)
    made = "from sent import _collate, pickle\nprint(len(pickle.dumps(_collate)))"
    assert int(ran(made)) > 0


SCRIPT = """
loader = DataLoader(Numbers(), batch_size=None, num_workers=1)
for x in loader:
    print(x)
"""


def test_who_imports_it_starts_no_workers(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + SCRIPT}, select="PDR306", unsafe=True)
    new = outcome.files["train.py"].decode()

    assert ran(TOP + SCRIPT, "__mp_main__") == "0\n1\n2\n3"
    assert ran(new, "__mp_main__") == ""
    assert ran(new) == "0\n1\n2\n3"


SEEDED = """
import random


class Shuffled(Dataset):
    def __init__(self):
        random.seed(7)
        self.order = list(range(9))
        random.shuffle(self.order)

    def __getitem__(self, index):
        return self.order[index]

    def __len__(self):
        return 9


if __name__ == "__main__":
    random.seed(1)
    state = random.getstate()
    print(Shuffled().order)
    print(random.getstate() == state)
"""


def test_the_data_are_the_same_and_nobody_elses_numbers_change(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + SEEDED}, select="PDR506", unsafe=True)

    order, kept = ran(TOP + SEEDED).split("\n")
    assert kept == "False"
    assert ran(outcome.files["train.py"].decode()).split("\n") == [order, "True"]


STARTED = """
import random


class Reads(Dataset):
    def __getitem__(self, index):
        return random.random()

    def __len__(self):
        return 8


def main(net):
    started = []
    class Counting(DataLoader):
        def __iter__(self):
            started.append(1)
            return super().__iter__()
    loader = DataLoader(Reads(), num_workers=2, shuffle=True)
    loader.__class__ = Counting
    for step in range(12):
        x = next(iter(loader))
        net(x)
    print(len(started))


if __name__ == "__main__":
    main(lambda x: x)
"""


def test_workers_start_once_an_epoch(mend: Mend) -> None:
    outcome = mend({"train.py": TOP + STARTED}, select="PDR404", unsafe=True)

    assert ran(TOP + STARTED) == "12"
    assert ran(outcome.files["train.py"].decode()) == "2"
