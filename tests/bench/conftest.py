"""A quiet machine, and an interpreter whose decoders do as they are told."""

from pathlib import Path

import msgspec
import pytest

from pipedoctor.bench.window import CpuMeter
from pipedoctor.facts import Window


class Calm(CpuMeter):
    """Nobody else is here, whatever runs beside the tests."""

    def stop(self) -> Window:
        return msgspec.structs.replace(super().stop(), foreign=0.0, stolen=0.0)


class Crowded(CpuMeter):
    """Somebody else has every CPU."""

    def stop(self) -> Window:
        window = super().stop()
        return msgspec.structs.replace(
            window, foreign=window.cpus * window.seconds, foreign_process=""
        )


@pytest.fixture
def calm() -> CpuMeter:
    return Calm()


@pytest.fixture
def crowded() -> CpuMeter:
    return Crowded()


SIMPLEJPEG = """
__version__ = "9.9"
import os, time
def decode_jpeg(data, colorspace="RGB", min_height=0, min_width=0):
    {body}
"""


@pytest.fixture
def pretender(tmp_path: Path) -> object:
    """Make a library called simplejpeg whose decoder does this; its environment."""

    def make(body: str) -> dict[str, str]:
        folder = tmp_path / "site"
        folder.mkdir()
        (folder / "simplejpeg.py").write_text(SIMPLEJPEG.format(body=body))
        return {"PYTHONPATH": str(folder)}

    return make
