"""PDR213: the item has nothing to do with its index."""

import pytest

from pipedoctor_checks.item.index_ignored import index_ignored
from tests.checks.code_samples import find, frames, make_tests

RANDOM_ITEMS = """
class Made(Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        {body}
"""
SILENT = {
    "the index is used": frames("x = self.files[index] + random.random()"),
    "nothing is drawn": frames("x = 1"),
    "only where somebody asks for it": "class A(Dataset):\n"
    "    def __init__(self, mix=False):\n        self.mix = mix\n"
    "    def __getitem__(self, i):\n"
    "        if self.mix:\n            row = random.choice(self.x)\n"
    "        else:\n            row = self.x[i]\n"
    "        return row\n",
    "the same, beside another draw": "class A(Dataset):\n"
    "    def __init__(self, mix=False):\n        self.mix = mix\n"
    "    def __getitem__(self, i):\n        row = self.x[i]\n"
    "        if self.train:\n            if self.mix:\n"
    "                row = random.choice(self.x)\n"
    "            row.start = random.uniform(0, 9)\n"
    "        return row\n",
    "overwritten where it cannot be loaded": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while self.x[i] is None:\n            i = random.randint(0, 9)\n"
    "        return self.x[i]\n",
}
SPEAKS = {
    "drawn": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        return self.x[random.randint(0, 9)]\n",
    "only odd or even": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        return self.x[random.randint(0, 9)], i % 2\n",
    "overwritten": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            i = random.randint(0, 9)\n            return self.x[i]\n",
}
test_silent, test_speaks = make_tests(index_ignored, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("body", "found"), [("return torch.randn(3)", 0), ("return self.rows[random.randrange(9)]", 1)]
)
def test_items_that_are_made_up(body: str, found: int) -> None:
    assert len(find(index_ignored, RANDOM_ITEMS.format(body=body))) == found
