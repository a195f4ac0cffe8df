"""One function, several loaders: what each of its calls makes of them."""

import textwrap

import pytest

from pipedoctor.facts import Source
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file

MAKER = """
from torch.utils.data import DataLoader

def make(data, split, workers=2):
    return DataLoader(data, num_workers=workers, shuffle=split == "train")

"""


def read(code: str) -> Source:
    text = MAKER + textwrap.dedent(code)
    return build_facts([parse_file(files.SourceFile("train.py", text.encode()))])


def test_each_call_has_arguments_of_its_own() -> None:
    source = read("""
        def main(a, b):
            for x in make(a, "train"):
                pass
            for x in make(b, "val", workers=0):
                pass
        """)
    first, second = source.loaders
    assert (first.get("num_workers").value, first.get("shuffle").value) == (2, True)
    assert (second.get("num_workers").value, second.get("shuffle").value) == (0, False)
    assert [loop.loaders for loop in source.loops] == [(0,), (1,)]
    assert [one.line for one in second.places] == [11, 5]


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param("make(a, 'train')", id="one call"),
        pytest.param("make(a, 'train'), make(b, 'train')", id="the same twice"),
    ],
)
def test_calls_that_do_not_differ_make_one_loader(calls: str) -> None:
    source = read(f"def main(a, b):\n    return {calls}\n")
    (loader,) = source.loaders
    assert loader.made_at is None
    assert [one.line for one in loader.places] == [5]
