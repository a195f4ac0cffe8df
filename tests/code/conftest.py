"""Code in, findings out: what every test of a hazard in code begins with."""

import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.check import Check, Finding
from pipedoctor.facts import Fact, Facts, Source
from pipedoctor.source import files
from pipedoctor.source.assemble import assemble
from pipedoctor.source.parse import parse

Find = Callable[..., list[Finding]]
HEAD = """\
import json
import os
import pickle
import random
import time

import cv2
import h5py
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from torchvision import transforms

"""


def read(code: str | Mapping[str, str], **more: Any) -> Source:
    """Make the facts of one file, or of several by their paths."""
    texts = (
        {"train.py": HEAD + textwrap.dedent(code)} if isinstance(code, str) else code
    )
    sources = [files.Source(path, text.encode()) for path, text in texts.items()]
    return replace(assemble([parse(source) for source in sources]), **more)


@pytest.fixture
def find() -> Find:
    def judge(
        check: Check[Any], code: str | Mapping[str, str], *facts: Fact, **more: Any
    ) -> list[Finding]:
        verdict = check.run(Facts(read(code, **more), *facts))
        assert not verdict.skipped
        return list(verdict.findings)

    return judge
