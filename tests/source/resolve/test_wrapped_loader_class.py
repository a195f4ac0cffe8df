"""Loaders that a function makes of a class and arguments which its callers give."""

from tests.checks.code_samples import read

WRAPPER = """
from torch.utils.data import DataLoader

def build(rows, *args, shuffle=False, klass=DataLoader, **kwargs):
    if world == 1:
        return klass(rows, *args, shuffle=shuffle, **kwargs)
    return klass(rows, *args, sampler=Split(rows), **kwargs)

def main(rows):
    first = build(rows, batch_size=64, shuffle=True, num_workers=8)
    second = build(rows, batch_size=1, num_workers=2)
"""


def test_a_default_parameter_may_be_the_class() -> None:
    loaders = read(WRAPPER).loaders
    assert {one.get("num_workers").value for one in loaders if one.get("num_workers").is_known} == {
        8,
        2,
    }


def test_what_one_caller_gives_stays_with_that_caller() -> None:
    pairs = {
        (one.get("shuffle").value, one.get("num_workers").value)
        for one in read(WRAPPER).loaders
        if one.get("shuffle").how == "literal" and one.get("num_workers").is_known
    }
    assert pairs == {(True, 8), (False, 2)}
