"""PDR216: a bad sample may be tried for ever."""

import pytest

from pipedoctor.check import Severity
from pipedoctor_checks.item.unbounded_retry import unbounded_retry
from tests.checks.code_samples import RETRY, draws_dataset, find, make_tests

READ = """
def read(name):
    done = False
    {before}
    while not done:
        try:
            image = Image.open(name)
            done = True
        except OSError:
            {failed}
    return image
class A(Dataset):
    def __getitem__(self, index):
        return read(self.names[index])
"""
SILENT = {
    "counted, in a function": READ.format(before="left = 3", failed="left -= 1"),
    "another file, in a function": READ.format(before="pass", failed="name = other(name)"),
    "counted": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            if i > 9:\n                raise IndexError\n"
    "            try:\n                return self.x[i]\n"
    "            except OSError:\n                i += 1\n",
    "another sample, not one that can be read": "class A(Dataset):\n"
    "    def __getitem__(self, i):\n        other = i\n        while other == i:\n"
    "            other = random.choice(self.ids)\n        return self.x[other]\n",
    "tried three times": "class A(Dataset):\n    def __getitem__(self, i):\n        tries = 0\n"
    "        x = self.load_rows(i)\n        while len(x) == 0:\n            tries += 1\n"
    "            assert tries < 3\n            x = self.load_rows(random.randrange(9))\n"
    "        return x\n",
    "left after three": "class A(Dataset):\n    def __getitem__(self, i):\n        tries = 0\n"
    "        while True:\n            try:\n                x = self.x[i]\n                break\n"
    "            except OSError:\n                tries += 1\n                if tries > 3:\n"
    "                    break\n                i = random.randint(0, 9)\n        return x\n",
    "the same file until it is there": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        name = self.names[i]\n        while not os.path.exists(name):\n"
    "            time.sleep(random.random())\n        return torch.load(name)\n",
    "an endless stream": "class A(IterableDataset):\n    def __iter__(self):\n"
    "        while True:\n            yield self.x[0]\n",
}
SPEAKS = {
    "the same again, in a function": READ.format(before="pass", failed="print(name)"),
    "asked of another where it is None": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            x = self.load(i)\n            if x is None:\n"
    "                i = random.randint(0, 9)\n                continue\n            return x\n",
    "another until its file is there": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        name = self.names[i]\n        while not os.path.exists(name):\n"
    "            name = self.names[random.randrange(9)]\n        return torch.load(name)\n",
    "of a graph": "import torch_geometric\nclass A(torch_geometric.data.Dataset):\n"
    "    def get(self, i):\n        while True:\n            try:\n"
    "                return self.x[i]\n            except OSError:\n"
    "                i = random.randint(0, 9)\n",
    "until it is not empty": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        x = self.load_rows(i)\n        while len(x) == 0:\n"
    "            x = self.load_rows(random.randrange(9))\n        return x\n",
    "left once it is loaded": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            try:\n                x = self.x[i]\n                break\n"
    "            except OSError:\n                i = random.randint(0, 9)\n        return x\n",
    "its own errors caught": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            try:\n                x = self.x[i]\n"
    "                if x is None:\n                    raise OSError(i)\n"
    "            except OSError:\n                i = random.randint(0, 9)\n"
    "                continue\n            break\n        return x\n",
    "for ever": "class A(Dataset):\n    def __getitem__(self, i):\n"
    "        while True:\n            try:\n                return self.x[i]\n"
    "            except OSError:\n                i = random.randint(0, 9)\n",
}
test_silent, test_speaks = make_tests(unbounded_retry, SILENT, SPEAKS)
GRADED = {
    "fewer are left": (draws_dataset(RETRY), Severity.NOTE),
    "as many are left": (
        draws_dataset(RETRY.replace("self.left.discard(index)", "pass")),
        Severity.RISKS,
    ),
}


@pytest.mark.parametrize(("code", "severity"), GRADED.values(), ids=GRADED)
def test_severity(code: str, severity: Severity) -> None:
    (finding,) = find(unbounded_retry, code)

    assert finding.severity is severity
