"""Programs that print the same before and after an edit, and how."""

TOP = """\
import argparse
import os
import random
import warnings

import numpy as np
import torch
from torch.autograd import Variable
from torch.cuda.amp import autocast
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler

warnings.simplefilter("ignore")
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
args = parser.parse_args([])


class Rows(Dataset):
    def __init__(self, size=6):
        self.size = size
        for number in range(size):
            with open(f"{number}.txt", "w") as file:
                file.write(f"{number} 1\\n2 3\\n")

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        with open(f"{index}.txt") as file:
            first, *_ = file.read().split()
        return torch.full((2, 3), float(first)), index


class Texts(Rows):
    def __getitem__(self, index):
        {item}


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


def show(loader):
    for x, y in loader:
        print(tuple(x.shape), x.dtype, x.flatten().tolist(), y.tolist())


def step(x, w):
    return (x * w).sum()


def main(net, device="cpu"):
    torch.manual_seed(3)
    data = Rows()
    {body}


if __name__ == "__main__":
    main(lambda x: x)
"""
TRAIN = """\
w = torch.ones(3, requires_grad=True)
total, seen = 0, []
loader = DataLoader(data, 2, shuffle=True{loader})
for epoch in range(2):
    for x, y in loader:
        {each}
        loss = step(x, w)
        loss.backward()
        {then}
print(float(total), seen, w.grad.tolist())
"""


def write(body: str = "pass", item: str = "return index") -> str:
    def indent(text: str, width: int) -> str:
        return text.strip("\n").replace("\n", "\n" + " " * width)

    return TOP.replace("{item}", indent(item, 8)).replace("{body}", indent(body, 4))


def train(loader: str = "", each: str = "seen.append(y.tolist())", then: str = "pass") -> str:
    return write(TRAIN.format(loader=loader, each=each, then=then))


def in_any_order(code: str) -> str:
    """Persistent workers draw the order of later epochs from other numbers."""
    return code.replace("print(float(total), seen,", "print(float(total), sorted(sum(seen, [])),")


def parse(item: str) -> str:
    return write("print([Texts()[number] for number in range(6)])", item)


SAME: dict[str, tuple[str, str]] = {
    "not blocking": (
        "PDR402",
        train(", pin_memory=True", "x = x.to(device)\n        seen.append(y.tolist())"),
    ),
    "no graph": ("PDR409", train(then="total += loss")),
    "no graph of a product": ("PDR409", train(then="total += loss * len(y)")),
    "made there": (
        "PDR411",
        train(
            each="z = torch.zeros(3, dtype=torch.half).to(device)\n"
            "        seen.append((z + 1).tolist())"
        ),
    ),
    "made of numbers": (
        "PDR411",
        train(each="z = torch.tensor([1, 2]).to(device)\n        seen.append(z.tolist())"),
    ),
    "amp": (
        "PDR601",
        write(
            "with torch.cuda.amp.autocast(False):\n"
            "    scaler = torch.cuda.amp.GradScaler(init_scale=4.0, enabled=False)\n"
            "    with autocast(enabled=False):\n"
            "        print(scaler.is_enabled(), scaler.get_scale(), torch.ones(2) @ torch.ones(2))"
        ),
    ),
    "public names": (
        "PDR604",
        write(
            "from torch.utils.data._utils.collate import default_collate\n"
            "print(default_collate([{'a': 1}, {'a': 2}]))"
        ),
    ),
    "a variable": (
        "PDR605",
        write(
            "w = torch.ones(3, requires_grad=True)\n"
            "a = Variable(w * 2)\nb = Variable(w + w).sum()\n"
            "print(a, b, a.requires_grad, b.requires_grad, Variable(torch.zeros(2)))\n"
            "c = Variable(a, requires_grad=True)\n(c * w).sum().backward()\n"
            "print(c.grad, w.grad, c.is_leaf, Variable(-w, requires_grad=True).grad_fn)"
        ),
    ),
    "no device to pin for": (
        "PDR606",
        write("show(DataLoader(data, 4, pin_memory_device='cuda'))"),
    ),
    "a file": (
        "PDR209",
        parse(
            "f = open(f'{index}.txt')\nx = f.read()\n"
            "for line in f:\n    x += line\nreturn x, len(x)"
        ),
    ),
    "a file in the return": ("PDR209", parse("return open(f'{index}.txt').read().split()")),
    "a file for a variable": (
        "PDR209",
        parse("x = open(f'{index}.txt', 'rb').read()\nreturn x[::-1]"),
    ),
    "a file that is closed by hand": (
        "PDR209",
        parse("f = open(f'{index}.txt')\nrow = [int(n) for n in f.readline().split()]\nreturn row"),
    ),
    "a lambda for the batch": (
        "PDR305",
        write(
            "loader = DataLoader(\n"
            "    data, 2, num_workers=2, collate_fn=lambda rows: [y for _, y in rows]\n)\n"
            "print(loader.collate_fn([data[1], data[2]]))"
        ),
    ),
    "a local function for the batch": (
        "PDR305",
        write(
            "def join(rows, n=2):\n    return torch.stack([x for x, _ in rows])[:n]\n\n"
            "loader = DataLoader(data, 2, num_workers=2, collate_fn=join)\n"
            "print(loader.collate_fn([data[1], data[2], data[3]]).shape)"
        ),
    ),
    "the epoch is told": (
        "PDR503",
        write(
            "sampler = DistributedSampler(data, num_replicas=2, rank=1)\n"
            "loader = DataLoader(data, 1, sampler=sampler)\nseen = []\n"
            "for epoch in range(1):\n    for x, y in loader:\n"
            "        net(x).sum().requires_grad_().backward()\n        seen.append(y.item())\n"
            "print(seen)"
        ),
    ),
}
"""By what is edited: the check, and a program that runs before and after."""
DIES: dict[str, tuple[str, str, str, str]] = {
    "persistent": (
        "PDR104",
        write("show(DataLoader(data, 4, persistent_workers=True))"),
        "persistent_workers option needs num_workers > 0",
        write("show(DataLoader(data, 4))"),
    ),
    "persistent by option": (
        "PDR104",
        write("show(DataLoader(data, 4, num_workers=args.workers, persistent_workers=True))"),
        "persistent_workers option needs num_workers > 0",
        write("show(DataLoader(data, 4))"),
    ),
    "prefetching": (
        "PDR105",
        write("show(DataLoader(data, 4, prefetch_factor=4))"),
        "prefetch_factor option could only be specified",
        write("show(DataLoader(data, 4))"),
    ),
    "prefetching by option": (
        "PDR105",
        write("show(DataLoader(data, 4, num_workers=args.workers, prefetch_factor=4))"),
        "prefetch_factor option could only be specified",
        write("show(DataLoader(data, 4))"),
    ),
    "shuffle": (
        "PDR108",
        write(
            "order = torch.utils.data.SequentialSampler(data)\n"
            "show(DataLoader(data, 4, shuffle=True, sampler=order))"
        ),
        "sampler option is mutually exclusive with shuffle",
        write("show(DataLoader(data, 4))"),
    ),
    "a method that is gone": (
        "PDR603",
        write("it = iter(DataLoader(data, 4))\nprint(it.next()[1].tolist())"),
        "has no attribute 'next'",
        write("it = iter(DataLoader(data, 4))\nprint(next(it)[1].tolist())"),
    ),
    "a module that is gone": (
        "PDR602",
        "import torch.utils.bottleneck\n\nprint(torch.ones(2).tolist())\n",
        "No module named 'torch.utils.bottleneck'",
        "import torch\n\nprint(torch.ones(2).tolist())\n",
    ),
}
"""What dies before: by what, and the program that prints what it should have."""
SEEDS = """
def seed(worker_id):
    np.random.seed(worker_id)
    random.seed(7)


loader = DataLoader(data, 2, num_workers=2, worker_init_fn=seed)
loader.worker_init_fn(1)
print(0 <= np.random.rand() < 1, 0 <= random.random() < 1)
show(DataLoader(data, 4))
"""
OTHER_NUMBERS = {"PDR502": write(SEEDS)}
"""Edits that are safe though other numbers are drawn: that is what they are for."""
WITH_WORKERS: dict[str, tuple[str, str]] = {
    "workers": ("PDR101", in_any_order(train(", num_workers=0"))),
    "workers that are CPUs": ("PDR102", in_any_order(train(", num_workers=16"))),
    "persistent": ("PDR106", in_any_order(train(", num_workers=1"))),
    "in memory": (
        "PDR111",
        write(
            "data = TensorDataset(torch.arange(6.0), torch.arange(6))\n"
            "show(DataLoader(data, 4, num_workers=1))"
        ),
    ),
    "pinned": ("PDR401", in_any_order(train(each="x = x.to(device, non_blocking=True)"))),
    "a loader in a loop": (
        "PDR107",
        write(
            "w = torch.ones(3, requires_grad=True)\nseen = []\nfor epoch in range(2):\n"
            "    loader = DataLoader(data, 2, num_workers=1, shuffle=True)\n"
            "    for x, y in loader:\n        step(x, w).backward()\n"
            "        seen.append(y.tolist())\nprint(sorted(sum(seen, [])))"
        ),
    ),
    "a cache that stays": ("PDR408", in_any_order(train(then="torch.cuda.empty_cache()"))),
    "a handle": (
        "PDR302",
        write("print([Held()[number] for number in range(3)])").replace(
            "def show(",
            "class Held(Dataset):\n    def __init__(self):\n"
            "        self.file = open('1.txt', 'rb')\n\n"
            "    def __getitem__(self, index):\n        self.file.seek(index)\n"
            "        return self.file.read(2)\n\n\ndef show(",
        ),
    ),
}
"""Edits that may change results elsewhere, and do not in these programs."""
