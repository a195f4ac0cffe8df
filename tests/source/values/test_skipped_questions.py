"""What is not evaluated because of its name or form changes nothing that is found."""

import pytest

from pipedoctor.facts import Source
from pipedoctor.source.assemble import build_facts, index_file
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
}
LOOP = """
def walk(path=None):
    return loader
loader = DataLoader(DATA, num_workers=2)
def main(path, model):
    {head}
        model(one).backward()
"""


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
    facts = read_source(LOOP.format(head=head))
    assert len({one for loop in facts.loops for one in loop.loaders}) == count


def test_methods_that_nothing_of_the_project_has_are_not_followed() -> None:
    text = HEAD + "def f(x, size):\n    x.total = read\n    return x.view(size=size).sum(0)\n"
    project = Project([index_file(parse_file(files.SourceFile("train.py", text.encode())))])
    names = list_callable_attributes(project, AttributeReader(project))
    assert {"read", "total", "tqdm"} <= names
    assert names.isdisjoint({"view", "size", "sum"})
