"""The program, started as its users start it."""

import subprocess
import sys
from typing import Any


def pipedoctor(*words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pipedoctor", *words]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=90, **more)
