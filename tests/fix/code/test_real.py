"""The harm is real on the installed torch, and gone after the edit."""

from pathlib import Path

import pytest

from pipedoctor.facts import TorchBuild
from tests.fix.code.conftest import Mend
from tests.fix.code.real_programs import TOP, ran

pytest.importorskip("torch")
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
