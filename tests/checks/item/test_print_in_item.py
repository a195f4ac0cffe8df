"""PDR201: every item prints."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.item.print_in_item import print_in_item
from tests.checks.code_samples import find, frames, make_tests
from tests.checks.image_samples import photo_training

MISSING_FILES = (
    "{loop} not os.path.exists(index):\n            print(index)\n            index = index + 1"
)
ITEM_BODY = """
class Rows(Dataset):
    def __getitem__(self, index):
        value = read(index)
        {body}
        return value
    def __len__(self):
        return 9
"""


def printing_item(test: str) -> str:
    return (
        "class Shown(Dataset):\n    def __len__(self):\n        return 9\n"
        "    def __getitem__(self, index):\n"
        f"        sample = read(index)\n        if {test}:\n"
        "            print(index, sample)\n            sample = 0\n"
        "        return sample\n"
    )


SILENT = {
    "while it is made": frames(init="print(len(files))"),
    "where something failed": frames(
        "try:\n    open(index).close()\nexcept OSError:\n    print('bad')"
    ),
    "a variable says no": frames("plot = False\nif plot:\n    print(index)"),
    "never": frames("if False:\n    print(index)"),
    "never, whatever else holds": frames("if False and index:\n    print(index)"),
    "on request": frames("if self.verbose:\n    print(index)"),
    "now and then": frames("if index % 100 == 0:\n    print(index)"),
    "in a function that nobody calls": frames() + "\ndef show(x):\n    print(x)\n",
    "in the training loop": "def main(loader):\n    for x in loader:\n        print(x)",
    "says why, and gives up": ITEM_BODY.format(
        body="if value:\n            print(1)\n            return"
    ),
    "what nobody should ask for": ITEM_BODY.format(
        body="if value:\n            value = 1\n        else:\n            print('only for images')"
    ),
    "says what is wrong": frames("if x.ndim < 2:\n    print('error, dimension lower than 2')"),
    "says what is wrong, with its name": frames(
        "if x.ndim < 2:\n    print(f'{name}: invalid shape')"
    ),
    "nothing was loaded": printing_item("sample is None"),
    "in what is computed once": ITEM_BODY.format(body="value = (value - self.mean())")
    + "    def mean(self):\n        if self.known is None:\n"
    "            known = self.compute()\n            self.known = known\n"
    "        return self.known\n"
    "    def compute(self):\n        print('computing')\n        return 1\n"
    "class More(Dataset):\n    def __init__(self):\n        self.known = self.compute()\n"
    "    def compute(self):\n        return 1\n",
}
SPEAKS = {
    "in the item": frames("print(index)"),
    "an error of each item": frames("print('error', x - y)"),
    "some terrors": frames("if index:\n    print('terror')"),
    "in a function that the item calls": frames("helped(index)")
    + "\ndef helped(x):\n    print(x)\n",
    "depending on the data": frames("if index < 0:\n    print('low')"),
    "prints what it found": ITEM_BODY.format(body="if value < 0:\n            print(value)"),
    "something was loaded": printing_item("sample is not None"),
    "it is something": printing_item("sample is Missing"),
}
test_silent, test_speaks = make_tests(print_in_item, SILENT, SPEAKS)


def test_what_only_some_items_print_is_a_note() -> None:
    (finding,) = find(print_in_item, SPEAKS["depending on the data"])

    assert finding.severity is Severity.NOTE
    assert "some items" in finding.summary


def test_through_another_file() -> None:
    code = {
        "train.py": "import torch\nfrom lib.reading import read\n"
        "class A(torch.utils.data.Dataset):\n"
        "    def __getitem__(self, i):\n        return read(i)\n",
        "lib/reading.py": "def read(i):\n    print(i)\n",
    }

    (finding,) = find(print_in_item, code)

    assert finding.severity is Severity.SLOWS
    assert finding.summary == "read prints for every item"
    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("lib/reading.py", 2)
    assert finding.evidence["dataset"] == "A"


def test_one_class_one_finding() -> None:
    (finding,) = find(print_in_item, frames("print(1)\nprint(2)"))

    assert finding.location is not None
    assert [spot.line - finding.location.line for spot in finding.also_at] == [1]


@pytest.mark.parametrize(("loop", "found"), [("while", 0), ("if", 0)])
def test_what_is_said_of_samples_that_are_missing(loop: str, found: int) -> None:
    assert len(find(print_in_item, photo_training(first=MISSING_FILES.format(loop=loop)))) == found


@pytest.mark.parametrize(("then", "found"), [("assert 0", 0), ("index = index - 1", 1)])
def test_what_is_said_before_an_end(then: str, found: int) -> None:
    first = f"if index > 9:\n            print(index)\n            {then}"

    assert len(find(print_in_item, photo_training(first=first))) == found
