"""What workers share or are sent does harm on the installed torch, and not after the edit."""

import sys
from pathlib import Path

import pytest

from tests.fix.code.conftest import Mend
from tests.fix.code.real_programs import TOP, ran

pytestmark = pytest.mark.torch

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


@pytest.mark.extended
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


@pytest.mark.slow
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
