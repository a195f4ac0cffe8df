"""DataLoaders that the reading of all code comes across are not looked for again."""

from pathlib import Path

import pytest

from pipedoctor.collect.code.code_reading import LoaderCallStore, ReadingOptions
from pipedoctor.collect.code.loader import loader
from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.source.resolve.literal_loader_calls import find_loader_calls

LOADER = """
from torch.utils.data import DataLoader
train = DataLoader(data, num_workers={0}, persistent_workers=True)
if True:
    val = DataLoader(data, num_workers={0}, prefetch_factor=3, **more)
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A folder of two projects, and a file between them that belongs to none."""
    top = tmp_path / "all"
    for number, place in enumerate(("a/train.py", "b.py", "c/train.py", "c/more.py")):
        (top / place).parent.mkdir(parents=True, exist_ok=True)
        (top / place).write_text(LOADER.format(number))
    for place in ("a", "c"):
        (top / place / "setup.py").touch()
    (top / "c" / "note.ipynb").write_text('{"cells": []}')
    (top / "c" / "broken.py").write_text("import torch\nDataLoader(\n")
    return top


def _crossed(paths: list[str], seconds: float = 1000.0, **words: object) -> LoaderCallStore:
    crossed = LoaderCallStore()
    reading = ReadingOptions(**words)  # type: ignore[arg-type]
    source(Machine(), paths, seconds, lambda _: None, reading, crossed)
    return crossed


def test_they_are_those_that_another_reading_finds(two: Path, tmp_path: Path) -> None:
    calls = find_loader_calls([str(two)])
    workers = [call.num_workers for call in calls]
    assert workers == [1, 1, 0, 0, 3, 3, 2, 2]
    assert _crossed([str(two)]).calls == calls
    assert _crossed([str(two)], jobs=3).calls == calls
    cache = str(tmp_path / "cache")
    assert _crossed([str(two)], cache=True, cache_dir=cache).calls == calls
    assert _crossed([str(two)], cache=True, cache_dir=cache).calls == calls


def test_they_come_in_the_order_of_their_files(two: Path) -> None:
    paths = [str(two / "c" / "train.py"), str(two / "b.py"), str(two)]
    calls = find_loader_calls(paths)
    assert [call.num_workers for call in calls[::2]] == [2, 1, 0, 3]
    assert _crossed(paths).calls == calls


def test_of_code_that_is_not_read_to_its_end_not_all_are_known(two: Path) -> None:
    assert _crossed([str(two)], seconds=-1.0).calls is None


def test_what_is_known_is_not_looked_for(two: Path) -> None:
    crossed = _crossed([str(two)])
    nowhere = (str(two / "nowhere"),)
    again = loader(Machine(), None, (str(two),), lambda _: None)
    assert again.origin["num_workers"] == f"{two}/c/more.py:5, the largest of 8"
    assert loader(Machine(), None, nowhere, lambda _: None, call_store=crossed) == again
