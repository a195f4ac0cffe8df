"""Code in, findings out: what every test of a hazard in code begins with."""

import importlib
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
Table = Mapping[str, Mapping[str, str]]
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`silent` and `speaks` are the rows of SILENT and SPEAKS in the test's module."""
    for fixture in {"silent", "speaks"} & {*metafunc.fixturenames}:
        module: Any = vars(metafunc)["module"]
        table: Table = getattr(module, fixture.upper())
        rows = [
            pytest.param((name, code), id=f"{name}: {said}")
            for name, codes in table.items()
            for said, code in codes.items()
        ]
        metafunc.parametrize(fixture, rows)


def named(name: str) -> Check[Any]:
    found: Check[Any] = getattr(
        importlib.import_module(f"pipedoctor_checks.{name}"), name
    )
    return found


@pytest.fixture
def find() -> Find:
    def judge(
        check: Check[Any] | str,
        code: str | Mapping[str, str],
        *facts: Fact,
        **more: Any,
    ) -> list[Finding]:
        check = named(check) if isinstance(check, str) else check
        verdict = check.run(Facts(read(code, **more), *facts))
        assert not verdict.skipped
        return list(verdict.findings)

    return judge


@pytest.fixture
def find_one(find: Find) -> Callable[[str, str], Finding]:
    """What a hazard that is there must have: one finding, at a place, with a cure."""

    def judge(name: str, code: str) -> Finding:
        (finding,) = find(name, code)
        assert finding.location is not None
        assert finding.location.path == "train.py"
        assert finding.remedies
        return finding

    return judge
