"""The library that lets the n-th system call of a process, or of its children, fail."""

import shutil
import subprocess
import sys
from pathlib import Path

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
