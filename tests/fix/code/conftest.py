"""Code in, edited code out: the way of `fix --code` without a journal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.plan import CollectionRequest
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.engine.selection import select_checks
from pipedoctor.facts import Fact, Facts
from pipedoctor.fix.code.judged_source import CodeWorkspace
from pipedoctor.fix.code.trial import EditOutcome, attempt_edits
from pipedoctor.fix.request.named_checks import Examination

Mend = Callable[..., EditOutcome]
HEAD = """\
import os
import random

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torch.utils.data.distributed import DistributedSampler
from PIL import Image


class Images(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, index):
        return np.asarray(Image.open(self.files[index]))

    def __len__(self):
        return 9


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(random.randint(1, 9)))


"""
TRAIN = """\
    for epoch in range(9):
        for x, y in loader:
            loss = net(x).sum()
            loss.backward()
"""


@pytest.fixture(scope="session")
def examination() -> Examination:
    """What nothing changes is made once: to gather all checks takes 50 ms."""
    return Examination(catalogue=get_catalogue(), inquiry=CollectionRequest(quick=True))


@pytest.fixture
def mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examination: Examination) -> Mend:
    """Write files, try what `select` names (explicitly, as users would), in memory."""
    monkeypatch.chdir(tmp_path)

    def work(
        texts: dict[str, str | bytes],
        *facts: Fact,
        select: str = "",
        unsafe: bool = False,
        paths: tuple[str, ...] = (".",),
    ) -> EditOutcome:
        for name, text in texts.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        ground = CodeWorkspace.read(paths, examination, Facts(*facts))
        chosen = select_checks(examination.catalogue, [select] if select else [], [])
        return attempt_edits(ground, chosen, unsafe=unsafe, explicit=bool(select))

    return work
