"""Every edit that a check offers: what it leaves alone, and what it writes."""

import ast

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.facts import Interpreter, TorchBuild
from pipedoctor.fix.code.trial import EditOutcome
from tests.fix.code.conftest import HEAD, TRAIN, Mend

OPTIONS = "import argparse\nparser = argparse.ArgumentParser()\n"
FORKSERVER = Interpreter(version="3.14.0")
"""Where workers start by forkserver, so that they are sent what they need by pickle."""
WORKERS = OPTIONS + "parser.add_argument('--workers', default={}, type=int)\n"


def loader(arguments: str, then: str = TRAIN, before: str = "") -> str:
    return f"def main(args, net):\n{before}    loader = DataLoader({arguments})\n{then}"


def copied(copy: str = "x = x.to(device)") -> str:
    return TRAIN.replace("loss = net", f"{copy}\n            loss = net")


ALONE: dict[str, tuple[str, str]] = {
    "workers that are not to be kept": (
        "PDR106",
        WORKERS.format(4)
        + loader("Images([]), num_workers=args.workers, persistent_workers=False"),
    ),
    "a dictionary": ("PDR103", loader("Images([]), **args", copied())),
    "a subclass": (
        "PDR103",
        "class Mine(DataLoader):\n    pass\n\n"
        + loader("Images([])", copied()).replace("DataLoader(", "Mine("),
    ),
    "an option that says no": (
        "PDR104",
        OPTIONS
        + "parser.add_argument('--keep', default=True)\n"
        + loader("Images([]), persistent_workers=args.keep"),
    ),
    "a batch that is written to after its copy": (
        "PDR103",
        loader("Images([])", copied("z = x.to(device)\n            x[0] = 1")),
    ),
    "an option for workers": (
        "PDR101",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers"),
    ),
    "an option for workers of what is in memory": (
        "PDR111",
        WORKERS.format(4) + loader("TensorDataset(a), num_workers=args.workers"),
    ),
    "an option for the order": (
        "PDR110",
        OPTIONS
        + "parser.add_argument('--shuffle', default=False)\n"
        + loader("Images([]), shuffle=args.shuffle"),
    ),
    "a dictionary for what is pinned": (
        "PDR103",
        loader("Images([]), **args", copied(), "    args = {'pin_memory': False}\n"),
    ),
    "os that means something else": (
        "PDR102",
        loader("Images([]), num_workers=64", before="    os = net\n"),
    ),
    "a print that is all there is": (
        "PDR201",
        (
            "class Loud(Dataset):\n    def __getitem__(self, index):\n"
            "        if index:\n            print(index)\n"
            "        return Image.open(self.files[index])\n"
        ),
    ),
    "a loss that may be a number": (
        "PDR409",
        loader(
            "Images([])",
            TRAIN
            + "            loss = loss.item() if args else loss\n"
            + "            total += loss\n",
        ),
    ),
    "a device that may be a tensor": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3).to(other)")),
    ),
    "a tensor that will be a leaf": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3, requires_grad=True).cuda()")),
    ),
    "a seed where torch is something else": ("PDR502", "SEED"),
    "a sampler that may not be there": (
        "PDR503",
        "def main(net, many):\n    if many:\n"
        "        sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
    ),
    "amp where an old torch must do": (
        "PDR601",
        "def main():\n    with torch.cuda.amp.autocast():\n        pass\n",
    ),
    "amp by the file that it is in": (
        "PDR601",
        "made = torch.cuda.amp.autocast_mode.autocast()\n",
    ),
    "amp of cuda itself": (
        "PDR601",
        "from torch import cuda\n\nmade = cuda.amp.autocast()\n",
    ),
    "amp by another name": (
        "PDR601",
        "import torch.cuda.amp as amp\n\nmade = amp.autocast()\n",
    ),
    "amp that is not only called": (
        "PDR601",
        (
            "from torch.cuda.amp import autocast\n\ndef main(a):\n"
            "    with (autocast if a else print)():\n        pass\n"
            "    with autocast():\n        pass\n"
        ),
    ),
    "a private name with no public one": (
        "PDR604",
        "from torch.utils.data._utils.collate import default_collate_err_msg_format\n",
    ),
    "a variable that wants a gradient": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x):\n    return Variable(x, requires_grad=True)\n"
        ),
    ),
    "a device by option": (
        "PDR606",
        loader("Images([]), pin_memory_device=args.device"),
    ),
}


def run(mend: Mend, code: str, select: str, version: str = "2.13.0") -> EditOutcome:
    head = HEAD.replace("import os\n", "") if "64" in code else HEAD
    torch = TorchBuild(version=version)
    return mend({"train.py": head + code}, torch, select=select, unsafe=True)


@pytest.mark.parametrize("name", ALONE)
def test_left_alone(mend: Mend, name: str) -> None:
    select, code = ALONE[name]
    version = "2.3.0" if "old torch" in name else "2.13.0"
    if code == "SEED":
        outcome = mend(
            {
                "train.py": "import numpy as np\n"
                "from torch.utils.data import DataLoader"
                "\n\ndef seed(worker_id, torch=0):\n    np.random.seed(worker_id)\n\n"
                "loader = DataLoader(data, num_workers=2, worker_init_fn=seed)\n"
            },
            select=select,
            unsafe=True,
        )
    else:
        outcome = run(mend, code, select, version)

    assert not outcome.files


SAMPLED = "Images([]), sampler=torch.utils.data.SubsetRandomSampler([1])"
CURES: dict[str, tuple[str, str, str, str]] = {
    "workers": (
        "PDR101",
        loader("Images([]), 4"),
        "DataLoader(Images([]), 4)",
        "DataLoader(Images([]), 4, num_workers=2, persistent_workers=True)",
    ),
    "workers, 0 by position": (
        "PDR101",
        loader("Images([]), 4, False, None, None, 0", "    return loader\n"),
        "None, None, 0)",
        "None, None, 2)",
    ),
    "CPUs": (
        "PDR102",
        loader("Images([]), num_workers=32"),
        "num_workers=32",
        "num_workers=min(32, len(os.sched_getaffinity(0)))",
    ),
    "CPUs of the machine": (
        "PDR102",
        loader("Images([]), num_workers=os.cpu_count()"),
        "num_workers=os.cpu_count()",
        "num_workers=len(os.sched_getaffinity(0))",
    ),
    "not persistent": (
        "PDR104",
        loader("Images([]), persistent_workers=True"),
        "persistent_workers=True",
        "persistent_workers=False",
    ),
    "persistent by option": (
        "PDR104",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers, persistent_workers=True"),
        "persistent_workers=True",
        "persistent_workers=args.workers > 0",
    ),
    "no prefetching": (
        "PDR105",
        loader("Images([]), prefetch_factor=4, batch_size=2"),
        "prefetch_factor=4, batch_size=2",
        "batch_size=2",
    ),
    "prefetching by option": (
        "PDR105",
        WORKERS.format(0) + loader("Images([]), num_workers=args.workers, prefetch_factor=4"),
        "prefetch_factor=4",
        "prefetch_factor=4 if args.workers > 0 else None",
    ),
    "prefetching nothing": (
        "PDR105",
        loader("Images([]), num_workers=2, prefetch_factor=0"),
        "prefetch_factor=0",
        "prefetch_factor=2",
    ),
    "persistent": (
        "PDR106",
        loader("Images([]), num_workers=2"),
        "num_workers=2",
        "num_workers=2, persistent_workers=True",
    ),
    "persistent where an option has workers": (
        "PDR106",
        WORKERS.format(4) + loader("Images([]), num_workers=args.workers"),
        "num_workers=args.workers)",
        f"num_workers=args.workers,\n{'':24}persistent_workers=args.workers > 0)",
    ),
    "no shuffle": (
        "PDR108",
        loader(f"{SAMPLED}, shuffle=True"),
        ", shuffle=True",
        "",
    ),
    "no shuffle, by position": (
        "PDR108",
        loader("Images([]), 4, True, torch.utils.data.SubsetRandomSampler([1])"),
        "4, True",
        "4, False",
    ),
    "the last batch": (
        "PDR109",
        "net = torch.nn.BatchNorm1d(3)\n" + loader("Images([]), 4, shuffle=True"),
        "shuffle=True",
        "shuffle=True, drop_last=True",
    ),
    "shuffled": (
        "PDR110",
        loader("Images([]), shuffle=False"),
        "shuffle=False",
        "shuffle=True",
    ),
    "shuffled without a sampler": (
        "PDR110",
        "def main(net, many):\n"
        "    sampler = DistributedSampler(Images([]), shuffle=False)"
        " if many else None\n"
        "    loader = DataLoader(Images([]), sampler=sampler)\n" + TRAIN,
        "sampler=sampler",
        "sampler=sampler, shuffle=sampler is None",
    ),
    "in memory": (
        "PDR111",
        loader("TensorDataset(a), num_workers=2, prefetch_factor=4, timeout=9"),
        "num_workers=2, prefetch_factor=4, timeout=9",
        "num_workers=0, prefetch_factor=None, timeout=0",
    ),
    "a stream": ("PDR112", loader("Stream(), 4, shuffle=True"), ", shuffle=True", ""),
    "a sampled stream": (
        "PDR112",
        loader("Stream(), sampler=torch.utils.data.SequentialSampler(a)"),
        ", sampler=torch.utils.data.SequentialSampler(a)",
        "",
    ),
    "all of the evaluation": (
        "PDR113",
        "val_loader = DataLoader(Images([]), 4, drop_last=True)\n",
        ", drop_last=True",
        "",
    ),
    "silence": (
        "PDR201",
        (
            "class Loud(Dataset):\n    def __getitem__(self, index):\n"
            "        print(index)  # why\n"
            "        return Image.open(self.files[index])\n"
        ),
        "        print(index)  # why\n",
        "",
    ),
    "colors": (
        "PDR203",
        (
            "MEAN = [0.485, 0.456, 0.406]\n\n"
            "class Pictures(Dataset):\n    def __getitem__(self, index):\n"
            "        return cv2.imread(self.files[index]) - MEAN\n"
        ),
        "cv2.imread(self.files[index])",
        "cv2.cvtColor(cv2.imread(self.files[index]), cv2.COLOR_BGR2RGB)",
    ),
    "pinned after all": (
        "PDR401",
        loader("Images([])", copied("x = x.cuda(non_blocking=True)")),
        "DataLoader(Images([]))",
        "DataLoader(Images([]), pin_memory=True)",
    ),
    "not blocking": (
        "PDR402",
        loader("Images([]), pin_memory=True", copied("x = x.cuda()")),
        "x.cuda()",
        "x.cuda(non_blocking=True)",
    ),
    "not blocking after all": (
        "PDR402",
        loader(
            "Images([]), pin_memory=True",
            copied("x = x.to(device, non_blocking=False)"),
        ),
        "non_blocking=False",
        "non_blocking=True",
    ),
    "the cache stays": (
        "PDR408",
        loader("Images([])", TRAIN + "            torch.cuda.empty_cache()\n\nx = 1\n"),
        "            torch.cuda.empty_cache()\n",
        "",
    ),
    "no graph": (
        "PDR409",
        loader("Images([])", TRAIN + "            total += loss * 2\n"),
        "total += loss * 2",
        "total += loss.detach() * 2",
    ),
    "made there": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3).to(device)")),
        "torch.zeros(3).to(device)",
        "torch.zeros(3, device=device)",
    ),
    "made on a card": (
        "PDR411",
        loader("Images([])", copied("z = torch.zeros(3, dtype=torch.half).cuda()")),
        "torch.zeros(3, dtype=torch.half).cuda()",
        'torch.zeros(3, dtype=torch.half, device="cuda")',
    ),
    "not pinned first": (
        "PDR412",
        "def move(x):\n    return x[0].pin_memory().to('cuda', non_blocking=True)\n",
        "x[0].pin_memory().to",
        "x[0].to",
    ),
    "another seed each epoch": (
        "PDR502",
        (
            "def seed(worker_id):\n    np.random.seed(42 + worker_id)\n"
            "    torch.manual_seed(42)\n\n"
            "loader = DataLoader(Images([]), num_workers=2, worker_init_fn=seed)\n"
        ),
        "np.random.seed(42 + worker_id)\n    torch.manual_seed(42)",
        (
            "np.random.seed(torch.initial_seed() % 2**32)\n"
            "    torch.manual_seed(torch.initial_seed())"
        ),
    ),
    "the epoch is told": (
        "PDR503",
        "def main(net):\n    sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
        "    for epoch in range(9):\n        for",
        "    for epoch in range(9):\n        sampler.set_epoch(epoch)\n        for",
    ),
    "the epoch is told if anybody listens": (
        "PDR503",
        "def main(net, many):\n    sampler = None\n    if many:\n"
        "        sampler = DistributedSampler(Images([]))\n"
        "    train = DataLoader(Images([]), sampler=sampler)\n"
        + TRAIN.replace("in loader", "in train"),
        "    for epoch in range(9):\n        for",
        (
            "    for epoch in range(9):\n        if sampler is not None:\n"
            "            sampler.set_epoch(epoch)\n        for"
        ),
    ),
    "amp in full": (
        "PDR601",
        (
            "def main():\n    with torch.cuda.amp.autocast(True):\n        pass\n"
            "    return torch.cuda.amp.GradScaler(init_scale=2.0)\n"
        ),
        ("torch.cuda.amp.autocast(True):\n        pass\n    return torch.cuda.amp.GradScaler("),
        (
            'torch.amp.autocast("cuda", enabled=True):\n        pass\n'
            '    return torch.amp.GradScaler("cuda", '
        ),
    ),
    "amp in a file of single quotes": (
        "PDR601",
        (
            "a, b = 'a', 'b'\n\ndef main():\n"
            '    """Docstrings have three of the others."""\n'
            "    with torch.cuda.amp.autocast():\n        pass\n"
        ),
        "torch.cuda.amp.autocast()",
        "torch.amp.autocast('cuda')",
    ),
    "amp imported": (
        "PDR601",
        (
            "from torch.cuda.amp import autocast\n\ndef main():\n"
            "    with autocast():\n        pass\n"
        ),
        "torch.cuda.amp import autocast\n\ndef main():\n    with autocast()",
        'torch.amp import autocast\n\ndef main():\n    with autocast("cuda")',
    ),
    "next": (
        "PDR603",
        (
            "def main(net):\n    loader = DataLoader(Images([]))\n"
            "    it = iter(loader)\n    return it.next()\n"
        ),
        "it.next()",
        "next(it)",
    ),
    "public": (
        "PDR604",
        "from torch.utils.data._utils.collate import default_collate\n",
        "torch.utils.data._utils.collate",
        "torch.utils.data",
    ),
    "bare": (
        "PDR605",
        (
            "from torch.autograd import Variable\n\n"
            "def main(x, y):\n    return Variable(x), Variable(x + y).cuda()\n"
        ),
        "Variable(x), Variable(x + y).cuda()",
        "x, (x + y).cuda()",
    ),
    "no device to pin for": (
        "PDR606",
        loader("Images([]), pin_memory_device='cuda'"),
        ", pin_memory_device='cuda'",
        "",
    ),
}


@pytest.mark.parametrize("name", CURES)
def test_cured(mend: Mend, name: str) -> None:
    select, code, old, new = CURES[name]
    before = HEAD + code
    assert before.count(old) == 1

    outcome = run(mend, code, select)

    (changed,) = outcome.files.values()
    assert changed.decode() == before.replace(old, new)
    assert not outcome.refused
    ast.parse(changed)


def test_pinning_takes_the_copies_along(mend: Mend) -> None:
    outcome = run(mend, loader("Images([])", copied()), "PDR103")

    text = outcome.files["train.py"].decode()
    assert "DataLoader(Images([]), pin_memory=True)" in text
    assert "x.to(device, non_blocking=True)" in text
    assert not outcome.applied[0].remedy.unsafe


def test_a_collate_fn_of_ones_own_makes_it_unsafe(mend: Mend, snapshot: SnapshotAssertion) -> None:
    code = loader("Images([]), collate_fn=mine, pin_memory=True", copied())

    outcome = mend({"train.py": HEAD + code}, select="PDR402")

    assert not outcome.files
    assert [p.remedy.unsafe for p in outcome.needs_unsafe] == snapshot


def test_persistent_workers_would_never_hear_of_an_epoch(
    mend: Mend, snapshot: SnapshotAssertion
) -> None:
    code = """
class Growing(Dataset):
    def __init__(self):
        self.epoch = 0

    def __getitem__(self, index):
        return Image.open(self.files[index + self.epoch])


def main(net):
    train_dataset = Growing()
    loader = DataLoader(train_dataset, num_workers=2)
    for epoch in range(9):
        train_dataset.epoch = epoch
        for x in loader:
            net(x).backward()
"""
    outcome = mend({"train.py": HEAD + code}, select="PDR106", unsafe=True)

    assert not outcome.files
    (turned,) = outcome.refused
    assert turned.why == snapshot


def test_two_that_fight_cannot_both_be_made(mend: Mend, snapshot: SnapshotAssertion) -> None:
    """Workers for a lambda that they cannot get: not done, with the reason."""
    code = loader("Images([]), 4, collate_fn=lambda b: b")

    outcome = mend({"train.py": HEAD + code}, FORKSERVER, select="PDR101", unsafe=True)

    assert not outcome.files
    (turned,) = outcome.refused
    assert turned.why == snapshot


def test_one_that_fights_does_not_stop_the_others(mend: Mend) -> None:
    good = loader("Images([]), persistent_workers=True")
    bad = loader("Images([]), 4, collate_fn=lambda b: b").replace("main", "other")

    texts = {"train.py": HEAD + good + "\n\n" + bad}

    outcome = mend(texts, FORKSERVER, select="PDR101,PDR104", unsafe=True)

    assert {p.found.check.code for p in outcome.applied} >= {"PDR104"}
    assert [t.found.check.code for t in outcome.refused] == ["PDR101"]


def test_what_is_only_possible_waits_to_be_named(mend: Mend) -> None:
    code = "net = torch.nn.BatchNorm1d(3)\n" + loader("Images([]), 4, shuffle=True")

    outcome = mend({"train.py": HEAD + code}, unsafe=True)

    assert "drop-last-missing" not in {p.found.check.name for p in outcome.applied}
    assert "drop-last-missing" in {p.found.check.name for p in outcome.uncertain}


def test_a_second_time_finds_nothing(mend: Mend) -> None:
    code = loader(f"{SAMPLED}, shuffle=True, persistent_workers=True", copied())
    first = mend({"train.py": HEAD + code}, unsafe=True)

    second = mend({"train.py": first.files["train.py"]}, unsafe=True)

    assert first.applied
    assert not second.files
