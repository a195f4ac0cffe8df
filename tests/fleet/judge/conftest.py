"""Nodes of one kind, written into the folder of a fleet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.fleet.model import FleetReport
from tests.fleet.node_reports import Report, report

Put = Callable[..., Path]
Write = Callable[..., None]


def gpus(count: int = 8, **more: Any) -> Report:
    return {
        "driver": "570.1",
        "devices": [{"index": n, "name": "NVIDIA H100"} for n in range(count)],
        **more,
    }


def bus(count: int = 8, device: str = "2330", **more: Any) -> Report:
    cards = [{"vendor": "10de", "device": device} for _ in range(count)]
    return {"pci": cards, "nvidia_module": "570.1", **more}


@pytest.fixture
def write(put: Put) -> Write:
    """Put so many nodes of this kind into the folder: ``h0`` and so on."""

    def make(prefix: str, count: int, **known: Any) -> None:
        for number in range(count):
            name = f"{prefix}{number}"
            put(name, report(name, **known))

    return make


def rows(found: FleetReport) -> list[tuple[str, str]]:
    return [(one.node, one.property) for one in found.outliers]
