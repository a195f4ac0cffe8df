"""What workers run: through objects, choices, partials and calls between files."""

import textwrap

import pytest

from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file

HEAD = """\
import random
import time
from functools import partial

import torch
from elsewhere import BaseDataset, Compose
from torch.utils.data import Dataset, IterableDataset
from torchvision import transforms


def slow(x, scale=1):
    time.sleep(1)
    return x


class Slow:
    def __call__(self, x):
        return slow(x)

    def work(self, x):
        return slow(x)


class Quick:
    def __call__(self, x):
        return x

    def work(self, x):
        return x

"""


def items(body: str, start: str = "self.how = None", *, base: str = "Dataset") -> str:
    """Write a dataset that begins so, and makes its items so."""
    return (
        f"class Items({base}):\n"
        f"    def __init__(self, flag, size, how=None):\n        {start}\n"
        f"    def __getitem__(self, i):\n        {body}\n"
    )


REACHED = {
    "a function": items("return slow(i)"),
    "one of its own methods": items("return self.load(i)")
    + "    def load(self, i):\n        return slow(i)\n",
    "a method of its base": "class Base(Dataset):\n    def load(self, i):\n"
    "        return slow(i)\n" + items("return self.load(i)", base="Base"),
    "two that call each other": "def up(i):\n    return down(i)\n"
    "def down(i):\n    return up(i) or slow(i)\n" + items("return up(i)"),
    "an object that is called": items("return self.how(i)", "self.how = Slow()"),
    "an object's method": items("return self.how.work(i)", "self.how = Slow()"),
    "a choice of objects": items("return self.how(i)", "self.how = Quick() if flag else Slow()"),
    "a method of a choice": items(
        "return self.how.work(i)", "self.how = Quick() if flag else Slow()"
    ),
    "what is left where nothing is given": items("return self.how(i)", "self.how = how or Slow()"),
    "a partial": items("return self.how(i)", "self.how = partial(slow, scale=2)"),
    "what a function makes": "def made():\n    return Slow()\n"
    + items("return self.how(i)", "self.how = made()"),
    "a transform among others": items(
        "return self.how(i)", "self.how = transforms.Compose([Quick(), Slow()])"
    ),
    "a transform that is a function": items(
        "return self.how(i)",
        "self.how = transforms.Compose([transforms.Lambda(slow)])",
    ),
    "the beginning of an object that an item makes": "class Late:\n"
    "    def __init__(self):\n        slow(1)\n" + items("return Late()"),
    "a parameter's default": "class Items(Dataset):\n"
    "    def __init__(self, how=slow):\n        self.how = how\n"
    "    def __getitem__(self, i):\n        return self.how(i)\n",
    "what the dataset is given": items("return self.how(i)", "self.how = how")
    + "data = Items(True, 3, how=slow)\n",
    "a dataset by a base from elsewhere": items("return slow(i)", base="BaseDataset"),
    "an iterable one": "class Items(IterableDataset):\n"
    "    def __iter__(self):\n        yield slow(1)\n",
    "several at once": "class Items(Dataset):\n"
    "    def __getitems__(self, rows):\n        return [slow(i) for i in rows]\n"
    "    def __getitem__(self, i):\n        return i\n",
}
NOT_REACHED = {
    "nobody calls it": items("return i"),
    "only its beginning": items("return i", "slow(size)"),
    "another method": items("return i") + "    def show(self):\n        slow(1)\n",
    "another object": items("return self.how(i)", "self.how = Quick()") + "other = Slow()\n",
    "a sampler": "class OwnSampler(torch.utils.data.Sampler):\n"
    "    def __getitem__(self, i):\n        return slow(i)\n",
    "a list of its own": "class Rows(list):\n"
    "    def __getitem__(self, i):\n        return slow(i)\n",
    "somebody else's Compose, that no dataset has": "how = Compose([Slow()])\n",
}


def asleep_in_workers(code: str) -> bool:
    text = HEAD + textwrap.dedent(code)
    made = build_facts([parse_file(files.SourceFile("train.py", text.encode()))])
    return any(event.item and event.name == "time.sleep" for event in made.events)


@pytest.mark.parametrize("code", REACHED.values(), ids=REACHED)
def test_reached(code: str) -> None:
    assert asleep_in_workers(code)


@pytest.mark.parametrize("code", NOT_REACHED.values(), ids=NOT_REACHED)
def test_not_reached(code: str) -> None:
    assert not asleep_in_workers(code)
