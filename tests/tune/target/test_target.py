"""Targets: found, called, refused with one line that says what and where."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from pipedoctor.tune.target.target import (
    TargetLoadError,
    is_dataset_or_loader,
    load_target,
    record_loader_places,
)

GOOD = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

class Factory:
    @staticmethod
    def loader():
        return DataLoader(TensorDataset(torch.zeros(8, 2)), batch_size=4)

ready = TensorDataset(torch.zeros(8, 2))
number = 7

def samples():
    return [1, 2, 3]
"""


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    file = tmp_path / "my data.py"
    file.write_text(GOOD)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return str(file)


def test_callables_attributes_and_objects(good: str) -> None:
    assert isinstance(load_target(f"{good}:Factory.loader"), DataLoader)
    assert isinstance(load_target(f"{good}:ready"), Dataset)
    assert load_target(f"{good}:samples") == [1, 2, 3]


def test_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "some_module.py").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert isinstance(load_target("some_module:Factory.loader"), DataLoader)


REFUSED = {
    "no colon": ("data.py", "data.py: expected file.py:callable or module:callable"),
    "no name": ("data.py:", "data.py:: expected file.py:callable or module:callable"),
    "no file": ("none.py:make", "none.py: no such file"),
    "no module": (
        "no_such_module:make",
        (
            "no_such_module: importing the module raised "
            "ModuleNotFoundError: No module named 'no_such_module'"
        ),
    ),
}


@pytest.mark.parametrize(("target", "said"), REFUSED.values(), ids=REFUSED)
def test_refuses(target: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(TargetLoadError) as error:
        load_target(target)
    assert str(error.value) == said


def test_names_what_there_is_instead(good: str) -> None:
    with pytest.raises(TargetLoadError, match=r"has no 'train'; it has Factory, samples$"):
        load_target(f"{good}:train")
    with pytest.raises(TargetLoadError, match="is an int: expected a callable"):
        load_target(f"{good}:number")


CODE = {
    "raises": (
        "def make():\n    raise ValueError('no images')\n",
        r"calling the target raised ValueError: no images \(made\.py:2\)$",
    ),
    "raises in a library": (
        "import json\ndef make():\n    json.loads('{')\n",
        r"calling the target raised json\.decoder\.JSONDecodeError: .+ \(made\.py:3\)$",
    ),
    "exits": (
        "import sys\nsys.exit('bye')\n",
        r"importing the module called sys\.exit\('bye'\)$",
    ),
    "is no Python": ("def make(:\n", r"raised SyntaxError: .+ \(made\.py:1\)$"),
    "interrupts": (
        "raise KeyboardInterrupt\n",
        "importing the module raised KeyboardInterrupt",
    ),
    "returns None": ("def make(): pass\n", "returned None: expected a torch Dataset"),
    "returns a dict": ("def make(): return {}\n", "returned a dict: expected"),
    "returns a class": ("def make(): return list\n", "returned a type: expected"),
}


@pytest.mark.parametrize(("code", "said"), CODE.values(), ids=CODE)
def test_code_that_fails(
    code: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "made.py"
    file.write_text(code)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(TargetLoadError, match=said):
        load_target(f"{file}:make")


def test_what_counts_as_a_data_set() -> None:
    assert is_dataset_or_loader([1, 2])
    assert is_dataset_or_loader(torch.zeros(3))
    assert not is_dataset_or_loader("text")
    assert not is_dataset_or_loader(3)


def test_a_loader_that_is_gone_leaves_no_place_to_another() -> None:
    data = TensorDataset(torch.zeros(8, 2))

    def made() -> DataLoader[Any]:
        return DataLoader(data, batch_size=4)

    with record_loader_places() as places:
        gone = [id(made()) for _ in range(3)]
        kept = DataLoader(data)

    assert list(places) == [id(kept)]
    assert places[id(kept)][1] == made.__code__.co_firstlineno + 5
    assert gone
    del kept
    assert not places
