"""The library that lets the n-th system call of a process, or of its children, fail."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_SOURCE = Path(__file__).with_name("faults.c")


def compile_shim(folder: Path) -> str:
    """Compile it into this folder; skips the test where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler to make faults with")
    library = str(folder / "faults.so")
    argv = [compiler, "-shared", "-fPIC", "-O1", "-o", library, str(_SOURCE), "-ldl"]
    subprocess.run(argv, check=True, capture_output=True)
    return library


def run_driver(shim: str, module: str, *words: str, state: Path) -> list[dict[str, Any]]:
    """Run this module with the library, and what it keeps in `state`: its lines of JSON."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "LD_PRELOAD": shim, "XDG_STATE_HOME": str(state)},
        cwd=_SOURCE.parents[1],
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
