"""Three projects to be read, and what is remembered of them."""

from pathlib import Path

import pytest

from pipedoctor.collect.code.code_reading import ReadingOptions
from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Source

LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset
from {part} import {part}
loader = DataLoader({part}(), num_workers={workers})
for epoch in range(9):
    for batch in loader:
        batch.to("cuda")
    next(iter(loader))
"""
PART = """
from torch.utils.data import Dataset
class {part}(Dataset):
    def __getitem__(self, i):
        print(i)
"""


def project(folder: Path, part: str, workers: int) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "setup.py").touch()
    (folder / "train.py").write_text(LOADER.format(part=part, workers=workers))
    (folder / f"{part}.py").write_text(PART.format(part=part))


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A folder of three projects, and a file that belongs to none."""
    top = tmp_path / "all"
    top.mkdir()
    for number, part in enumerate(("Red", "Green", "Blue")):
        project(top / part, part, number)
    (top / "lonely.py").write_text(LOADER.format(part="Red", workers=9))
    return top


def read(folder: Path, cache: Path | None = None, jobs: int = 1) -> Source:
    reading = ReadingOptions(jobs=jobs, cache=cache is not None, cache_dir=str(cache or ""))
    return source(Machine(), [str(folder)], 1000.0, lambda _: None, reading)
