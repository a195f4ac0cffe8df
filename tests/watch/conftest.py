"""The program, started as its users start it."""

import subprocess
import sys
from typing import Any

import pytest


def pipedoctor(*words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pipedoctor", *words]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=90, **more)


@pytest.fixture(autouse=True)
def _lanes_of_children(forked_lanes: None) -> None:
    """Code of a job is read in children alone."""
