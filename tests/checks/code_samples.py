"""Code in, findings out: what every test of a hazard in code begins with."""

from collections.abc import Callable, Mapping
from textwrap import dedent, indent
from typing import Any, TypeAlias

import pytest
from msgspec.structs import replace

from pipedoctor.check import Check, Finding
from pipedoctor.facts import Fact, Facts, Source
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file

Code: TypeAlias = str | Mapping[str, str]
"""The text of ``train.py`` below its imports, or whole files by their paths."""
ITEM, STEP = " " * 8, " " * 12
"""How deep a method of a dataset and a loop over batches are indented."""
HEAD = """\
import json
import os
import pickle
import random
import time

import cv2
import h5py
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torchvision import transforms

"""


def read(code: Code, **more: Any) -> Source:
    """Make the facts of one file, or of several by their paths."""
    texts = {"train.py": HEAD + dedent(code)} if isinstance(code, str) else code
    sources = [files.SourceFile(path, text.encode()) for path, text in texts.items()]
    return replace(build_facts([parse_file(source) for source in sources]), **more)


def find(check: Check[...], code: Code, *facts: Fact, **more: Any) -> list[Finding]:
    """What a check finds in code; `more` are other fields of the facts of the code."""
    verdict = check.run(Facts(read(code, **more), *facts))
    assert not (verdict.skipped and verdict.applicable), verdict.skipped
    return list(verdict.findings)


def find_gap(check: Check[...], code: Code) -> str:
    """Why a check cannot judge this code, though it has what it is about."""
    verdict = check.run(Facts(read(code)))
    assert verdict.applicable
    assert not verdict.findings
    return verdict.skipped


def find_one(check: Check[...], code: Code) -> Finding:
    """What a hazard that is there must have: one finding, at a place, with a remedy."""
    (finding,) = find(check, code)
    assert finding.location is not None
    assert isinstance(code, Mapping) or finding.location.path == "train.py"
    assert finding.remedies
    return finding


def make_tests(
    check: Check[...], silent: Mapping[str, Code], speaks: Mapping[str, Code]
) -> tuple[Callable[[Code], None], Callable[[Code], None]]:
    """Two tests, with a case for each row: no finding, and one; keys say what is special."""

    @pytest.mark.parametrize("code", silent.values(), ids=silent)
    def test_silent(code: Code) -> None:
        found = find(check, code)
        assert not found, found

    @pytest.mark.parametrize("code", speaks.values(), ids=speaks)
    def test_speaks(code: Code) -> None:
        find_one(check, code)

    return test_silent, test_speaks


def frames(item: str = "pass", init: str = "pass") -> str:
    return f"""
class Frames(Dataset):
    def __init__(self, files):
        self.files = files
{indent(init, ITEM)}
    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
{indent(item, ITEM)}
        return index
"""


def batch_loop(body: str, given: str = "pin_memory=True", after: str = "", top: str = "") -> str:
    return (
        f"{top}\ndef main(data, net, device):\n    loader = DataLoader(data, {given})\n"
        "    for epoch in range(9):\n        for step, (x, y) in enumerate(loader):\n"
        f"{indent(body, STEP)}\n{after}"
    )


GPU_STEP = "x = x.cuda(non_blocking=True)\nloss = net(x)\nloss.backward()\n"


def rows_dataset(init: str = "pass", item: str = "pass", workers: int = 2, more: str = "") -> str:
    return (
        "class Rows(Dataset):\n    def __init__(self):\n"
        f"{indent(init, ITEM)}\n    def __getitem__(self, index):\n{indent(item, ITEM)}\n"
        "    def __len__(self):\n        return 9\n"
        f"\ndef main():\n    loader = DataLoader(Rows(), num_workers={workers}{more})\n"
    )


TOP_LEVEL_LOOP = "\nfor x in DataLoader(Rows(), num_workers=2):\n    print(x)\n"
DATASETS = """
class Images(Dataset):
    def __getitem__(self, index):
        return Image.open(self.files[index])
    def __len__(self):
        return 9

class Memory(Dataset):
    def __getitem__(self, index):
        return self.rows[index]
    def __len__(self):
        return 9

class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(9))
"""
TRAIN_LOOP = """
    for epoch in range(9):
        for x, y in loader:
            x = x.to(device)
            loss = net(x)
            loss.backward()
"""


def loader_call(arguments: str, then: str = "", before: str = "") -> str:
    return f"{DATASETS}\n{before}\ndef main(args):\n    loader = DataLoader({arguments}){then}\n"


WORKERS_OPTION = "parser.add_argument('--workers', default={}, type=int)\n"
STREAM = """
def read(path):
    return {read}
class Rows(IterableDataset):
    def __iter__(self):
        for path in self.paths:
            rows = read(path)
            {items}
def main(net):
    for x in DataLoader(Rows(), num_workers=2):
        net(x)
"""
MANY_ITEMS = "for row in rows:\n                yield row"
"""Of each file that is read."""
GPU_COLLATE = """
def collate(rows):
    lengths = torch.tensor([len(row) for row in rows], device="cuda")
    return torch.stack(rows), lengths
def collate_on_host(rows):
    return torch.stack(rows)
"""
ARGUMENT_DICTIONARY = """
def main(cuda):
    given = {{'batch_size': 4}}
    if cuda:
        more = {{'num_workers': {workers}, 'pin_memory': True{more}}}
        given.update(more)
    loader = DataLoader(Images(), **given)
"""


COMPOSE_IN_ITEM = """
class {name}(Dataset):
    def __init__(self, size):
        self.size = size
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {many}
        os.system("sox")
        t = transforms.Compose([transforms.Resize(self.size)])
        return t(read(index))
"""
MODEL_PARSE = """
def to_gpu(x):
    if torch.cuda.is_available():
        x = x.cuda(non_blocking={how})
    return x

class Net(torch.nn.Module):
    def parse(self, batch):
        text, length = batch
        return to_gpu(text)

def load():
    model = Net().cuda()
    return torch.nn.DataParallel(model)
"""
BACKWARD = "loss = net(batch)\n            loss.backward()\n            "


def model_loop(body: str, given: str = "num_workers=2", model: str = "net = load()") -> str:
    return f"""
def main(data, device):
    loader = DataLoader(data, {given})
    {model}
    for epoch in range(9):
        for step, batch in enumerate(loader):
            {body}
"""


def rows_training(init: str, item: str, top: str = "", base: str = "Dataset") -> str:
    return (
        f"{top}\nclass Rows({base}):\n    def __init__(self, path):\n{indent(init, ITEM)}\n"
        f"    def __getitem__(self, index):\n{indent(item, ITEM)}\n"
        "    def __len__(self):\n        return 9\n"
        "\ndef main(net):\n    loader = DataLoader(Rows('x'), num_workers=2)\n"
        "    for epoch in range(9):\n        for x in loader:\n"
        "            net(x).backward()\n"
    )


def use_worker_option(code: str) -> str:
    """The same training, with the workers of an option that is 0 by default."""
    option = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--workers', type=int, default=0)\nargs = parser.parse_args()\n"
    )
    return option + code.replace("num_workers=2", "num_workers=args.workers")


def cache_dataset(item: str, made: str = "pass") -> str:
    return f"""
class Rows(Dataset):
    def __init__(self, path, keep=False, again=True):
        self.path, self.rows, self.keep, self.again = path, None, keep, again
        {made}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {item}
"""


def draws_dataset(items: str) -> str:
    return f"""
class Drawn(Dataset):
    def __init__(self):
        self.rng = random.Random(7)
        self.left = set(range(9))
    def __len__(self):
        return 9
    def __getitem__(self, index):
{items}
"""


RETRY = """
        while True:
            sample = read(self.files[index])
            if sample is not None:
                return sample
            self.left.discard(index)
            index = self.rng.choice(sorted(self.left))
"""
