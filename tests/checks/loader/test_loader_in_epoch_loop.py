"""PDR107: a loader is made anew in every epoch."""

import pytest

from pipedoctor_checks.loader.loader_in_epoch_loop import loader_in_epoch_loop
from tests.checks.code_samples import DATASETS, TRAIN_LOOP, find, loader_call, make_tests

EVALUATES = """
class Runner:
    def __init__(self, net):
        self.net = net
    def eval(self):
        loader = DataLoader(rows, num_workers=2)
        for x in loader:
            self.net(x)
    def fit(self):
        for epoch in range(9):
            {call}

def main(net):
    {made}
"""
WEIGHTED = (
    DATASETS
    + """
class Trainer:
    def __init__(self):
        self.rows = Images()
    def draw(self):
        self.weights = {weights}
        drawn = WeightedRandomSampler({given})
        self.loader = DataLoader(self.rows, sampler=drawn, num_workers=2)
def main():
    trainer = Trainer()
    for epoch in range(9):
        trainer.draw()
"""
)
SILENT = {
    "other weights each time": WEIGHTED.format(weights="weigh(net)", given="self.weights, 9"),
    "before it": loader_call("Images(), num_workers=2", TRAIN_LOOP),
    "another size each time": DATASETS + "def main():\n    for size in range(9):\n"
    "        loader = DataLoader(Images(), batch_size=size, num_workers=2)\n",
    "rows that grow between": DATASETS + "def main(rows):\n    while len(rows) < 9:\n"
    "        rows.collect()\n        loader = DataLoader(rows, num_workers=2)\n",
    "no workers": DATASETS + "def main():\n    for epoch in range(9):\n"
    "        loader = DataLoader(Images())\n",
}
SPEAKS = {
    "the same weights each time": WEIGHTED.format(weights="[1, 2]", given="self.weights, 9"),
    "a sampler of the dataset alone": WEIGHTED.format(weights="weigh(net)", given="self.rows"),
    "each epoch": DATASETS + "def main():\n    for epoch in range(9):\n"
    "        loader = DataLoader(Images(), num_workers=2)\n",
    "until there are enough steps": DATASETS + "def main(rows):\n    step = 0\n"
    "    while step < 900:\n        loader = DataLoader(rows, num_workers=2)\n"
    "        for x in loader:\n            step += 1\n",
}
test_silent, test_speaks = make_tests(loader_in_epoch_loop, SILENT, SPEAKS)


@pytest.mark.parametrize(
    ("call", "made", "found"),
    [
        ("self.net.eval()", "pass", 0),
        ("self.eval()", "pass", 1),
        ("pass", "for epoch in range(9):\n        net.eval()", 0),
        ("pass", "runner = Runner(net)\n    for epoch in range(9):\n        runner.eval()", 1),
    ],
)
def test_modules_have_methods_of_the_same_name(call: str, made: str, found: int) -> None:
    code = EVALUATES.format(call=call, made=made)

    assert len(find(loader_in_epoch_loop, code)) == found
