"""Code whose statements edits move, wrap or delay."""

TOP = """\
import functools
import os
import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Items(Dataset):
    def __init__(self, files, size=3):
        super().__init__()
        self.files = files
        self.size = size{init}

    def __len__(self):
        return 9

    def __getitem__(self, index):
        {item}

{rest}
"""
READ = "return read(self.files[index])"
LOADED = "loader = DataLoader(Items([]), num_workers=2{})"
MAIN = f"\ndef main(net):\n    {LOADED}\n    for x in loader:\n        net(x)\n"


def code(init: str = "", item: str = READ, rest: str = "") -> str:
    return TOP.format(init=init, item=item, rest=rest)


HANDLE = "\n        self.file = open(files, 'rb')  # once"
SEEK = "self.file.seek(index)\n        return self.file.read(9)"
RNG = "\n        self.rng = np.random.default_rng(1)"
EPOCHS = """
def main(net, data, n):
    # all
    for epoch in range(9):
        net.train()
        {}
        for x in loader:
            net(x)
"""
STEPS = """
def main(net):
    loader = DataLoader(Items([]), num_workers=2, shuffle={})
    while True:
{}
        net(x)
"""
