"""What is read of a project is the same in every run, also where not all is evaluated."""

import os
import subprocess
import sys
import textwrap

NUMBERS = range(12)
CLASSES = "".join(
    f"""
class Data{n}(Dataset):
    def __getitem__(self, index):
        return torch.load(self.files[index])

class Feed{n}:
    def __init__(self, data):
        self.loader = DataLoader(data, num_workers={n})
    def __iter__(self):
        yield from self.loader

def make{n}(files):
    return Feed{n}(Data{n}(files))
"""
    for n in NUMBERS
)
PROJECT = f"""
import torch
from torch.utils.data import DataLoader, Dataset
{CLASSES}
MAKERS = [{", ".join(f"make{n}" for n in NUMBERS)}]

class Trainer:
    def __init__(self, name, files):
        self.feed = MAKERS[name](files)
    def fit(self, model):
        for batch in self.feed:
            model(batch.cuda()).backward()

def main(name, files, model):
    Trainer(name, files).fit(model)
"""
PROGRAM = """
import sys
from msgspec import json
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.values.evaluator import Evaluator

text = sys.stdin.buffer.read()
for limit in range(40, 240, 40):
    Evaluator.most_for_items, Evaluator.most_in_all = limit, limit + 10
    facts = build_facts([parse_file(files.SourceFile("train.py", text))])
    print(json.encode((facts.loops, facts.loaders, facts.events)).decode())
"""


def read_with(seed: int) -> list[str]:
    """The facts of the project with more and more evaluations, with one seed of hashes."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        input=PROJECT.encode(),
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode().splitlines()


def test_neither_seeds_nor_addresses_change_what_is_found() -> None:
    first = read_with(1)
    assert len(set(first)) > 2, "the limit must be reached"
    assert read_with(2) == first
