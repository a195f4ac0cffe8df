"""Importing torch tells how it ended, whatever way that is."""

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.torch_import import PROBE_SCRIPT, torch_import
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import TorchImport, UnreadableError


def quiet(_doing: str) -> None:
    """Nobody watches."""


def probe(folder: Path | None, *, patience: float = 30.0) -> TorchImport:
    environ = {"PYTHONPATH": str(folder)} if folder else {}
    chosen = EnvironmentChoice(python=sys.executable)
    return torch_import(Machine(environ=environ), chosen, patience, quiet)


def fake(folder: Path, text: str) -> Path:
    (folder / "torch.py").write_text(text)
    return folder


def test_real_torch() -> None:
    torch = pytest.importorskip("torch")

    seen = probe(None)

    assert seen.ok
    assert seen.version == torch.__version__
    assert seen.file == torch.__file__
    assert seen.cuda_available == torch.cuda.is_available()
    assert seen.numpy_ok


@pytest.mark.parametrize(
    ("text", "error", "signal"),
    [
        pytest.param(
            "raise OSError('libcudnn.so.9: cannot open shared object file')",
            "OSError: libcudnn.so.9: cannot open shared object file",
            "",
            id="library missing",
        ),
        pytest.param(
            "import nothing_of_this_name",
            "ModuleNotFoundError: No module named 'nothing_of_this_name'",
            "",
            id="a dependency is missing",
        ),
        pytest.param(
            r"raise OSError('cannot load lib\udcff.so')",
            r"OSError: cannot load lib\xff.so",
            "",
            id="a byte that is no UTF-8",
        ),
        pytest.param("import sys; sys.exit(3)", "SystemExit: 3", "", id="it exits"),
        pytest.param(
            "import os; os._exit(7)",
            "the interpreter ended with exit code 7",
            "",
            id="hard",
        ),
        pytest.param(
            "import os, sys; print('boom', file=sys.stderr, flush=True)\nos.kill(os.getpid(), 11)",
            "boom",
            "SIGSEGV",
            id="segmentation fault",
        ),
        pytest.param(
            "import os; os.kill(os.getpid(), 4)",
            "the interpreter ended with exit code -4",
            "SIGILL",
            id="illegal instruction",
        ),
    ],
)
def test_import_that_fails(tmp_path: Path, text: str, error: str, signal: str) -> None:
    seen = probe(fake(tmp_path, text))

    assert not seen.ok
    assert (seen.error, seen.signal) == (error, signal)
    assert seen.hang is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="one CPU for all")
def test_import_that_others_keep_from_the_cpu_says_nothing(tmp_path: Path) -> None:
    """All on one CPU, as on a machine that is busy."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(4)]
    try:
        with pytest.raises(UnreadableError, match="other processes kept it from the CPUs"):
            probe(fake(tmp_path, "while True: pass"), patience=1.0)
    finally:
        os.sched_setaffinity(0, before)
        for other in others:
            other.kill()
            other.wait()


def test_import_that_hangs(tmp_path: Path) -> None:
    seen = probe(fake(tmp_path, "import time; time.sleep(60)"), patience=1.5)

    assert not seen.ok
    assert seen.hang is not None
    assert seen.hang.doing == "import torch"


FINE = """
__version__ = "9.9"
__file__ = "/x"
def get_num_threads(): return 4
class Zeros:
    def numpy(self): raise RuntimeError("Numpy is not available")
def zeros(_): return Zeros()
class backends: pass
class cuda:
    @staticmethod
    def is_available():
        import warnings
        warnings.warn("CUDA initialization: The NVIDIA driver is too old")
        return False
    @staticmethod
    def get_arch_list(): return ["sm_90"]
"""


def test_warnings_and_a_dead_numpy_are_facts(tmp_path: Path) -> None:
    noise = "print('\\x1epipedoctor not json')\n"
    seen = probe(fake(tmp_path, FINE + noise))

    assert seen.ok
    assert seen.numpy_ok is False
    assert not seen.cuda_error
    assert seen.arch_list == ("sm_90",)
    assert seen.warnings == ("UserWarning: CUDA initialization: The NVIDIA driver is too old",)


def test_cuda_that_does_not_answer_is_told_from_an_import_that_hangs(
    tmp_path: Path,
) -> None:
    text = FINE.replace("import warnings", "import time; time.sleep(60)")
    began = time.monotonic()
    seen = probe(fake(tmp_path, text), patience=1.0)
    took = time.monotonic() - began

    assert seen.ok
    assert seen.version == "9.9"
    told = re.fullmatch(r"no answer from torch\.cuda after (\S+) s", seen.cuda_error)
    assert told
    assert 1 <= float(told[1]) <= round(took, 1)


def test_crash_after_the_import_is_a_crash(tmp_path: Path) -> None:
    text = FINE.replace("import warnings", "import os; os.kill(os.getpid(), 11)")

    assert probe(fake(tmp_path, text)).signal == "SIGSEGV"


@pytest.mark.extended
def test_torch_of_the_working_directory_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(fake(tmp_path, "raise OSError('wrong torch')"))

    assert probe(None).ok


@pytest.mark.parametrize(
    "error",
    [
        pytest.param("ModuleNotFoundError(\"No module named 'torch'\")", id="now"),
        pytest.param("ImportError(\"No module named 'torch'\")", id="Python 3.5"),
        pytest.param("ImportError('No module named torch')", id="Python 2"),
    ],
)
def test_no_torch_is_no_illness(tmp_path: Path, error: str) -> None:
    text = f"raise {error}"
    with pytest.raises(UnreadableError, match="torch is not installed in "):
        probe(fake(tmp_path, text))


def test_every_python_can_read_the_probe() -> None:
    """Syntax that 2.7 and 3.5 lack would make a missing torch a failing one."""
    younger = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.Starred)

    found = [node for node in ast.walk(ast.parse(PROBE_SCRIPT)) if isinstance(node, younger)]

    assert not found


def test_interpreter_that_cannot_start(tmp_path: Path) -> None:
    program = tmp_path / "bin/python"
    program.parent.mkdir()
    program.write_bytes(b"not a program")
    program.chmod(0o755)

    with pytest.raises(UnreadableError, match="cannot be started: Exec format error"):
        torch_import(Machine(environ={}), EnvironmentChoice(python=str(program)), 5, quiet)
