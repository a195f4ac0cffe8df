"""What is not evaluated because of its name or form changes nothing that is found."""

import pytest

from pipedoctor.facts import Source
from pipedoctor.source.assemble import build_facts, index_file
from pipedoctor.source.detect.loader.loops import find_loops
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.discover import files
from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.values.attributes import AttributeReader
from pipedoctor.source.values.callable_attributes import list_callable_attributes

HEAD = """
import os, glob, random, torch, munch
from collections import namedtuple
from easydict import EasyDict
from tqdm import tqdm
from torch.utils.data import DataLoader, Dataset

def read(path):
    return torch.load(path)
"""
DATASET = """
class Data(Dataset):
    def __init__(self, files, tools):
        self.files, self.tools = files, tools
    def __getitem__(self, index):
        return {call}(self.files[index])

loader = DataLoader(Data(FILES, {tools}), num_workers=2)
"""
HOLDERS = {
    "a namespace": ("self.tools.load", "munch.Munch(load=read)", ""),
    "a dictionary with attributes": ("self.tools.load", 'EasyDict({"load": read})', ""),
    "a named tuple": ("self.tools.load", "Tools(read)", 'Tools = namedtuple("Tools", "load")'),
    "a class": ("self.tools.load", "Tools", "class Tools:\n    load = read"),
    "an object": ("self.tools.load", "tools", "class T: pass\ntools = T()\ntools.load = read"),
}
LOOPS = {
    "files": ("for one in sorted(os.listdir(path)):", 0),
    "a variable with files": ("names = glob.glob(path)\n    for one in names:", 0),
    "numbers": ("for one in range(len(loader)):", 0),
    "the loader": ("for one in loader:", 1),
    "the loader in a variable": ("names = loader\n    for one in tqdm(names):", 1),
    "the loader where it is made": ("for one in DataLoader(DATA, num_workers=2):", 1),
    "a function of the project": ("for one in walk(path):", 1),
    "layers of a module": ("for one in self.layers:", 0),
    "a dictionary of loaders": ('by = {"train": loader}\n    for one in by.values():', 0),
    "a loader of each": ('by = {"train": loader}\n    for one in zip(*by.values()):', 1),
    "an attribute with the loader": ("for one in self.batches:", 1),
    "an attribute with another that has it": ("for one in self.others:", 1),
}
LOOP = """
def walk(path=None):
    return loader
loader = DataLoader(DATA, num_workers=2)
class Trainer:
    def __init__(self, layers):
        self.layers = torch.nn.ModuleList(layers)
        self.batches = loader
        self.others = self.batches
    def main(self, path, model):
        {head}
            model(one).backward()
"""
CALLED = {
    "a layer": ("torch.nn.Linear(3, 3)", False),
    "layers that call a function": ("torch.nn.Sequential(Read())", True),
    "a lambda": ("lambda path: read(path)", True),
    "an object": ("Read()", True),
    "one of two": ("Read() if FILES else torch.nn.Identity()", True),
    "an attribute with an object": ("self.other", True),
    "an attribute with a layer": ("self.layer", False),
}
MODULE = """
class Read:
    def __call__(self, path):
        return torch.load(path)
class Data(Dataset):
    def __init__(self):
        self.other = Read()
        self.layer = torch.nn.Linear(3, 3)
        self.step = {made}
    def __getitem__(self, index):
        return self.step(FILES[index])

loader = DataLoader(Data(), num_workers=2)
"""
LAYERS = 40


def read_source(code: str) -> Source:
    return build_facts([parse_file(files.SourceFile("train.py", (HEAD + code).encode()))])


@pytest.mark.parametrize("holder", HOLDERS)
def test_functions_are_found_by_attributes_of_what_holds_them(holder: str) -> None:
    call, tools, before = HOLDERS[holder]
    facts = read_source(before + DATASET.format(call=call, tools=tools))
    assert any(event.item and event.function == "read" for event in facts.events)


@pytest.mark.parametrize("over", LOOPS)
def test_loops_are_over_batches_whatever_is_skipped(over: str) -> None:
    head, count = LOOPS[over]
    facts = read_source(LOOP.format(head=head.replace("\n    ", "\n        ")))
    assert len({one for loop in facts.loops for one in loop.loaders}) == count


@pytest.mark.parametrize("kept", CALLED)
def test_functions_are_found_by_what_an_attribute_keeps(kept: str) -> None:
    made, enters = CALLED[kept]
    facts = read_source(MODULE.format(made=made))
    assert any(event.item and event.kind == "unpickle" for event in facts.events) == enters


def test_layers_of_libraries_cost_no_evaluation() -> None:
    counts = [count_evaluations(layers) for layers in (1, LAYERS)]
    assert counts[1] - counts[0] < LAYERS


def count_evaluations(layers: int) -> int:
    """What a dataset costs that calls some layers for each item."""
    made = "".join(f"        self.step{n} = torch.nn.Linear(3, {n})\n" for n in range(layers))
    called = "".join(f"        x = self.step{n}(x)\n" for n in range(layers))
    text = f"{HEAD}class Data(Dataset):\n    def __init__(self):\n{made}"
    text += (
        f"    def __getitem__(self, index):\n        x = FILES[index]\n{called}        return x\n"
    )
    text += "loader = DataLoader(Data(), num_workers=2)\nfor batch in loader:\n    pass\n"
    module = index_file(parse_file(files.SourceFile("train.py", text.encode())))
    recorder = EventRecorder(Project([module]))
    find_loops(recorder)
    return recorder.loader_flow.evaluator.evaluations


def test_methods_that_nothing_of_the_project_has_are_not_followed() -> None:
    text = HEAD + "def f(x, size):\n    x.total = read\n    return x.view(size=size).sum(0)\n"
    project = Project([index_file(parse_file(files.SourceFile("train.py", text.encode())))])
    names = list_callable_attributes(project, AttributeReader(project))
    assert {"read", "total", "tqdm"} <= names
    assert names.isdisjoint({"view", "size", "sum"})
