"""Folders of reports, and the generator of whole fleets."""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.fleet.node_reports import Report

Put = Callable[..., Path]
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def fleets() -> ModuleType:
    """The generator of fleets that the benchmark uses as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
        return importlib.import_module("_fleets")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the reports of the fleet lie."""
    path = tmp_path / "reports"
    path.mkdir()
    return path


@pytest.fixture
def put(folder: Path) -> Put:
    """Write a report into the folder of the fleet, under the name of its node."""

    def write(name: str, content: Report | bytes, file: str = "") -> Path:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path = folder / (file or f"{name}--20260101T000000Z.json")
        path.write_bytes(data)
        return path

    return write
